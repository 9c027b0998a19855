import * as z from 'zod';
import { SETTING_TABLE, type SettingRow } from '../setting-rows.ts';
import { durationMs, isAmount } from '../setting-values.ts';
import { isVaultPlace } from '../vault-place.ts';

/**
 * Names of vaults: not a path, so that `--vault work` can mean a vault's name. A name of digits only would be
 * ordered before all others, wherever it is in the file.
 */
const VAULT_NAME = /^(?!\d+$)[\p{L}\p{N}][\p{L}\p{N}_-]{0,39}$/u;

const text = z.string().trim().min(1);
const texts = z.array(text);

/** Never the secret itself: the file may be backed up, shared or shown on a screen. */
const secret = z.union([
  z.strictObject({ env: text.describe('Environment variable that holds it.') }),
  z.strictObject({ file: text.describe('File whose first line it is.') }),
]);

/** Descriptions of groups of settings, by key. */
const GROUPS: Readonly<Record<string, string>> = {
  paths: 'Globs of vault paths, for every vault.',
  'paths.read': 'What can be seen at all.',
  'paths.write': 'What of it can be changed.',
  tools: 'Tool names or patterns such as link_*.',
  catalogues: 'Other systems whose tools Lectern speaks.',
  ai: 'A language model for the ai_* tools. Without one nothing is sent anywhere.',
  joplin: 'A running Joplin whose notes are a vault.',
  silverbullet: 'A running SilverBullet whose space is a vault.',
  history: 'How far undo reaches back; what lies beyond either limit is forgotten.',
};

/** The schema of one setting's value, as the table defines it. */
function valueSchema(row: SettingRow): z.ZodType {
  switch (row.kind) {
    case 'yes':
      return z.boolean();
    case 'list':
      return texts;
    case 'number':
      return z
        .int()
        .min(row.min ?? 0)
        .max(row.max ?? Number.MAX_SAFE_INTEGER);
    case 'amount':
      return z.number().refine((value) => isAmount(String(value)), 'not an amount such as 0.15 or 20');
    case 'duration':
      return text.refine((value) => isDuration(value, row), 'not a duration such as 30m, 12h or 90d');
    case 'secret':
      return secret;
    case 'text':
      if (row.choices !== undefined) return z.enum(row.choices as [string, ...string[]]);
      return row.names === 'vault place' ? text.refine(isVaultPlace, 'not a place in a vault') : text;
  }
}

function isDuration(value: string, { longest = '365d' }: SettingRow): boolean {
  const ms = durationMs(value) ?? 0;
  return ms > 0 && ms <= (durationMs(longest) ?? 0);
}

/** The description of a setting in the file's schema and on the reference page. */
export function describedSetting({ kind, help }: Pick<SettingRow, 'kind' | 'help'>): string {
  const where = kind === 'secret' ? ', by where it is: { env: NAME } or { file: path }' : '';
  return `${help.charAt(0).toUpperCase()}${help.slice(1)}${where}.`;
}

/** The object of the rows below a key, nested as in the file. */
function groupSchema(rows: readonly SettingRow[], depth: number): z.ZodObject {
  const shape: Record<string, z.ZodType> = {};
  for (const row of rows) {
    const part = row.key[depth];
    if (part === undefined || part in shape) continue;
    const below = rows.filter((other) => other.key[depth] === part);
    if (row.key.length === depth + 1) {
      shape[part] = valueSchema(row).optional().describe(describedSetting(row));
      continue;
    }
    const group = groupSchema(below, depth + 1).optional();
    const described = GROUPS[row.key.slice(0, depth + 1).join('.')];
    shape[part] = described === undefined ? group : group.describe(described);
  }
  return z.strictObject(shape);
}

const rules = SETTING_TABLE.filter(({ key }) => key[0] === 'paths');
const general = groupSchema(SETTING_TABLE, 0);

const vault = z.strictObject({
  path: text.describe('The folder the notes are in.'),
  read_only: z.boolean().optional(),
  paths: groupSchema(rules, 1)
    .optional()
    .describe('Deny lists add to the general ones, allow lists replace them.'),
});

/**
 * The configuration file. Folders and files in it are relative to the file itself, `~` is the home folder.
 * Access without authentication cannot be set here: that takes a flag.
 */
export const configSchema = z.strictObject({
  vaults: z
    .record(z.string().regex(VAULT_NAME), z.union([text, vault]))
    .optional()
    .describe('The vaults by name: a folder, or a folder with rules of its own.'),
  ...general.shape,
});

/** Rules of the file for one door. */
export interface FileRule {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** Path rules in the file, for every vault or for one. */
export interface FilePaths {
  readonly read?: FileRule | undefined;
  readonly write?: FileRule | undefined;
}

/** A vault with more settings than its folder. */
export interface FileVault {
  readonly path: string;
  readonly read_only?: boolean | undefined;
  readonly paths?: FilePaths | undefined;
}

/** The values of a valid file: the vaults, and settings nested by their keys, to be read with `fileValue`. */
export interface ConfigValues {
  readonly vaults?: Readonly<Record<string, string | FileVault>> | undefined;
  readonly [group: string]: unknown;
}

/** Where a secret is stored. */
export type SecretReference = z.output<typeof secret>;

/** JSON Schema of the file, for editors. */
export function configJsonSchema(): object {
  return { title: 'lectern.yaml', ...z.toJSONSchema(configSchema, { io: 'input' }) };
}
