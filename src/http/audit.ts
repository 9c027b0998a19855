import type { ToolResult } from '../catalogues/catalogue.ts';
import type { CallWatcher } from '../mcp/tool-call.ts';

/** Where audit records go. Never note text, never a credential. */
export interface AuditLog {
  append(record: AuditRecord): void;
}

export interface AuditRecord {
  /** ISO 8601. */
  readonly time: string;
  readonly event: 'write' | 'refused' | 'consent';
  /** What the owner called the credential, and its id. */
  readonly who?: string;
  readonly credential?: string;
  /** What the client calls itself. */
  readonly client?: string;
  readonly address: string;
  readonly tool?: string;
  readonly paths?: Readonly<Record<string, string>>;
  /** Etag that the caller based the write on. */
  readonly before?: string;
  readonly after?: string;
  readonly write_id?: number;
  readonly outcome: 'ok' | 'error' | 'cancelled' | 'refused';
  readonly code?: string;
  readonly ms?: number;
}

export interface AuditedCaller {
  readonly name: string;
  readonly id: string;
  readonly address: string;
}

/** Arguments that say where; all others may be text of notes. */
const PLACES = ['vault', 'path', 'from', 'to', 'trash_path'] as const;
const MAX_LENGTH = 500;
const REFUSALS: ReadonlySet<unknown> = new Set(['forbidden', 'read_only']);

/** Writes down every write and every refused call of one caller. */
export function auditCalls(log: AuditLog, { name, id, address }: AuditedCaller): CallWatcher {
  const who = { who: name, credential: id, address };
  return {
    begin: ({ tool, arguments: given, client }) => {
      const input = isRecord(given) ? given : {};
      return ({ outcome, ms }) => {
        // A call that asks back has done nothing yet; it is made again.
        if (outcome?.kind === 'question') return;
        const result = resultOf(outcome);
        const wrote = !tool.annotations.readOnlyHint && input.dry_run !== true;
        if (!wrote && result.outcome !== 'refused') return;
        log.append({
          time: new Date().toISOString(),
          event: result.outcome === 'refused' ? 'refused' : 'write',
          ...who,
          client,
          tool: tool.name,
          paths: places(input),
          ...(typeof input.if_match === 'string' && { before: input.if_match.slice(0, MAX_LENGTH) }),
          ...result,
          ms,
        });
      };
    },
    refused: ({ tool, client }) =>
      log.append({
        time: new Date().toISOString(),
        event: 'refused',
        ...who,
        client,
        tool: tool.slice(0, MAX_LENGTH),
        outcome: 'refused',
        code: 'unknown_tool',
      }),
  };
}

function resultOf(
  outcome: ToolResult | undefined,
): Pick<AuditRecord, 'outcome' | 'code' | 'after' | 'write_id'> {
  if (outcome === undefined) return { outcome: 'cancelled' };
  if (outcome.kind === 'protocol') return { outcome: 'error', code: String(outcome.code) };
  const { code, etag, write_id } = outcome.structured ?? {};
  if (outcome.isError) {
    return {
      outcome: REFUSALS.has(code) ? 'refused' : 'error',
      ...(typeof code === 'string' && { code }),
    };
  }
  return {
    outcome: 'ok',
    ...(typeof etag === 'string' && { after: etag }),
    ...(typeof write_id === 'number' && { write_id }),
  };
}

function places(input: Record<string, unknown>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const key of PLACES) {
    const value = input[key];
    if (typeof value === 'string') found[key] = value.slice(0, MAX_LENGTH);
  }
  return found;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
