import type { ErrorCode, LecternError } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { closest } from '../../nearest.ts';
import { type CatalogueTool, type FailedToolCall, type ToolAnswer, textAnswer } from '../catalogue.ts';
import { tellFailure } from './audit-lines.ts';
import { LIMIT_BYTES } from './limit.ts';
import { NAMES } from './names.ts';

/** The system's error codes and their HTTP statuses. */
const CODES = {
  not_found: ['not_found', 404],
  ambiguous: ['not_found', 404],
  conflict: ['conflict', 409],
  exists: ['already_exists', 409],
  too_large: ['too_large', 413],
  forbidden: ['forbidden_path', 403],
  read_only: ['forbidden_path', 403],
  invalid_path: ['invalid_path', 422],
  unavailable: ['upstream', 503],
  ai_unavailable: ['upstream', 503],
  timeout: ['upstream', 504],
  internal: ['internal', 500],
} as const satisfies Partial<Record<ErrorCode, readonly [string, number]>>;

type Facts = Readonly<Record<string, unknown>>;

/**
 * A failure in this system's form: facts and a next step as ordinary content. `isError` stays unset, because
 * some clients do not show the content of errors to the model.
 */
export function failure(error: LecternError, { tool, given }: FailedToolCall): ToolAnswer {
  if (error.code === 'invalid_input') return invalidArguments(tool.name, sentences(error));
  const [code, status] = CODES[error.code];
  const page = pageIn(given);
  const { facts, remediation, logged } = wordsFor(error, code, { tool: tool.name, page, given });
  tellFailure(tool.name, code, page, logged);
  const payload = { error: code, status, message: error.message, ...facts, remediation };
  return textAnswer(JSON.stringify(payload, null, 2));
}

/** Errors that this system's SDK answers itself: only these are marked as errors. */
export function invalidArguments(tool: string, problem: string): ToolAnswer {
  return textAnswer(
    `MCP error -32602: Input validation error: Invalid arguments for tool ${tool}: ${problem}`,
    true,
  );
}

export function unknownTool(name: string, offered: readonly CatalogueTool[]): ToolAnswer {
  const shown = name.slice(0, 100);
  // As for a disabled tool: the caller may only read, or the owner disabled it.
  if (NAMES.has(name)) return textAnswer(`MCP error -32602: Tool ${name} disabled`, true);
  const meant = closest(
    shown,
    offered.map((tool) => tool.name),
  );
  const hint = meant === undefined ? '' : `. Did you mean ${meant}?`;
  return textAnswer(`MCP error -32602: Tool ${shown} not found${hint}`, true);
}

interface Words {
  readonly facts: Facts;
  readonly remediation: string;
  /** Further facts for the host's log. */
  readonly logged?: Readonly<Record<string, number>>;
}

interface Call {
  readonly tool: string;
  readonly page: string | undefined;
  readonly given: unknown;
}

function wordsFor(error: LecternError, code: string, call: Call): Words {
  const { details, next } = error;
  const path = typeof details.path === 'string' ? { path: details.path } : {};
  switch (code) {
    case 'conflict':
      return conflict(path, call);
    case 'not_found':
      return { facts: path, remediation: whereElse(call.tool, details.suggestions) };
    case 'already_exists':
      return {
        facts: path,
        remediation: 'Pick another name, or read_page and write_page to overwrite what is there.',
      };
    case 'too_large': {
      const bytes = typeof details.bytes === 'number' ? details.bytes : undefined;
      const limit = typeof details.limit === 'number' ? details.limit : LIMIT_BYTES;
      return {
        facts: { ...path, ...(bytes !== undefined && { bytes }), limit },
        remediation: 'Split the text into smaller pages, or shorten it.',
        logged: { ...(bytes !== undefined && { bytes }), limit },
      };
    }
    case 'forbidden_path':
      return { facts: path, remediation: next ?? 'Pick another place.' };
    case 'invalid_path':
      return {
        facts: {
          input: typeof details.input === 'string' ? details.input : (call.page ?? ''),
          reason: typeof details.reason === 'string' ? details.reason : error.message,
        },
        remediation:
          next ?? 'Use a path without ".", "..", empty segments or a double .md, e.g. projects/boat.',
      };
    case 'upstream':
      return {
        facts: { ...path, transient: true },
        remediation: `The notes cannot be reached at the moment. Try again in a moment.${next === undefined ? '' : ` ${next}`}`,
      };
    default:
      return {
        facts: { tool: call.tool, ...(call.page !== undefined && { page: call.page }) },
        remediation: next ?? 'Try once more; if it fails again, the log of the server says why.',
      };
  }
}

/** Without the current version: a client must read the page before it overwrites it. */
function conflict(path: Facts, { tool, given }: Call): Words {
  const expected = isRecord(given) ? Number(given.expected_last_modified) : Number.NaN;
  if (tool !== 'write_page')
    return { facts: path, remediation: 'The page was changed meanwhile. Read it again, then decide anew.' };
  return {
    facts: { ...path, ...(Number.isFinite(expected) && { expectedLastModified: expected }) },
    remediation: 'Read the page again and call write_page with the lastModified that read_page returns.',
    ...(Number.isFinite(expected) && { logged: { expected } }),
  };
}

/** Tools that change an existing page. */
const CHANGING: ReadonlySet<string> = new Set(['write_page', 'append_to_page', 'prepend_to_page']);

function whereElse(tool: string, suggestions: unknown): string {
  const [meant] = Array.isArray(suggestions) ? suggestions : [];
  const hint = typeof meant === 'string' ? `Did you mean ${meant}? ` : '';
  return CHANGING.has(tool)
    ? `${hint}Use create_page for new pages.`
    : `${hint}Check the name with list_pages; with include_trash it shows deleted pages too.`;
}

function pageIn(given: unknown): string | undefined {
  if (!isRecord(given)) return undefined;
  const page = given.page ?? given.from;
  return typeof page === 'string' ? page.slice(0, 500) : undefined;
}

function sentences({ message, next }: LecternError): string {
  return next === undefined ? message : `${message} ${next}`;
}
