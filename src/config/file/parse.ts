import { dirname } from 'node:path';
import { type Document, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { LecternError } from '../../errors.ts';
import { fileValue, SETTING_TABLE } from '../setting-rows.ts';
import { fullPlace } from '../store-place.ts';
import { complaint } from './complaint.ts';
import { fromHome } from './place.ts';
import { type ConfigValues, configSchema, type SecretReference } from './schema.ts';

/** A valid configuration file. */
export interface ConfigFile {
  readonly path: string;
  /** The text in the file. */
  readonly source: string;
  /** Folders and files are absolute. */
  readonly values: ConfigValues;
  /** The 1-based line of a setting; undefined when it is not in the file. */
  lineOf(key: readonly string[]): number | undefined;
}

/** Longest file, UTF-16 code units. */
const MAX_LENGTH = 1024 * 1024;

/**
 * Parses the text of a configuration file. A file without settings, for example all comments, is valid.
 *
 * @throws LecternError `invalid_input` naming the line and what to write instead
 */
export function parseConfig(source: string, path: string): ConfigFile {
  if (source.length > MAX_LENGTH) {
    throw new LecternError('invalid_input', `The configuration file ${path} is larger than 1 MiB.`);
  }
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const { line } = lines.linePos(broken.pos[0]);
    throw new LecternError('invalid_input', `${path}:${line}: ${broken.message}.`.replace(/\.\.$/, '.'), {
      next: 'Correct the YAML and try again.',
    });
  }
  const lineOf = (key: readonly PropertyKey[]): number | undefined => {
    const node: unknown = document.getIn(key, true);
    const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
    return Array.isArray(range) ? lines.linePos(Number(range[0])).line : undefined;
  };
  const parsed = configSchema.safeParse(plainValue(document, path) ?? {});
  if (!parsed.success) throw refused(parsed.error, path, lineOf);
  return { path, source, values: absolute(parsed.data as ConfigValues, dirname(path)), lineOf };
}

/** @throws LecternError for undefined anchors, and for aliases that would expand without limit */
function plainValue(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 20 });
  } catch (error) {
    throw new LecternError('invalid_input', `${path} cannot be read: its anchors (&, *) do not add up.`, {
      cause: error,
      next: 'Write the values out instead.',
    });
  }
}

function refused(
  error: z.ZodError,
  path: string,
  lineOf: (key: readonly PropertyKey[]) => number | undefined,
): LecternError {
  const { key, message, next } = complaint(error, configSchema);
  const line = lineOf(key) ?? lineOf(key.slice(0, -1));
  const where = line === undefined ? path : `${path}:${line}`;
  return new LecternError('invalid_input', `${where}: ${message}`, { details: { key: key.join('.') }, next });
}

/** Every folder and file named by the values, resolved from the file's folder. */
function absolute(values: ConfigValues, base: string): ConfigValues {
  const at = (path: string) => fromHome(path, base);
  let result = values;
  for (const { key, kind, names } of SETTING_TABLE) {
    const value = fileValue(values, key);
    if (value === undefined) continue;
    if (names === 'path') result = withValue(result, key, at(String(value)));
    if (kind !== 'secret') continue;
    const secret = value as SecretReference;
    if ('file' in secret) result = withValue(result, key, { file: at(secret.file) });
  }
  if (values.vaults === undefined) return result;
  const vaults = Object.entries(values.vaults).map(([name, vault]) => [
    name,
    typeof vault === 'string' ? fullPlace(vault, base) : { ...vault, path: fullPlace(vault.path, base) },
  ]);
  return { ...result, vaults: Object.fromEntries(vaults) };
}

function withValue<T extends object>(values: T, [first = '', ...rest]: readonly string[], value: unknown): T {
  const inner = fileValue(values, [first]);
  return {
    ...values,
    [first]: rest.length === 0 ? value : withValue(inner as object, rest, value),
  };
}
