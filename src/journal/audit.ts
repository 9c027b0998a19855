/**
 * What the owner can look up later: every write, every refused call, who it was, and how it ended. Never
 * note text, never a credential.
 */
export interface AuditRecord {
  /** ISO 8601. */
  readonly time: string;
  /**
   * `failed` = a write that was allowed and came to nothing; `consent` = what happened on the owner's own pages;
   * `sent` = text of notes went to a language model.
   */
  readonly event: 'write' | 'failed' | 'refused' | 'consent' | 'sent';
  readonly outcome: 'ok' | 'partial' | 'error' | 'cancelled' | 'refused';
  /** Why it was refused or failed. */
  readonly code?: string;
  /** `mcp`, `rest`, `cli`. */
  readonly door?: string;
  /** What the owner called the token; without one the client's or the user's own name. */
  readonly who?: string;
  /** Id of the token or grant; without one of the connection. */
  readonly credential?: string;
  /** What the client calls itself. */
  readonly client?: string;
  /** Where a request over HTTP came from. */
  readonly address?: string;
  readonly tool?: string;
  /** Of a call that came to nothing: where it was aimed, as the caller wrote it. */
  readonly paths?: Readonly<Record<string, string>>;
  /** Of such a call: the etag it was based on. */
  readonly before?: string;
  /** What a write did, file by file; the first ones only when there are many. */
  readonly changes?: readonly AuditedChange[];
  /** Of what was sent to a language model: whose, which, and at which host; without one the client's own. */
  readonly provider?: string;
  readonly model?: string;
  readonly host?: string;
  /** Notes whose text was part of it; the first ones only when there are many. */
  readonly sent_paths?: readonly string[];
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  /** How many files that were in all. */
  readonly files?: number;
  /**
   * Of a write by somebody who does not see every note: notes with a link that leads elsewhere now. Keeping it
   * right would have told of the note it led to.
   */
  readonly links_turned?: readonly string[];
  /** Of a change of the configuration file: which setting. */
  readonly setting?: string;
  /** The write's number in the journal. */
  readonly write_id?: number;
  /** How many refusals at the door are not told one by one. */
  readonly left_out?: number;
  /** A crash had interrupted the write; it was finished later. */
  readonly recovered?: true;
}

export interface AuditedChange {
  readonly action: string;
  readonly path: string;
  /** Where a move took it. */
  readonly to?: string;
  readonly before?: string;
  readonly after?: string;
  /** This file had been changed meanwhile and was left alone. */
  readonly failed?: true;
}

/** Where audit records go. */
export interface AuditLog {
  append(record: AuditRecord): void;
  /** Resolves when everything appended so far is kept. */
  flush(): Promise<void>;
}
