import type { Command } from 'commander';
import type { PairFlags } from './joplin-pair.ts';

/** Adds `joplin` with its commands. */
export function addJoplinCommands(program: Command): void {
  const joplin = program
    .command('joplin')
    .description('a running Joplin whose notes are a vault')
    .exitOverride();
  joplin
    .command('pair')
    .description(
      'ask Joplin for its token, which its owner accepts there; the vault joplin: uses it from then on',
    )
    .option(
      '--joplin-url <url>',
      'where Joplin listens; none given = the first of its usual ports that answers',
    )
    .option('--joplin-token-file <file>', 'where the token is kept; none given = beside the configuration')
    .exitOverride()
    .action(async (flags: PairFlags) => {
      const { pair } = await import('./joplin-pair.ts');
      await pair(flags);
    });
}
