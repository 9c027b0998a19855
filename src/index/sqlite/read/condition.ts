import type { FileCondition, ValueTest } from '../../../notes/file-condition.ts';
import { pathKey } from '../../../notes/path.ts';
import { tagKey } from '../../../notes/structure/tags.ts';
import type { SqlValue } from '../../../sqlite/driver.ts';
import type { ReadConnection } from '../connection.ts';
import { MORE_VALUES } from '../write/facts.ts';
import { keyNumber, linkKeys, pathNameKey } from '../write/names.ts';

/** A piece of SQL with its parameters. */
export interface Sql {
  readonly sql: string;
  readonly parameters: readonly SqlValue[];
}

/**
 * A compiled condition on `file f`: a test of each file and, where a database index finds them, a query for
 * ids.
 */
export interface CompiledCondition {
  /**
   * A superset test: of few files, a part that no index answers per file is left to the caller, who evaluates
   * each.
   *
   * @param files number of files that will be tested; undefined = unknown, which compiles the exact condition
   */
  check(files: number | undefined): Sql;
  /** A SELECT of ids as `file`; ids may repeat or fail other parts of the check. */
  readonly lead: (Sql & { readonly files: number }) | undefined;
}

/** A set of files: those with a row in a table that meets a condition. */
interface Rows {
  readonly table: string;
  /** The column of the file's id. */
  readonly file: string;
  readonly where: Sql;
  /**
   * Whether the condition fixes every key column before the file's id, so that an index finds one file's rows.
   */
  readonly isFound: boolean;
}

/** Leads are counted up to this limit; for more files a scan of all files is as fast. */
const MANY = 20_000;
/** Up to this many files it is faster to test each than to materialize the set of a condition. */
const FEW = 500;
/** The highest code point, an upper bound for all strings with the same prefix. */
const LAST = '\u{10FFFF}';
/** All values of columns that precede others in an index; naming them lets SQLite use the columns behind. */
const TYPES = "'string', 'number', 'boolean', 'null', 'json'";
const KINDS = "'note', 'canvas', 'base', 'attachment'";
const DAY = '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*';

/** Compiles a condition on files to SQL; it may let more files through than meet it. */
export function compileCondition(connection: ReadConnection, condition: FileCondition): CompiledCondition {
  switch (condition.kind) {
    case 'all':
      return allOf(condition.of.map((each) => compileCondition(connection, each)));
    case 'any':
      return anyOf(condition.of.map((each) => compileCondition(connection, each)));
    case 'not': {
      const inner = compileCondition(connection, condition.of);
      // The exact condition, as the negation of a superset test would exclude matching files.
      const { sql: text, parameters } = inner.check(undefined);
      const check = sql(`NOT (${text})`, ...parameters);
      return { check: () => check, lead: undefined };
    }
    case 'tag':
      return setOf(connection, [
        { table: 'file_tag', file: 'file', where: sql('key = ?', tagKey(condition.tag)), isFound: true },
      ]);
    case 'links':
      return setOf(connection, linksTo(connection, condition.target));
    case 'property':
      return setOf(connection, withProperty(pathKey(condition.name), condition.tests));
    case 'folder': {
      const key = pathKey(condition.folder);
      return ledBy(connection, sql('f.path_key >= ? AND f.path_key < ?', `${key}/`, `${key}0`));
    }
    case 'path':
      return ledBy(connection, sql('f.path_key = ?', pathKey(condition.path)));
    case 'name':
      return ledBy(connection, sql('f.name_key = ?', pathKey(condition.name)));
    case 'basename': {
      const key = pathKey(condition.name);
      const named = sql(
        '(f.name_key = ? OR (f.name_key >= ? AND f.name_key < ?))',
        key,
        `${key}.`,
        `${key}/`,
      );
      return ledBy(connection, named);
    }
    case 'prefix': {
      const { prefix } = condition;
      return ledBy(connection, sql('f.path >= ? AND f.path < ?', prefix, `${prefix}${LAST}`));
    }
    case 'ext': {
      const ending = `.${pathKey(condition.ext)}`;
      // A name whose only dot is its first character has no extension.
      const check = sql(
        'substr(f.name_key, ?) = ? AND length(f.name_key) > ?',
        -ending.length,
        ending,
        ending.length,
      );
      return { check: () => check, lead: undefined };
    }
    case 'number': {
      const check = numberCheck(condition);
      // The indexes on sizes and times have `kind` as their first column.
      const ofKinds = sql(`f.kind IN (${KINDS}) AND ${check.sql}`, ...check.parameters);
      return { check: () => check, lead: ledBy(connection, ofKinds).lead };
    }
  }
}

function allOf(parts: readonly CompiledCondition[]): CompiledCondition {
  const leads = parts.flatMap(({ lead }) => (lead === undefined ? [] : [lead]));
  const [shortest] = leads.sort((one, other) => one.files - other.files);
  return { check: joined(parts, ' AND ', '1'), lead: shortest };
}

/** A disjunction has a lead only when every alternative has one. */
function anyOf(parts: readonly CompiledCondition[]): CompiledCondition {
  const leads = parts.flatMap(({ lead }) => (lead === undefined ? [] : [lead]));
  const files = leads.reduce((sum, lead) => sum + lead.files, 0);
  const isLed = leads.length === parts.length && files < MANY;
  return {
    check: joined(parts, ' OR ', '0'),
    lead: isLed ? { ...union(leads.map(within)), files } : undefined,
  };
}

function joined(parts: readonly CompiledCondition[], operator: string, none: string) {
  return (files: number | undefined): Sql => {
    if (parts.length === 0) return sql(none);
    const checks = parts.map(({ check }) => check(files));
    return inBrackets(inRow(checks, operator));
  };
}

/** The condition that a file has a row in one of the sets. */
function setOf(connection: ReadConnection, sets: readonly Rows[]): CompiledCondition {
  const whole = union(
    sets.map(({ table, file, where }) =>
      sql(`SELECT ${file} AS file FROM ${table} WHERE ${where.sql}`, ...where.parameters),
    ),
  );
  const each = sets.map(({ table, file, where }) =>
    sql(`EXISTS (SELECT 1 FROM ${table} WHERE ${file} = f.id AND ${where.sql})`, ...where.parameters),
  );
  const areFound = sets.every(({ isFound }) => isFound);
  const check = (files: number | undefined): Sql => {
    if (files === undefined || (!areFound && files > FEW))
      return sql(`f.id IN (${whole.sql})`, ...whole.parameters);
    if (!areFound) return sql('1');
    return inBrackets(inRow(each, ' OR '));
  };
  return { check, lead: counted(connection, whole) };
}

/** A condition that an index of the table `file` answers. */
function ledBy(connection: ReadConnection, check: Sql): CompiledCondition {
  const lead = sql(`SELECT f.id AS file FROM file f WHERE ${check.sql}`, ...check.parameters);
  return { check: () => check, lead: counted(connection, lead) };
}

function counted(connection: ReadConnection, { sql: text, parameters }: Sql): CompiledCondition['lead'] {
  const row = connection.get(`SELECT count(*) AS n FROM (${text} LIMIT ${MANY})`, ...parameters);
  const files = Number(row?.n ?? 0);
  return files < MANY ? { sql: text, parameters, files } : undefined;
}

/** Nests a SELECT, as SQLite limits a compound SELECT to 500 terms and does not count nested ones. */
function within({ sql: text, parameters }: Sql): Sql {
  return sql(`SELECT file FROM (${text})`, ...parameters);
}

function union(parts: readonly Sql[]): Sql {
  return inRow(parts, ' UNION ALL ');
}

function numberCheck({ of, min, max }: Extract<FileCondition, { kind: 'number' }>): Sql {
  const column = { size: 'f.size', mtime: 'f.mtime', ctime: 'f.birthtime' }[of];
  const parts = [
    ...(min === undefined ? [] : [sql(`${column} >= ?`, min)]),
    ...(max === undefined ? [] : [sql(`${column} <= ?`, max)]),
  ];
  return parts.length === 0 ? sql('1') : inRow(parts, ' AND ');
}

/** Files with a property value that passes a test; notes with more values than are stored pass every test. */
function withProperty(key: string, tests: readonly ValueTest[] | undefined): readonly Rows[] {
  const own = (tests ?? [undefined]).map((test) => {
    const { sql: condition, parameters } = test === undefined ? sql('1') : valueCheck(test);
    const where = sql(`key = ? AND ${condition}`, key, ...parameters);
    return { table: 'property', file: 'file', where, isFound: test?.is === 'equal' };
  });
  const more = sql("key = ? AND value = '' AND type = 'null'", MORE_VALUES);
  return [...own, { table: 'property', file: 'file', where: more, isFound: true }];
}

function valueCheck(test: ValueTest): Sql {
  switch (test.is) {
    case 'filled':
      return sql("type <> 'null'");
    case 'equal':
      return sql(`value = ? AND type IN (${TYPES})`, test.value.normalize('NFC'));
    case 'between':
      return sql('value >= ? AND value < ?', test.from, test.to);
    case 'number': {
      const { min, max } = test;
      const parts = [
        sql("type = 'number'"),
        ...(min === undefined ? [] : [sql('CAST(value AS REAL) >= ?', below(min))]),
        ...(max === undefined ? [] : [sql('CAST(value AS REAL) <= ?', -below(-max))]),
      ];
      return inRow(parts, ' AND ');
    }
    case 'text':
      return sql("type = 'string'");
    case 'dated': {
      const { from = '', to = LAST } = test;
      return sql(`type = 'string' AND (value NOT GLOB '${DAY}' OR (value >= ? AND value < ?))`, from, to);
    }
  }
}

/** A slightly lower bound, as SQLite may convert text to a number with an error in the last digit. */
function below(bound: number): number {
  return bound - Math.abs(bound) * 1e-9;
}

/** A target with more name keys than this does not narrow the search: any file with a link passes. */
const MAX_LINK_KEYS = 100;

/** Files with a link that shares a name key with the files the target could refer to. */
function linksTo(connection: ReadConnection, target: string): readonly Rows[] {
  const keys = new Set([pathNameKey(target), ...linkKeys('', target, 'wiki', connection.dialect)]);
  for (const key of [...keys])
    for (const row of connection.all(
      'SELECT DISTINCT o.key FROM name n JOIN name o ON o.file = n.file WHERE n.key = ?',
      key,
    ))
      keys.add(String(row.key));
  if (keys.size > MAX_LINK_KEYS) return [{ table: 'link', file: 'source', where: sql('1'), isFound: true }];
  return [...keys].map(keyNumber).flatMap((key) => [
    { table: 'link', file: 'source', where: sql('key = ?', key), isFound: true },
    {
      table: 'link_extra_key k JOIN link l ON l.id = k.link',
      file: 'l.source',
      where: sql('k.key = ?', key),
      isFound: true,
    },
  ]);
}

function sql(text: string, ...parameters: SqlValue[]): Sql {
  return { sql: text, parameters };
}

/** Joins pieces with a separator. */
function inRow(parts: readonly Sql[], between: string): Sql {
  return {
    sql: parts.map(({ sql: text }) => text).join(between),
    parameters: parts.flatMap(({ parameters }) => parameters),
  };
}

function inBrackets({ sql: text, parameters }: Sql): Sql {
  return { sql: `(${text})`, parameters };
}
