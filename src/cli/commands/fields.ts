import { Option } from 'commander';
import { inputSchema, type PropertySchema } from '../../operations/call/json-schema.ts';
import type { Operation } from '../../operations/operation.ts';
import { asCommands } from './as-commands.ts';

/** Fields that take a whole text, which may come from a file or standard input. */
const BULKY: readonly string[] = ['body', 'ops'];

/** What an agent knows by the name alone. */
const UNDESCRIBED: Readonly<Record<string, string>> = {
  ops: 'What to do, as a JSON list',
  update_links: 'Leave the links of other notes as they are',
};

/** The field of an operation that `--file` and standard input fill, if it has one. */
export function bulkyField(operation: Operation): string | undefined {
  const { properties } = inputSchema(operation.input);
  return BULKY.find((name) => Object.hasOwn(properties, name));
}

/** The fields that are options: all but the positional ones. */
export function fieldOptions(operation: Operation): { readonly name: string; readonly option: Option }[] {
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
  const flag = name.replaceAll('_', '-');
  const description = [asCommands(schema.description ?? UNDESCRIBED[name] ?? ''), shownDefault(schema)]
    .filter((part) => part !== '')
    .join(' ');
  if (schema.type === 'boolean') {
    return new Option(schema.default === true ? `--no-${flag}` : `--${flag}`, description);
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
