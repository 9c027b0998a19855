import type { Command } from 'commander';
import { SETTING_TABLE, type SettingRow } from '../config/setting-rows.ts';

/**
 * Adds flags of the setting table to a command.
 *
 * @param on selects the flags of commands on a vault, of every server, or of the HTTP server
 */
export function withSettingOptions(command: Command, on: NonNullable<SettingRow['on']>): Command {
  for (const row of SETTING_TABLE) {
    if (row.on === on && row.flag !== undefined) command.option(row.flag, helpOf(row));
  }
  return command;
}

/** Adds the options of every server: its vaults and rights. */
export function withServeOptions(command: Command): Command {
  return withSettingOptions(withVaultOptions(command), 'serve');
}

/** Adds the options of every command on a vault. */
export function withVaultOptions(command: Command): Command {
  command
    .option(
      '--vault <folder>',
      'the folder your notes are in (or LECTERN_VAULT, or INDX_VAULT); several as name=folder',
      (value: string, earlier: readonly string[] = []) => [...earlier, value],
    )
    .option('--config <file>', 'another configuration file (or LECTERN_CONFIG)');
  return withSettingOptions(command, 'vault');
}

/** The help text of a setting, with its environment variable and default. */
function helpOf({ help, env, kind, default: fallback }: SettingRow): string {
  const variable = kind === 'yes' ? `or ${env}=1` : kind === 'list' ? `or ${env}, with commas` : `or ${env}`;
  const value = fallback === undefined || kind === 'yes' ? '' : `; default ${fallback}`;
  return `${help} (${variable}${value})`;
}
