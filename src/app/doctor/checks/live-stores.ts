import { isLecternError } from '../../../errors.ts';
import { checkPlace, secretOf } from '../../open-store.ts';
import { type Check, type Finding, ok, problem, said } from '../check.ts';
import type { DoctorContext, DoctorVault } from '../context.ts';

/** Checks whether a program that holds notes answers and accepts the secret. */
export const liveStores: Check = {
  name: 'live_stores',
  async run(context) {
    const found = await Promise.all(
      context.vaults.filter(({ kind }) => kind !== 'folder').map((vault) => look(context, vault)),
    );
    return found;
  },
};

async function look({ privates }: DoctorContext, vault: DoctorVault): Promise<Finding> {
  const { kind, name, location } = vault;
  const address = location.slice(kind.length + 1);
  if (address !== '') {
    privates.add('address', address);
    if (URL.canParse(address)) privates.add('address', new URL(address).hostname);
  }
  try {
    const answering = kind === 'joplin' ? await askJoplin(vault) : await askSilverBullet(vault);
    return ok('live_stores.answers', `Vault ${name}: ${answering} answers and lets Lectern in.`);
  } catch (error) {
    const next = isLecternError(error) ? error.next : undefined;
    const isRefused = /token|let Lectern in/.test(said(error));
    return problem(
      isRefused ? 'live_stores.refused' : 'live_stores.away',
      `Vault ${name}: ${said(error)}.`,
      next ?? 'Start it, and call again.',
    );
  }
}

const LIMIT_MS = 10_000;

async function askJoplin(vault: DoctorVault): Promise<string> {
  const { openJoplinApi } = await import('../../../stores/joplin/api.ts');
  const url = vault.location.slice('joplin:'.length);
  const api = openJoplinApi({
    ...(url !== '' && { url }),
    token: () => secretOf(vault),
    timeoutMs: LIMIT_MS,
  });
  await api.get('folders', { query: { limit: 1, fields: 'id' } });
  return 'Joplin';
}

async function askSilverBullet(vault: DoctorVault): Promise<string> {
  const { openSilverBulletApi } = await import('../../../stores/silverbullet/api.ts');
  await checkPlace(vault);
  const url = vault.location.slice('silverbullet:'.length);
  await openSilverBulletApi({ url, secret: () => secretOf(vault), timeoutMs: LIMIT_MS }).list();
  return 'SilverBullet';
}
