import { parseEmbedder } from '../../config/embedder-setting.ts';
import type { SettingFlags } from '../../config/setting-rows.ts';
import { SettingReader } from '../../config/setting-values.ts';
import type { ServeSettings } from '../../config/settings.ts';
import { isLecternError } from '../../errors.ts';
import { said } from './check.ts';

export const INVALID_OWNER_SETTINGS = 'configuration.rule';

interface OwnerProblem {
  readonly message: string;
  readonly next: string;
}

/**
 * The errors in globs, names of tools and catalogues, and the embedder. The code for them is loaded here,
 * because it cannot be loaded when a native module is missing, which another check reports.
 */
export async function ownerProblems(
  settings: ServeSettings,
  flags: SettingFlags,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly OwnerProblem[]> {
  const checks: (() => unknown)[] = [
    async () => {
      const { Access } = await import('../../vault/access.ts');
      for (const { rules } of settings.vaults) new Access([rules]);
    },
    async () => {
      const { listedToolsets, offered } = await import('../../operations/offer.ts');
      const { OPERATIONS } = await import('../../operations/registry.ts');
      listedToolsets(settings.toolsets, []);
      offered(OPERATIONS, { scopes: ['vault:read', 'vault:write', 'vault:admin'], ...settings.tools });
    },
    async () => {
      const { checkCatalogues, checkSwitches } = await import('../../catalogues/owner-rules.ts');
      const { catalogueNamed } = await import('../../catalogues/list.ts');
      catalogueNamed(settings.catalogue);
      checkCatalogues(settings.catalogues);
      await checkSwitches(settings.toolSwitches);
    },
    () => {
      const embedder = new SettingReader(flags, environment).value('embedder');
      if (embedder !== undefined) parseEmbedder(embedder);
    },
  ];
  const problems: OwnerProblem[] = [];
  for (const check of checks) {
    try {
      await check();
    } catch (error) {
      if (!isLecternError(error) && isModuleMissing(error)) continue;
      const next = isLecternError(error) ? error.next : undefined;
      problems.push({ message: `${said(error)}.`, next: next ?? 'Correct it and try again.' });
    }
  }
  return problems;
}

function isModuleMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /MODULE_NOT_FOUND|DLOPEN/.test(String(error.code));
}
