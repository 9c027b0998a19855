import { catalogueNamed } from '../catalogues/list.ts';
import { checkCatalogues, checkSwitches } from '../catalogues/owner-rules.ts';
import { parseEmbedder } from '../config/embedder-setting.ts';
import type { ConfigFile } from '../config/file/parse.ts';
import type { FilePaths, FileRule } from '../config/file/schema.ts';
import { resolveHttpSettings } from '../config/http-settings.ts';
import { layered } from '../config/load.ts';
import { fileValue, type SettingFlags } from '../config/setting-rows.ts';
import type { SettingTarget } from '../config/setting-target.ts';
import type { ServeSettings } from '../config/settings.ts';
import { isLecternError } from '../errors.ts';
import { listedToolsets, offered, type ToolSwitches } from '../operations/offer.ts';
import { OPERATIONS } from '../operations/registry.ts';
import { Access, OPEN_ACCESS } from '../vault/access.ts';

/**
 * Checks of one setting beyond the file's schema: globs, tool names, addresses.
 *
 * @param settings of a server with this file; undefined when no vault is named yet
 * @throws LecternError `invalid_input`
 */
export async function checkSetting(
  { key, row }: SettingTarget,
  { values }: ConfigFile,
  settings: ServeSettings | undefined,
): Promise<void> {
  const { read, write } = (values.paths ?? {}) as FilePaths;
  new Access([{ ...OPEN_ACCESS, read: ruleOf(read), write: ruleOf(write) }]);
  for (const { rules } of settings?.vaults ?? []) new Access([rules]);
  const tools = (values.tools ?? {}) as FileRule & Partial<ToolSwitches> & { sets?: readonly string[] };
  listedToolsets(tools.sets ?? [], []);
  offered(OPERATIONS, { scopes: ['vault:read', 'vault:write', 'vault:admin'], ...ruleOf(tools) });
  await checkSwitches({ on: tools.on ?? [], off: tools.off ?? [] });
  if (values.catalogue !== undefined) catalogueNamed(String(values.catalogue));
  checkCatalogues(ruleOf(values.catalogues as FileRule | undefined));
  if (row?.name === 'embedder' && values.embedder !== undefined) parseEmbedder(String(values.embedder));
  // A certificate and its key are set one after the other: an incomplete pair is reported, not refused.
  if (key[0] !== 'http' || row === undefined || /^tls_/.test(key[1] ?? '') || row.kind === 'secret') return;
  const value = fileValue(values, key);
  if (value !== undefined && !/^oauth/.test(key[1] ?? ''))
    resolveHttpSettings({}, { [row.env]: Array.isArray(value) ? value.join(',') : String(value) });
}

/** Why `lectern serve` would not start with this file, although each setting is valid by itself. */
export async function startProblem(
  { values }: ConfigFile,
  flags: SettingFlags,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  try {
    resolveHttpSettings({}, await layered(environment, values, flags));
    return undefined;
  } catch (error) {
    if (isLecternError(error)) return error.message.replace(/\.$/, '');
    throw error;
  }
}

function ruleOf({ allow = [], deny = [] }: FileRule = {}) {
  return { allow, deny };
}
