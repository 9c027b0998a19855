import { Command } from 'commander';
import { isLecternError, LecternError } from '../../errors.ts';
import { needsAssistant } from '../../operations/call/assistants.ts';
import { inputSchema } from '../../operations/call/json-schema.ts';
import type { CommandOperation } from '../../operations/operation.ts';
import { pipedBody, readBody } from './body.ts';
import { asCommands, inCommandWords, parseOptions } from './command-words.ts';
import { draftOn } from './draft.ts';
import { EXIT, exitCodeFor } from './exit-codes.ts';
import { bulkyField, fieldOptions, wantsPipedBody } from './fields.ts';
import { type OutputStyle, outputStyle, renderError, renderOutput } from './output.ts';
import type { CommandIo, VaultFlags } from './runner.ts';

/** The flags of every operation's command. */
export interface CommonFlags extends VaultFlags {
  readonly json?: boolean;
  readonly text?: boolean;
  readonly color?: boolean;
  readonly yes?: boolean;
  readonly file?: string;
}

type Flags = CommonFlags & Readonly<Record<string, unknown>>;

/** Builds the command of an operation: its fields become arguments and options, its answer is printed. */
export function operationCommand(
  operation: CommandOperation,
  io: CommandIo,
  verb: string = operation.cli.verb,
): Command {
  const command = new Command(verb)
    .description(asCommands(`${operation.title}. ${operation.description}`))
    .summary(operation.title.slice(0, 1).toLowerCase() + operation.title.slice(1));
  const { required = [] } = inputSchema(operation.input);
  const positionals = operation.cli.positionals ?? [];
  for (const name of positionals) command.argument(required.includes(name) ? `<${name}>` : `[${name}]`);
  const fields = fieldOptions(operation);
  for (const { option } of fields) command.addOption(option);
  const shorthands = Object.entries(operation.cli.shorthands ?? {});
  for (const [name, values] of shorthands) command.option(`--${name}`, `same as ${inOptions(values)}`);
  if (bulkyField(operation) !== undefined)
    command.option('--file <file>', `read ${bulkyField(operation)} from a file, - for standard input`);
  if (operation.effects === 'destroys') command.option('--yes', 'really do it');
  return withVaultFlags(command)
    .exitOverride()
    .action(async (...given: unknown[]) => {
      const flags = command.opts<Flags>();
      const style = outputStyle(flags, io.out, io.environment);
      await orExitCode(io, style, operation, async () => {
        const input: Record<string, unknown> = {};
        for (const [at, name] of positionals.entries()) if (given[at] !== undefined) input[name] = given[at];
        for (const { name, option } of fields) {
          const value = flags[option.attributeName()];
          // Of a switch that is on by default only "off" is passed on.
          if (value !== undefined && !(option.negate && value === true)) input[name] = value;
        }
        for (const [name, values] of shorthands) if (flags[name] === true) Object.assign(input, values);
        await fillBulky(operation, input, flags.file);
        if (operation.effects === 'destroys' && flags.yes !== true && input.dry_run !== true)
          throw notConfirmed();
        await runAndPrint(operation, input, flags, style, io);
      });
    });
}

function inOptions(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `--${name} ${value}`)
    .join(' ');
}

/** Adds the options that select a vault and an output format. */
export function withVaultFlags(command: Command): Command {
  return command
    .optionsGroup('Vault:')
    .option(
      '--vault <folder>',
      'the folder your notes are in (or LECTERN_VAULT, or INDX_VAULT), or the name of a vault',
    )
    .option('--config <file>', 'another configuration file (or LECTERN_CONFIG)')
    .option('--state <folder>', 'where index and journal live (or LECTERN_STATE)')
    .option('--remote <url>', 'a running server instead of a folder (or LECTERN_URL)')
    .option('--token <token>', 'for the server (or LECTERN_TOKEN, which others cannot see)')
    .optionsGroup('Output:')
    .option('--json', 'print JSON, as when piped')
    .option('--text', 'print text even when piped')
    .option('--no-color', 'print no colours (or NO_COLOR=1)');
}

/** Runs an operation and prints its answer. @throws LecternError of the input, the runner and the operation */
export async function runAndPrint(
  operation: CommandOperation,
  input: Record<string, unknown>,
  flags: VaultFlags,
  style: OutputStyle,
  io: CommandIo,
): Promise<void> {
  const parsed = parseOptions(operation, input);
  const runner = await io.openRunner(flags);
  try {
    const draft = needsAssistant(operation) && style.terminal && !style.json ? draftOn(io.out) : undefined;
    const output = await runner.run(operation, input, draft?.listen).finally(() => draft?.end());
    io.out.write(renderOutput(operation, output, parsed, style));
    if (output.exists === false) io.exitWith(EXIT.absent);
  } finally {
    await runner.close();
  }
}

/**
 * Runs work, and prints a LecternError in the style of the answer and sets its exit code. Other errors are
 * rethrown.
 *
 * @param operation whose names are replaced by commands and options; undefined keeps the message
 */
export async function orExitCode(
  io: CommandIo,
  style: OutputStyle,
  operation: CommandOperation | undefined,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isLecternError(error)) throw error;
    io.err.write(renderError(operation === undefined ? error : inCommandWords(error, operation), style));
    io.exitWith(exitCodeFor(error.code));
  }
}

async function fillBulky(
  operation: CommandOperation,
  input: Record<string, unknown>,
  file: string | undefined,
): Promise<void> {
  const field = bulkyField(operation);
  if (field === undefined) return;
  if (file !== undefined && input[field] !== undefined)
    throw new LecternError('invalid_input', `Give either --${field} or --file, not both.`);
  if (file === undefined && !wantsPipedBody(operation, input)) return;
  const text = file === undefined ? await pipedBody() : await readBody(file);
  if (text !== undefined) input[field] = field === 'ops' ? opsIn(text) : text;
}

/** Parses a JSON list of ops, or an object with `ops`. @throws LecternError `invalid_input` */
function opsIn(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new LecternError('invalid_input', 'The ops are not JSON.', {
      next: 'Write a list such as [{"op":"append_body","markdown":"…"}].',
    });
  }
  return typeof value === 'object' && value !== null && 'ops' in value ? value.ops : value;
}

function notConfirmed(): LecternError {
  return new LecternError('forbidden', 'This takes something out of view and was not confirmed.', {
    next: 'Add --yes to do it, or --dry-run to see what would happen.',
  });
}
