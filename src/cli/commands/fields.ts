import { Option } from 'commander';
import { inputSchema, type PropertySchema } from '../../operations/call/json-schema.ts';
import type { CommandOperation } from '../../operations/operation.ts';
import { asCommands, isBulky, optionName } from './command-words.ts';

/** Options that control a write and are no content: with only these, the content is still missing. */
const CONDITIONS: ReadonlySet<string> = new Set(['dry_run', 'if_match', 'if_not_exists', 'idempotency_key']);

/** Descriptions of fields that the schema, made for agents, leaves to the name. */
const UNDESCRIBED: Readonly<Record<string, string>> = {
  ops: 'What to do, as a JSON list',
  update_links: 'Leave the links of other notes as they are',
};

/** The field of an operation that `--file` and standard input provide; undefined when it has none. */
export function bulkyField(operation: CommandOperation): string | undefined {
  const { properties } = inputSchema(operation.input);
  return Object.keys(properties).find(isBulky);
}

/**
 * Whether piped text is meant for the bulky field: the field is required, and no other content was given.
 */
export function wantsPipedBody(operation: CommandOperation, input: Record<string, unknown>): boolean {
  const field = bulkyField(operation);
  if (field === undefined || !inputSchema(operation.input).required?.includes(field)) return false;
  const positionals = operation.cli.positionals ?? [];
  return Object.keys(input).every((name) => positionals.includes(name) || CONDITIONS.has(name));
}

/** The options of an operation: all its fields except the positional ones. */
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

/** The default for the help text; empty for a switch and for no default. */
function shownDefault({ default: fallback }: PropertySchema): string {
  return fallback === undefined || typeof fallback === 'boolean' ? '' : `(default ${String(fallback)})`;
}
