import type * as z from 'zod';
import { isLecternError, LecternError } from '../../errors.ts';
import { parseInput } from '../../operations/call/input.ts';
import { inputSchema, type PropertySchema } from '../../operations/call/json-schema.ts';
import { type CommandOperation, hasCommand } from '../../operations/operation.ts';
import { OPERATIONS } from '../../operations/registry.ts';

const COMMANDS = new Map(
  OPERATIONS.filter(hasCommand).map((operation) => [operation.name, commandOf(operation)]),
);

/** A name of an operation or a field that is neither part of a path nor quoted. */
const NAME = /(?<![\w/\\.'"-])([a-z]+(?:_[a-z]+)+)(?:=false)?(?![\w/\\'"-]|\.\w)/g;

/** The command of an operation: `note_undo` is `lectern note undo`. */
function commandOf({ cli }: Pick<CommandOperation, 'cli'>): string {
  return `lectern ${cli.noun} ${cli.verb}`;
}

/**
 * Replaces the names of operations in a text by commands.
 *
 * @param operation its field names are replaced by options: `update_links=false` by `--no-update-links`
 */
export function asCommands(text: string, operation?: CommandOperation): string {
  const fields = operation === undefined ? {} : inputSchema(operation.input).properties;
  return text.replace(NAME, (whole, name: string) => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field !== undefined && operation?.cli.positionals?.includes(name) !== true)
      return `--${optionName(name, field)}`;
    return COMMANDS.get(name) ?? whole;
  });
}

/**
 * An error whose message and next step name commands and options instead of tools and fields. Errors of
 * operations on settings keep the names of tools, as the settings contain them.
 */
export function inCommandWords(error: LecternError, operation: CommandOperation): LecternError {
  if (operation.answersFrom === 'settings') return error;
  const { code, message, details, next, cause } = error;
  return new LecternError(code, asCommands(message, operation), {
    details,
    cause,
    ...(next !== undefined && { next: asCommands(next, operation) }),
  });
}

/**
 * Parses the input of an operation from the command line.
 *
 * @throws LecternError `invalid_input` that names the wrong arguments and options
 */
export function parseOptions(
  operation: CommandOperation,
  input: Record<string, unknown>,
): z.output<z.ZodObject> {
  try {
    return parseInput(operation, input);
  } catch (error) {
    if (!isLecternError(error)) throw error;
    const { missing, invalid } = error.details as unknown as ArgumentProblems;
    const command = commandOf(operation);
    const parts = [
      ...(missing.length === 0 ? [] : [`missing ${missing.map((key) => given(operation, key)).join(', ')}`]),
      ...invalid.map(({ key, problem }) => `${given(operation, key)}: ${problem}`),
    ];
    const bulky = missing.find(isBulky);
    const how = bulky === undefined ? '' : `Give --${bulky}, --file <file>, or --file - for standard input. `;
    throw new LecternError(error.code, `Wrong arguments for ${command}: ${parts.join('; ')}.`, {
      details: error.details,
      next: `${how}See ${command} --help.`,
    });
  }
}

/** The details of an error of `parseInput`. */
interface ArgumentProblems {
  readonly missing: readonly string[];
  readonly invalid: readonly { readonly key: string; readonly problem: string }[];
}

/**
 * The argument or option of a field: `<path>` or `--body`. The rest of a nested key is appended: `--ops.0.op`.
 */
function given({ cli }: CommandOperation, key: string): string {
  const [field = key, ...rest] = key.split('.');
  const name = cli.positionals?.includes(field) ? `<${field}>` : `--${field.replaceAll('_', '-')}`;
  return [name, ...rest].join('.');
}

/** Whether a field takes a long text, which may come from a file or standard input. */
export function isBulky(field: string): boolean {
  return field === 'body' || field === 'ops' || field === 'canvas';
}

/**
 * The option of a field without its dashes; a switch that is on by default gets the option that turns it off.
 */
export function optionName(field: string, schema: PropertySchema): string {
  const isOn = schema.type === 'boolean' && schema.default === true;
  return `${isOn ? 'no-' : ''}${field.replaceAll('_', '-')}`;
}
