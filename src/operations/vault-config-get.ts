import * as z from 'zod';
import { LecternError } from '../errors.ts';
import { closest } from '../nearest.ts';
import type { Configuration } from '../vault/configuration.ts';
import { operation } from './operation.ts';
import { withNotice } from './shared/fields.ts';
import { counted, lines, noticed } from './shared/rendering.ts';

const input = z.object({
  setting: z.string().min(1).optional().describe('One setting, or a part such as http; all when left out'),
});

const output = z.object({
  /** Path of the configuration file; shown to the owner only. */
  file: z.string().optional(),
  settings: z.array(
    z.object({
      setting: z.string(),
      /** Text, number, true or false, or a list; null when nothing is set; `********` when it is hidden. */
      value: z.unknown(),
      origin: z.enum(['default', 'file', 'environment', 'flag', 'combined']),
      /** The flag, the variable, or the file and line. */
      where: z.string().optional(),
      /** When a change takes effect. */
      effect: z.enum(['at once', 'next start']),
      /** Whether this caller may change it. */
      changeable: z.boolean(),
      /** The running server still uses another value. */
      pending: z.literal(true).optional(),
    }),
  ),
  notice: z.string().optional(),
});

/**
 * Reads the settings. No vault need exist.
 *
 * @throws LecternError `invalid_input` for an unknown setting
 */
export async function configGet(
  configuration: Configuration,
  { setting: wanted }: z.output<typeof input>,
): Promise<z.output<typeof output>> {
  const { file, settings, notice } = await configuration.settings();
  const found =
    wanted === undefined
      ? settings
      : settings.filter(({ setting }) => setting === wanted || setting.startsWith(`${wanted}.`));
  if (wanted !== undefined && found.length === 0) throw unknown(wanted, settings);
  return {
    ...(file !== undefined && { file }),
    settings: found.map((row) => ({ ...row })),
    ...withNotice(notice),
  };
}

export const vaultConfigGet = operation({
  name: 'vault_config_get',
  title: 'Show settings',
  description:
    'The settings of this server: values, where each comes from, when a change takes effect. Secrets and what is the owner’s alone are masked.',
  scope: 'vault:admin',
  effects: 'reads',
  answersFrom: 'settings',
  places: [],
  toolset: 'admin',
  input,
  output,
  rest: { method: 'GET', path: '/v1/vault/config' },
  cli: { noun: 'vault', verb: 'config get', positionals: ['setting'] },
  summarise: (out) =>
    `${counted(out.settings.length, 'setting')}${out.file === undefined ? '' : `; file ${out.file}`}.${noticed(out.notice)}`,
  render: (out) => {
    const width = Math.max(0, ...out.settings.map(({ setting }) => setting.length));
    return lines(out.settings, (row) => {
      const pending = row.pending ? ', not in force yet' : '';
      const from = row.where === undefined ? row.origin : `${row.origin} ${row.where}`;
      return `${row.setting.padEnd(width)}  ${shownValue(row.value)}  (${from}; ${row.effect}${pending})`;
    });
  },
  run: (vault, given) => configGet(vault.configuration, given),
});

/** The value as written in the file, on one line. */
export function shownValue(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return Array.isArray(value) ? `[${value.join(', ')}]` : String(value);
}

function unknown(wanted: string, settings: readonly { setting: string }[]): LecternError {
  const names = settings.map(({ setting }) => setting);
  const meant = closest(wanted, names);
  return new LecternError('invalid_input', `There is no setting ${JSON.stringify(wanted.slice(0, 60))}.`, {
    details: { setting: wanted.slice(0, 60) },
    next: meant === undefined ? 'Leave setting out to see them all.' : `Did you mean ${meant}?`,
  });
}
