import { isRecord } from '../../is-record.ts';
import { ToolError } from './failures.ts';
import { optionalText } from './tool.ts';

/** The changes of a body in a call; `body` excludes the others. */
export interface BodyChanges {
  readonly body?: string | undefined;
  readonly prepend?: string | undefined;
  readonly append?: string | undefined;
  readonly replace?: { readonly find: string; readonly replace: string } | undefined;
}

/** @throws ToolError for an empty or malformed replacement */
export function bodyChanges(given: Readonly<Record<string, unknown>>): BodyChanges | undefined {
  const body = optionalText(given, 'body');
  if (body !== undefined) return { body };
  const prepend = optionalText(given, 'prepend');
  const append = optionalText(given, 'append');
  const replace = replacement(given.replace_text);
  if (prepend === undefined && append === undefined && replace === undefined) return undefined;
  return { prepend, append, replace };
}

function replacement(given: unknown): BodyChanges['replace'] {
  if (given === undefined || given === null) return undefined;
  if (!isRecord(given) || typeof given.find !== 'string' || typeof given.replace !== 'string')
    throw new ToolError('"replace_text" must be an object with the strings "find" and "replace"');
  const { find, replace } = given;
  if (find === '') throw new ToolError('"replace_text.find" must not be empty');
  return { find, replace };
}

/**
 * Prepends, then appends, then replaces in the result.
 *
 * @throws ToolError when the text to replace does not occur, or occurs more than once, overlapping
 *   occurrences included
 */
export function changedBody(old: string, { body, prepend = '', append = '', replace }: BodyChanges): string {
  if (body !== undefined) return body;
  const grown = prepend + old + append;
  if (replace === undefined) return grown;
  const find = replace.find.replace(/\r\n?/g, '\n');
  const at = grown.indexOf(find);
  if (at < 0) throw new ToolError('replace_text: "find" string not found in body');
  if (grown.indexOf(find, at + 1) >= 0)
    throw new ToolError(
      'replace_text: "find" string appears more than once; pass more context to make it unique',
    );
  return grown.slice(0, at) + replace.replace + grown.slice(at + find.length);
}
