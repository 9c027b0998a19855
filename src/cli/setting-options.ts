import type { Command } from 'commander';
import { SETTING_TABLE, type SettingRow } from '../config/setting-rows.ts';

/**
 * Adds the flags of the setting table to a command.
 *
 * @param on which of them: those of commands on a vault, of every server, or of the HTTP server
 */
export function withSettingOptions(command: Command, on: NonNullable<SettingRow['on']>): Command {
  for (const row of SETTING_TABLE) {
    if (row.on === on && row.flag !== undefined) command.option(row.flag, helpOf(row));
  }
  return command;
}

/** What it is, its variable, and what holds without it. */
function helpOf({ help, env, kind, default: fallback }: SettingRow): string {
  const variable = kind === 'yes' ? `or ${env}=1` : kind === 'list' ? `or ${env}, with commas` : `or ${env}`;
  const value = fallback === undefined || kind === 'yes' ? '' : `; default ${fallback}`;
  return `${help} (${variable}${value})`;
}
