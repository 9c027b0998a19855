import type { Command } from 'commander';
import type { EnableFlags } from './inklings-token.ts';
import { withVaultOptions } from './setting-options.ts';

/** Adds `inklings` with its commands. */
export function addInklingsCommands(program: Command): void {
  const inklings = program
    .command('inklings')
    .description('the token of clients that come from Inklings')
    .exitOverride();
  const command = (
    name: string,
    about: string,
    run: (code: typeof import('./inklings-token.ts'), flags: EnableFlags) => Promise<void>,
  ): Command =>
    withVaultOptions(inklings.command(name).description(about))
      .exitOverride()
      .action(async (flags: EnableFlags) => await run(await import('./inklings-token.ts'), flags));
  command('status', 'whether they are let in and where, without the token', (code, flags) =>
    code.inklingsStatus(flags),
  );
  command('show', 'the token', (code, flags) => code.showInklingsToken(flags));
  command('enable', 'let them in; the first time a token is made', (code, flags) =>
    code.enableInklings(flags),
  ).option('--token-stdin', 'with the token that they have already, from standard input');
  command('disable', 'shut them out, at once; the token is kept', (code, flags) =>
    code.disableInklings(flags),
  );
  command('regenerate', 'make a new token; the old one stops working at once', (code, flags) =>
    code.regenerateInklingsToken(flags),
  );
}
