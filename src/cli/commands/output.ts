import type * as z from 'zod';
import type { LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { summaryOf } from '../../operations/call/summary.ts';
import type { Operation } from '../../operations/operation.ts';
import { rowsKey } from '../../operations/shared/rows.ts';
import { asCommands } from './command-words.ts';
import { table } from './table.ts';
import { terminalWidth, wrapped } from './wrap.ts';

type Output = z.output<z.ZodObject>;

export interface OutputStyle {
  readonly json: boolean;
  /** Whether JSON was requested by a flag. */
  readonly jsonAsked?: boolean;
  readonly colour: boolean;
  /** Whether the output is a terminal; control sequences in notes are then disabled. */
  readonly terminal: boolean;
  /** Columns of the terminal; undefined = unlimited. */
  readonly width: number | undefined;
}

/** JSON when requested or when the output is no terminal; colours only on a terminal, unless turned off. */
export function outputStyle(
  flags: { readonly json?: boolean; readonly text?: boolean; readonly color?: boolean },
  stdout: { readonly isTTY?: boolean; readonly columns?: number },
  environment: Readonly<Record<string, string | undefined>>,
): OutputStyle {
  const terminal = stdout.isTTY === true;
  const wanted = flags.color !== false && !environment.NO_COLOR && environment.TERM !== 'dumb';
  return {
    json: flags.json === true || (!terminal && flags.text !== true),
    jsonAsked: flags.json === true,
    colour: terminal && wanted,
    terminal,
    width: terminal ? terminalWidth(stdout.columns) : undefined,
  };
}

/** The text that a command prints for an answer. */
export function renderOutput(
  operation: Operation,
  output: Output,
  input: Output,
  style: OutputStyle,
): string {
  const own = style.jsonAsked === true ? undefined : operation.ownText?.(output);
  if (own !== undefined) return printable(`${own}\n`, style);
  if (style.json) return `${JSON.stringify(output)}\n`;
  // Only the text of the note, so that it can be piped or redirected with --text.
  if (operation.name === 'note_read' && typeof output.body === 'string' && input.include === undefined)
    return printable(
      output.body.endsWith('\n') || output.body === '' ? output.body : `${output.body}\n`,
      style,
    );
  const key = rowsKey(operation);
  const columns = operation.inColumns?.(output);
  const rows = columns?.rows ?? (key === undefined ? undefined : output[key]);
  const detail =
    Array.isArray(rows) && rows.length > 0 && !arePassages(rows) && !NO_TABLE.has(operation.name)
      ? [
          table(style.terminal ? rows.map((row) => forEyes(row, operation.name)) : rows, style),
          columns?.below,
        ]
          .filter(Boolean)
          .join('\n')
      : wrapped(operation.render(output, input), style.width, '  ');
  const summary = bold(wrapped(asCommands(summaryOf(operation, output, input)), style.width), style);
  return printable(detail === '' ? `${summary}\n` : `${detail.trimEnd()}\n${summary}\n`, style);
}

/** Answers with more than one list, of which a table would show only the first. */
const NO_TABLE: ReadonlySet<string> = new Set(['canvas_read']);

/** Columns that a table leaves out, as the write's summary already names its files. */
const SAID_TWICE: Readonly<Record<string, readonly string[]>> = { note_history: ['paths', 'files'] };

function forEyes(row: unknown, operation: string): unknown {
  const leftOut = SAID_TWICE[operation];
  if (leftOut === undefined || !isRecord(row)) return row;
  return Object.fromEntries(Object.entries(row).filter(([key]) => !leftOut.includes(key)));
}

/** Whether rows contain passages of text, which do not fit into columns. */
function arePassages(rows: readonly unknown[]): boolean {
  return rows.some((row) => isRecord(row) && 'snippet' in row);
}

/** The text of an error: one line of JSON, or a message with the next step. */
export function renderError(error: LecternError, { json, width }: OutputStyle): string {
  const { code, message, details, next } = error;
  if (json) return `${JSON.stringify({ code, message, details, ...(next !== undefined && { next }) })}\n`;
  const said = `lectern: ${message}${next === undefined ? '' : ` ${next}`}`;
  return `${wrapped(printableText(said), width)}\n`;
}

function bold(text: string, { colour }: OutputStyle): string {
  return colour ? `\u001b[1m${printableText(text)}\u001b[22m` : text;
}

/** Disables control sequences of notes on a terminal, which would execute them; our own colours stay. */
function printable(text: string, style: OutputStyle): string {
  return style.terminal ? printableText(text, style.colour) : text;
}

/**
 * Replaces control characters by U+FFFD, except line feeds, tabs and, if kept, the sequences of our own
 * colours.
 */
export function printableText(text: string, keepColours = false): string {
  const clean = text
    .replace(/\r(?=\n)/g, '')
    .replace(/[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f-\u009f]/g, '\u{fffd}');
  return clean.replace(keepColours ? /\u001b(?!\[(?:1|2|22|36|39)m)/g : /\u001b/g, '\u{fffd}');
}
