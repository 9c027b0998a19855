import type { LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import type { ToolAnswer } from '../catalogue.ts';

/** Clients cut error texts at about 1 KB. */
const MAX_TEXT_BYTES = 1000;
const LIST_SHOWN = 10;
const STRING_SHOWN = 200;

/**
 * The error style of indx: `isError` with `{code, message, details, next}`. The text contains the same below
 * a line with the message and the next step.
 */
export function indxFailure(error: LecternError): ToolAnswer {
  const next = error.next ?? 'Check the arguments and try again.';
  const details = error.code === 'conflict' ? withoutEtags(error.details) : error.details;
  const body = { code: error.code, message: error.message, details: bounded(details), next };
  const first = `${error.message} ${next}`;
  return {
    content: [{ type: 'text', text: textOf(first, body) }],
    structuredContent: body,
    isError: true,
  };
}

function textOf(first: string, body: Record<string, unknown>): string {
  const full = `${first}\n${JSON.stringify(body)}`;
  if (Buffer.byteLength(full) <= MAX_TEXT_BYTES) return full;
  // The first line contains the message and the next step; the remaining facts follow.
  return `${first}\n${JSON.stringify({ code: body.code, details: body.details })}`;
}

/** Without the current version: the caller must read the file before it writes again. */
function withoutEtags(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !/etag|version/i.test(key))
      .map(([key, inner]) => [key, isRecord(inner) ? withoutEtags(inner) : inner]),
  );
}

function bounded(value: unknown, depth = 0): unknown {
  if (typeof value === 'string')
    return value.length > STRING_SHOWN ? `${value.slice(0, STRING_SHOWN)}…` : value;
  if (Array.isArray(value)) {
    const rows = value.slice(0, LIST_SHOWN).map((item) => bounded(item, depth + 1));
    return value.length > LIST_SHOWN ? [...rows, `… ${value.length - LIST_SHOWN} more`] : rows;
  }
  if (!isRecord(value)) return value;
  if (depth > 4) return '…';
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, bounded(inner, depth + 1)]));
}
