import type { Command } from 'commander';
import type { InitFlags } from './init/choices.ts';

/** Adds `init`. */
export function addInitCommand(program: Command): void {
  program
    .command('init')
    .description('set up the MCP clients on this machine for your notes; asks what is not said')
    .option(
      '--vault <folder>',
      'the folder your notes are in, joplin: or silverbullet:<address>; several as name=folder',
      (value: string, earlier: readonly string[] = []) => [...earlier, value],
    )
    .option('--config <file>', 'another configuration file for the servers (or LECTERN_CONFIG)')
    .option(
      '--client <name...>',
      'clients to set up: found (those on this machine, the usual), all (each that Lectern knows), or by name',
    )
    .option('--read-only', 'agents may read and not change')
    .option('--deny <folder...>', 'folders or globs that agents must not see')
    .option('--yes', 'ask nothing and write')
    .option('--dry-run', 'show what would be written, as a diff, and write nothing')
    .option('--remove', 'take back what was written, or take out the entry')
    .option('--print', 'print what belongs into each file, for doing it by hand')
    .option('--json', 'the outcome as JSON; asks nothing')
    .exitOverride()
    .action(async (flags: InitFlags) => {
      const { runInit } = await import('./init/init.ts');
      await runInit(flags);
    });
}
