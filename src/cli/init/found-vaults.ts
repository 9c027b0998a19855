import { isRecord } from '../../is-record.ts';
import { probeJoplin } from '../../stores/joplin/api.ts';
import type { Places } from '../clients/places.ts';

/** Notes of another program on this machine. */
export interface FoundVault {
  /** A value for `--vault`. */
  readonly vault: string;
  /** The program, with further information. */
  readonly about: string;
}

/** SilverBullet's default address. */
const SILVERBULLET = 'http://127.0.0.1:3000';
const PING_MS = 500;

/**
 * The vaults of the note programs on this machine, most likely first.
 *
 * @param silverBulletAt address at which SilverBullet may listen
 */
export async function findVaults(
  places: Places,
  silverBulletAt = SILVERBULLET,
): Promise<readonly FoundVault[]> {
  const [joplin, silverBullet] = await Promise.all([findJoplin(places), findSilverBullet(silverBulletAt)]);
  const all = [...obsidianVaults(places), ...logseqGraphs(places), ...joplin, ...silverBullet];
  return all.filter(({ vault }, at) => all.findIndex((other) => other.vault === vault) === at);
}

/** The vaults in Obsidian's list: open ones first, then those opened last. */
export function obsidianVaults({ platform, settings, home, join, text, exists }: Places): FoundVault[] {
  const files = [join(settings, 'obsidian', 'obsidian.json')];
  if (platform === 'linux')
    files.push(
      join(home, '.var', 'app', 'md.obsidian.Obsidian', 'config', 'obsidian', 'obsidian.json'),
      join(home, 'snap', 'obsidian', 'current', '.config', 'obsidian', 'obsidian.json'),
    );
  const vaults = files.flatMap((file) => {
    const known = parsed(text(file));
    return isRecord(known) && isRecord(known.vaults) ? Object.values(known.vaults).filter(isRecord) : [];
  });
  const rank = ({ open, ts }: Record<string, unknown>) => (open === true ? 1e15 : 0) + (Number(ts) || 0);
  return vaults
    .sort((one, other) => rank(other) - rank(one))
    .flatMap(({ path, open }) =>
      typeof path === 'string' && exists(path)
        ? [{ vault: path, about: open === true ? 'Obsidian, open' : 'Obsidian' }]
        : [],
    );
}

/** The folders of Logseq's file graphs, from the names of its cache files; database graphs have no folder. */
export function logseqGraphs({ home, join, names, exists }: Places): FoundVault[] {
  return names(join(home, '.logseq', 'graphs')).flatMap((name) => {
    const [, written] = /^logseq_local_(.+)\.transit$/.exec(name) ?? [];
    const folder = written?.replaceAll('+3A+', ':').replaceAll('++', '/');
    return folder !== undefined && exists(folder) ? [{ vault: folder, about: 'Logseq' }] : [];
  });
}

async function findJoplin({ home, join, exists }: Places): Promise<FoundVault[]> {
  if ((await probeJoplin()) !== undefined) return [{ vault: 'joplin:', about: 'Joplin, running' }];
  return ['joplin-desktop', 'joplin'].some((profile) => exists(join(home, '.config', profile)))
    ? [{ vault: 'joplin:', about: 'Joplin, not running (Options > Web Clipper switches its service on)' }]
    : [];
}

/** SilverBullet has no list of its spaces, so its server is asked whether it is one. */
async function findSilverBullet(address: string): Promise<FoundVault[]> {
  try {
    const response = await fetch(`${address}/.ping`, {
      headers: { 'x-sync-mode': 'true' },
      signal: AbortSignal.timeout(PING_MS),
      redirect: 'error',
    });
    const isOne = response.headers.has('x-space-path') || (await response.text()).trim() === 'OK';
    return response.ok && isOne ? [{ vault: `silverbullet:${address}`, about: 'SilverBullet, running' }] : [];
  } catch {
    return [];
  }
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
