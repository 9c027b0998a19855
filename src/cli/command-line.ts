import { Command, CommanderError } from 'commander';
import { CATALOGUES } from '../catalogues/list.ts';
import type { HttpFlags } from '../config/http-settings.ts';
import type { ServeFlags } from '../config/settings.ts';
import type { GivenFlags } from '../config/shown-settings.ts';
import { VERSION } from '../config/version.ts';
import { isLecternError } from '../errors.ts';
import { EXIT, exitCodeFor } from './commands/exit-codes.ts';
import { terminalWidth, wrapped } from './commands/wrap.ts';
import { refuseExcessArguments } from './excess-arguments.ts';
import { addInklingsCommands } from './inklings-commands.ts';
import { addJoplinCommands } from './joplin-commands.ts';
import { addModelCommands } from './model-commands.ts';
import { withSettingOptions } from './setting-options.ts';
import type { TokenCreateFlags } from './token.ts';

/** These do without the operations, which take a moment to load. */
const WITHOUT_OPERATIONS: ReadonlySet<string | undefined> = new Set([
  'mcp',
  'serve',
  'token',
  'oauth',
  'inklings',
  'model',
  'joplin',
  'demo',
  '-V',
  '--version',
]);

/**
 * The whole command line, or what the first word needs of it. Every command loads its own code when it
 * runs: starting a server must not pay for the others.
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

  addTokenCommands(program);
  addOAuthCommands(program);
  addConfigCommands(program);
  addModelCommands(program);
  addJoplinCommands(program);
  addInklingsCommands(program, withVaultOptions);

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
  if (!WITHOUT_OPERATIONS.has(first)) {
    const { addOperationCommands } = await import('./commands/register.ts');
    addOperationCommands(program);
  }
  speakAlike(program);
  refuseExcessArguments(program);
  return program;
}

/** The systems whose tools can be spoken. */
function catalogueHelp(): string {
  const width = Math.max(...CATALOGUES.map(({ name }) => name.length));
  return [
    '',
    'Catalogues:',
    ...CATALOGUES.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
  ].join('\n');
}

/** The same words for help and errors in every command, wherever it was made. */
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

function addTokenCommands(program: Command): void {
  const token = program.command('token').description('who may come in over HTTP').exitOverride();
  withVaultOptions(
    token
      .command('create')
      .description(
        'make a token; it is shown once. --vault <name> makes it one for that vault of the file alone',
      ),
  )
    .requiredOption('--name <name>', 'the client that will use it')
    .option(
      '--scope <word...>',
      'vault:read (default), vault:write or vault:admin; path:<glob>, path:!<glob>, tool:<name>, tool:!<name>, vault-name:<name> narrow it; catalogue:<name> is what it speaks over MCP',
    )
    .option('--expires <when>', '12h, 90d (default), a date, or never')
    .exitOverride()
    .action(async (flags: TokenCreateFlags) => {
      const { createToken } = await import('./token.ts');
      await createToken(flags);
    });
  withVaultOptions(token.command('list').description('every token there was, without the tokens themselves'))
    .exitOverride()
    .action(async (flags: ServeFlags) => {
      const { listTokens } = await import('./token.ts');
      await listTokens(flags);
    });
  withVaultOptions(token.command('revoke').description('make a token stop working'))
    .argument('<id-or-name>')
    .exitOverride()
    .action(async (idOrName: string, flags: ServeFlags) => {
      const { revokeToken } = await import('./token.ts');
      await revokeToken(idOrName, flags);
    });
}

function addOAuthCommands(program: Command): void {
  const oauth = program.command('oauth').description('whom the owner let in with OAuth').exitOverride();
  withVaultOptions(oauth.command('list').description('every client that was let in and may still come'))
    .exitOverride()
    .action(async (flags: ServeFlags) => {
      const { listGrants } = await import('./oauth-grants.ts');
      await listGrants(flags);
    });
  withVaultOptions(oauth.command('revoke').description('shut a client out, at once'))
    .argument('<id>')
    .exitOverride()
    .action(async (id: string, flags: ServeFlags) => {
      const { revokeGrant } = await import('./oauth-grants.ts');
      await revokeGrant(id, flags);
    });
  withVaultOptions(
    oauth.command('rotate-keys').description('make new keys and shut every client out, at once'),
  )
    .exitOverride()
    .action(async (flags: ServeFlags) => {
      const { rotateOAuthKeys } = await import('./oauth-grants.ts');
      await rotateOAuthKeys(flags);
    });
}

function addConfigCommands(program: Command): void {
  const config = program.command('config').description('settings and the file they are in').exitOverride();
  withServeOptions(config.command('show').description('print every setting that a server would have'))
    .option('--origin', 'and where each comes from')
    .option('--json', 'as JSON, with origins')
    .exitOverride()
    .action(async (flags: GivenFlags) => {
      const { printConfig } = await import('./config.ts');
      await printConfig(flags);
    });
  config
    .command('schema')
    .description('print the JSON Schema of the file, for editors')
    .exitOverride()
    .action(async () => {
      const { printConfigSchema } = await import('./config.ts');
      printConfigSchema();
    });
  config
    .command('path')
    .description('print where the file is looked for')
    .option('--config <file>', 'another configuration file (or LECTERN_CONFIG)')
    .exitOverride()
    .action(async (flags: GivenFlags) => {
      const { printConfigPath } = await import('./config.ts');
      printConfigPath(flags);
    });
}

/** What every server takes: which notes, and how much of them it opens. */
function withServeOptions(command: Command): Command {
  return withSettingOptions(withVaultOptions(command), 'serve');
}

function withVaultOptions(command: Command): Command {
  command
    .option(
      '--vault <folder>',
      'the folder your notes are in (or LECTERN_VAULT, or INDX_VAULT); several as name=folder',
      (value: string, earlier: readonly string[] = []) => [...earlier, value],
    )
    .option('--config <file>', 'another configuration file (or LECTERN_CONFIG)');
  return withSettingOptions(command, 'vault');
}

/**
 * Runs the command a process was started with and sets its exit code.
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
  // Commander has already printed its message, or the help or version that was asked for.
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
