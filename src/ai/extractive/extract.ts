import { isRecord } from '../../is-record.ts';
import type { FieldSpec } from '../suggest/field.ts';
import { findField, itemsOf } from './find-field.ts';
import { type Facts, nameKey, type Table } from './pairs.ts';

/** The values that a note states for the properties of a schema, and their lines. */
export interface Extracted {
  readonly data: Record<string, unknown>;
  /** 1-based, by property name. */
  readonly lines: Record<string, number>;
}

/** Least share of the wanted properties that must be columns of a table. */
const LEAST_COLUMNS = 0.5;

/**
 * Fills an object by patterns: `name: value`, lists under a heading with the property's name, and tables
 * whose columns are the properties of an array's items. Values in another form are left out; nothing is
 * guessed.
 *
 * @param schema JSON Schema of an object
 */
export function extract(schema: Readonly<Record<string, unknown>>, facts: Facts, title: string): Extracted {
  const data: Record<string, unknown> = {};
  const lines: Record<string, number> = {};
  for (const [name, wanted] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
    const found = isRecord(wanted) ? foundValue(name, wanted, facts, title) : undefined;
    if (found === undefined) continue;
    data[name] = found.value;
    lines[name] = found.line;
  }
  return { data, lines };
}

function foundValue(name: string, schema: Readonly<Record<string, unknown>>, facts: Facts, title: string) {
  if (schema.type !== 'array') return findField(fieldOf(name, schema), facts, title);
  const items = isRecord(schema.items) ? schema.items : {};
  if (items.type === 'object') return rowsOf(items, facts.tables);
  const found = findField({ name, type: 'list' }, facts, title);
  if (found === undefined) return undefined;
  const one = fieldOf(name, items);
  const values = (found.value as string[]).map((text) => scalar(text, one));
  return { ...found, value: values.filter((value) => value !== undefined) };
}

/** The rows of the first table that has enough of the wanted columns. */
function rowsOf(items: Readonly<Record<string, unknown>>, tables: readonly Table[]) {
  const wanted = Object.entries(isRecord(items.properties) ? items.properties : {});
  for (const { columns, rows } of tables) {
    const places = wanted.map(([name]) => columns.findIndex((column) => nameKey(column) === nameKey(name)));
    const found = places.filter((place) => place !== -1).length;
    if (found === 0 || found < wanted.length * LEAST_COLUMNS) continue;
    const value = rows.map(({ cells }) =>
      Object.fromEntries(
        wanted.flatMap(([name, schema], at) => {
          const cell = cells[places[at] ?? -1];
          const read =
            cell === undefined || cell === '' || !isRecord(schema)
              ? undefined
              : scalar(cell, fieldOf(name, schema), schema);
          return read === undefined ? [] : [[name, read]];
        }),
      ),
    );
    return { value, line: rows[0]?.line ?? 1 };
  }
  return undefined;
}

function scalar(text: string, field: FieldSpec, schema?: Readonly<Record<string, unknown>>): unknown {
  if (schema?.type === 'array') return itemsOf(text);
  // A cell is parsed as the value of a pair.
  const facts = { pairs: [{ key: field.name, value: text, line: 1 }], tables: [], lists: [], lines: [] };
  return findField(field, facts, '')?.value;
}

function fieldOf(name: string, schema: Readonly<Record<string, unknown>>): FieldSpec {
  const values = Array.isArray(schema.enum)
    ? schema.enum.filter((value): value is string => typeof value === 'string')
    : undefined;
  const kind = schema.format === 'email' ? 'email' : schema.format === 'uri' ? 'url' : undefined;
  return {
    name,
    type: typeOf(schema),
    ...(values !== undefined && values.length > 0 && { values }),
    ...(kind !== undefined && { kind }),
  };
}

function typeOf({ type, format }: Readonly<Record<string, unknown>>): FieldSpec['type'] {
  if (type === 'number' || type === 'integer') return 'number';
  if (type === 'boolean') return 'checkbox';
  if (format === 'date') return 'date';
  return 'text';
}
