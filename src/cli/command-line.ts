import { Command, CommanderError } from 'commander';
import { LOG_LEVELS } from '../config/log.ts';
import type { ServeFlags } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { isLecternError } from '../errors.ts';

/** Exit codes: 0 done, 1 failed, 2 wrong usage. */
const USAGE_ERROR = 2;

/** Every command loads its own code when it runs: starting a server must not pay for the others. */
function commandLine(): Command {
  const program = new Command('lectern')
    .description('One MCP server for the notes you already keep.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .showSuggestionAfterError();

  const mcp = program.command('mcp').description('the Model Context Protocol door').exitOverride();
  mcp
    .command('serve')
    .description('serve a vault to an MCP client over standard input and output')
    .option('--stdio', 'over standard input and output (the default)')
    .option('--vault <folder>', 'the folder your notes are in (or LECTERN_VAULT, or INDX_VAULT)')
    .option('--state <folder>', 'where index and journal live (or LECTERN_STATE)')
    .option('--read-only', 'refuse every write (or LECTERN_READ_ONLY=1)')
    .option('--allow-read <glob...>', 'only these paths can be seen (or LECTERN_ALLOW_READ, with commas)')
    .option('--deny-read <glob...>', 'these paths are hidden everywhere (or LECTERN_DENY_READ)')
    .option('--allow-write <glob...>', 'only these paths can be changed (or LECTERN_ALLOW_WRITE)')
    .option('--deny-write <glob...>', 'these paths cannot be changed (or LECTERN_DENY_WRITE)')
    .option('--tools <name...>', 'only these tools, e.g. note_read "link_*" (or LECTERN_TOOLS)')
    .option('--without-tools <name...>', 'all tools but these (or LECTERN_WITHOUT_TOOLS)')
    .option('--log-level <level>', `${LOG_LEVELS.join(', ')} (to standard error; default warn)`)
    .exitOverride()
    .action(async (flags: ServeFlags) => {
      const { serveMcp } = await import('./mcp-serve.ts');
      await serveMcp(flags);
    });

  program
    .command('demo')
    .description(
      'show what an agent sees: search, read and backlinks over MCP, and how to connect your client',
    )
    .argument('[folder]', 'your notes; the sample vault when left out')
    .exitOverride()
    .action(async (folder: string | undefined) => {
      const { runDemo } = await import('./demo.ts');
      await runDemo(folder);
    });
  return program;
}

/**
 * Runs the command a process was started with and sets its exit code.
 *
 * @param argv as in `process.argv`: runtime and script first
 */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  try {
    await commandLine().parseAsync([...argv]);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

function exitCodeOf(error: unknown): number {
  // Commander has already printed its message, or the help or version that was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE_ERROR;
  if (isLecternError(error)) {
    process.stderr.write(`lectern: ${error.message}${error.next === undefined ? '' : ` ${error.next}`}\n`);
    return error.code === 'invalid_input' ? USAGE_ERROR : 1;
  }
  process.stderr.write(
    `lectern: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return 1;
}
