import * as z from 'zod';
import { LecternError } from '../errors.ts';
import type { Configuration } from '../vault/configuration.ts';
import { operation } from './operation.ts';
import { noticed } from './shared/rendering.ts';
import { notices } from './shared/write-fields.ts';
import { shownValue } from './vault-config-get.ts';

const input = z.object({
  setting: z.string().min(1).describe('e.g. daily_notes.folder'),
  value: z.string().optional().describe('true, 8080, text, or a list as [a, b]; a secret as env:NAME'),
  unset: z.boolean().default(false).describe('Take the setting out of the file'),
  dry_run: z.boolean().default(false).describe('Check only; change nothing'),
});

const output = z.object({
  setting: z.string(),
  /** The values in the file before and after: null = none, `********` = hidden. */
  previous: z.unknown(),
  value: z.unknown(),
  changed: z.boolean(),
  effect: z.enum(['at once', 'next start']),
  dry_run: z.boolean(),
  notice: z.string().optional(),
});

/**
 * Changes one setting. No vault need exist.
 *
 * @throws LecternError see {@link Configuration.change}; `invalid_input` unless exactly one of value and
 *   unset is given
 */
export async function configSet(
  configuration: Configuration,
  { setting, value, unset, dry_run }: z.output<typeof input>,
): Promise<z.output<typeof output>> {
  if ((value === undefined) !== unset) {
    throw new LecternError('invalid_input', `${setting}: give either a value or unset.`, {
      details: { setting },
      next: 'Add the value, or unset to take the setting out of the file.',
    });
  }
  const done = await configuration.change({ setting, value, dryRun: dry_run });
  return {
    setting: done.setting,
    previous: done.previous,
    value: done.value,
    changed: done.changed,
    effect: done.effect,
    dry_run,
    ...notices(done.notices),
  };
}

export const vaultConfigSet = operation({
  name: 'vault_config_set',
  title: 'Change a setting',
  description:
    'Change one setting in the configuration file; comments and everything else in it stay. Only the owner, at the command line, may change what decides about access; others the places of daily notes.',
  scope: 'vault:admin',
  effects: 'writes',
  answersFrom: 'settings',
  places: [],
  toolset: 'admin',
  idempotent: true,
  input,
  output,
  rest: { method: 'PUT', path: '/v1/vault/config' },
  cli: { noun: 'vault', verb: 'config set', positionals: ['setting', 'value'] },
  summarise: (out) => {
    const said = `${out.setting}: ${shownValue(out.previous)} → ${shownValue(out.value)}`;
    if (!out.changed) return `${out.setting} is ${shownValue(out.value)} already.${noticed(out.notice)}`;
    const when = out.effect === 'at once' ? 'takes effect at once' : 'takes effect at the next start';
    return `${out.dry_run ? 'Would set' : 'Set'} ${said}; ${when}.${noticed(out.notice)}`;
  },
  render: () => '',
  run: (vault, given) => configSet(vault.configuration, given),
});
