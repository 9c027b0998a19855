import { Option } from 'commander';
import { inputSchema, type PropertySchema } from '../../operations/call/json-schema.ts';
import type { CommandOperation } from '../../operations/operation.ts';
import { asCommands, isBulky, optionName } from './command-words.ts';

/** Options that say how to write, not what: with them alone nothing has been given to be written yet. */
const CONDITIONS: ReadonlySet<string> = new Set(['dry_run', 'if_match', 'if_not_exists', 'idempotency_key']);

/** What an agent knows by the name alone. */
const UNDESCRIBED: Readonly<Record<string, string>> = {
  ops: 'What to do, as a JSON list',
  update_links: 'Leave the links of other notes as they are',
};

/** The field of an operation that `--file` and standard input fill, if it has one. */
export function bulkyField(operation: CommandOperation): string | undefined {
  const { properties } = inputSchema(operation.input);
  return Object.keys(properties).find(isBulky);
}

/**
 * Whether a text that was piped can only be meant for the bulky field: the operation cannot do without it, and
 * nothing else to be written was given.
 */
export function wantsPipedBody(operation: CommandOperation, input: Record<string, unknown>): boolean {
  const field = bulkyField(operation);
  if (field === undefined || !inputSchema(operation.input).required?.includes(field)) return false;
  const positionals = operation.cli.positionals ?? [];
  return Object.keys(input).every((name) => positionals.includes(name) || CONDITIONS.has(name));
}

/** The fields that are options: all but the positional ones. */
export function fieldOptions(
  operation: CommandOperation,
): { readonly name: string; readonly option: Option }[] {
  const { properties, required = [] } = inputSchema(operation.input);
  const positionals = operation.cli.positionals ?? [];
  return Object.entries(properties)
    .filter(([name]) => !positionals.includes(name))
    .map(([name, schema]) => ({
      name,
      option: optionFor(name, schema, required.includes(name) && name !== bulkyField(operation)),
    }));
}

function optionFor(name: string, schema: PropertySchema, required: boolean): Option {
  const flag = optionName(name, schema);
  const description = [asCommands(schema.description ?? UNDESCRIBED[name] ?? ''), shownDefault(schema)]
    .filter((part) => part !== '')
    .join(' ');
  if (schema.type === 'boolean') {
    return new Option(`--${flag}`, description);
  }
  const option = new Option(`--${flag} <${placeholder(schema)}>`, description);
  const choices = schema.enum ?? (schema.type === 'array' ? schema.items?.enum : undefined);
  if (choices !== undefined) option.choices([...choices]);
  option.makeOptionMandatory(required);
  return option;
}

function placeholder(schema: PropertySchema): string {
  if (schema.type === 'array')
    return isJson(schema.items) ? 'json' : `${schema.items?.enum ? 'word' : 'text'}...`;
  if (isJson(schema)) return 'json';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  return schema.enum ? 'word' : 'text';
}

function isJson(schema: PropertySchema | undefined): boolean {
  return schema?.type === 'object' || schema?.type === undefined;
}

/** Off and nothing need no saying. */
function shownDefault({ default: fallback }: PropertySchema): string {
  return fallback === undefined || typeof fallback === 'boolean' ? '' : `(default ${String(fallback)})`;
}
