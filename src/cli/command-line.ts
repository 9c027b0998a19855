import { Command, CommanderError } from 'commander';
import { CATALOGUES } from '../catalogues/list.ts';
import type { HttpFlags } from '../config/http-settings.ts';
import type { ServeFlags } from '../config/settings.ts';
import { VERSION } from '../config/version.ts';
import { isLecternError } from '../errors.ts';
import { EXIT, exitCodeFor } from './commands/exit-codes.ts';
import { terminalWidth, wrapped } from './commands/wrap.ts';
import { refuseExcessArguments } from './excess-arguments.ts';
import { withServeOptions, withSettingOptions } from './setting-options.ts';

/**
 * Commands that start servers. Clients wait for them, so the other commands, which take milliseconds, are not
 * built.
 */
const SERVERS: ReadonlySet<string | undefined> = new Set(['mcp', 'serve']);
/** Commands that do not load the operations, which takes a moment. */
const WITHOUT_OPERATIONS: ReadonlySet<string | undefined> = new Set([
  ...SERVERS,
  'init',
  'token',
  'oauth',
  'inklings',
  'model',
  'joplin',
  'demo',
  'doctor',
  'service',
  'update',
  '-V',
  '--version',
]);

/**
 * Builds the command line, or the part that the first word needs. Every command loads its code when it runs, so
 * that a server starts without the others.
 *
 * @param first the first argument
 */
export async function commandLine(first: string | undefined): Promise<Command> {
  const program = new Command('lectern')
    .description('One MCP server for the notes you already keep.')
    .version(VERSION, '-V, --version', 'print the version')
    .exitOverride();

  const mcp = program.command('mcp').description('the Model Context Protocol door').exitOverride();
  withServeOptions(
    mcp
      .command('serve')
      .description('serve a vault to an MCP client over standard input and output')
      .option('--stdio', 'over standard input and output (the default)'),
  )
    .addHelpText('after', catalogueHelp)
    .exitOverride()
    .action(async (flags: ServeFlags) => {
      const { serveMcp } = await import('./mcp-serve.ts');
      await serveMcp(flags);
    });

  const serve = withServeOptions(program.command('serve').description('serve a vault over HTTP'))
    .option('--http', 'over HTTP (the default)')
    .option('--no-auth', 'ask for no token; on loopback only');
  withSettingOptions(serve, 'http')
    .addHelpText('after', catalogueHelp)
    .exitOverride()
    .action(async (flags: ServeFlags & HttpFlags) => {
      const { serveHttp } = await import('./serve-http.ts');
      await serveHttp(flags);
    });

  if (!SERVERS.has(first)) {
    const { addOwnerCommands } = await import('./owner-commands.ts');
    addOwnerCommands(program);
  }
  if (!WITHOUT_OPERATIONS.has(first)) {
    const { addOperationCommands } = await import('./commands/register.ts');
    addOperationCommands(program);
    const { addVaultCopyCommand } = await import('./vault-copy-command.ts');
    addVaultCopyCommand(program);
  }
  speakAlike(program);
  refuseExcessArguments(program);
  return program;
}

/** The help text that lists the catalogues. */
function catalogueHelp(): string {
  const width = Math.max(...CATALOGUES.map(({ name }) => name.length));
  return [
    '',
    'Catalogues:',
    ...CATALOGUES.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
  ].join('\n');
}

/** Sets the texts of help and errors alike in all commands. */
function speakAlike(command: Command): void {
  command
    .optionsGroup('')
    .helpOption('-h, --help', 'print this help')
    .showSuggestionAfterError()
    .configureOutput({
      outputError: (text, write) => {
        const said = text.replace(/^error: /, 'lectern: ');
        write(forTerminal(said.replace(/\n\(Did you mean (.*)\?\)/, '. Did you mean $1?')));
      },
    });
  if (command.commands.length > 0) command.helpCommand('help [command]', 'print the help of a command');
  for (const each of command.commands) speakAlike(each);
}

/**
 * Runs the command of this process and sets its exit code. Errors are printed to standard error.
 *
 * @param argv as in `process.argv`: runtime and script first
 */
export async function runCommandLine(argv: readonly string[]): Promise<void> {
  try {
    const program = await commandLine(argv[2]);
    await program.parseAsync([...argv]);
  } catch (error) {
    process.exitCode = exitCodeOf(error);
  }
}

function forTerminal(text: string): string {
  return wrapped(text, process.stderr.isTTY ? terminalWidth(process.stderr.columns) : undefined);
}

function exitCodeOf(error: unknown): number {
  // Commander has already printed its message, or the requested help or version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (isLecternError(error)) {
    const next = error.next === undefined ? '' : ` ${error.next}`;
    process.stderr.write(forTerminal(`lectern: ${error.message}${next}\n`));
    return exitCodeFor(error.code);
  }
  process.stderr.write(
    `lectern: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return EXIT.failed;
}
