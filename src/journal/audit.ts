/**
 * The audit record: every write and every refused call, with its caller and outcome. It never contains note
 * text or credentials.
 */
export interface AuditRecord {
  /** ISO 8601. */
  readonly time: string;
  /**
   * `failed` = an allowed write without effect; `consent` = actions on the owner's own pages; `sent` = text
   * of notes was sent to a language model.
   */
  readonly event: 'write' | 'failed' | 'refused' | 'consent' | 'sent';
  readonly outcome: 'ok' | 'partial' | 'error' | 'cancelled' | 'refused';
  /** Why it was refused or failed. */
  readonly code?: string;
  /** `mcp`, `rest`, `cli`. */
  readonly door?: string;
  /** The owner's name for the token; without a token the client's or user's own name. */
  readonly who?: string;
  /** Id of the token or grant; otherwise of the connection. */
  readonly credential?: string;
  /** The client's own name. */
  readonly client?: string;
  /** Address of an HTTP client. */
  readonly address?: string;
  readonly tool?: string;
  /** For a failed call: the places it named, as the caller wrote them. */
  readonly paths?: Readonly<Record<string, string>>;
  /** For a failed call: the etag it was based on. */
  readonly before?: string;
  /** The effects of a write, file by file; only the first ones when there are many. */
  readonly changes?: readonly AuditedChange[];
  /** The language model text was sent to: provider, model and host; without a host the client's own. */
  readonly provider?: string;
  readonly model?: string;
  readonly host?: string;
  /** Notes whose text was sent; only the first ones when there are many. */
  readonly sent_paths?: readonly string[];
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  /** Number of those notes. */
  readonly files?: number;
  /**
   * For a write by a caller that does not see every note: notes with a link whose target changed. Updating
   * the link would have revealed a hidden note.
   */
  readonly links_turned?: readonly string[];
  /** The changed setting, for a change of the configuration file. */
  readonly setting?: string;
  /** The write's number in the journal. */
  readonly write_id?: number;
  /** The number of refusals at the door that are counted instead of listed. */
  readonly left_out?: number;
  /** A crash interrupted the write; it was finished later. */
  readonly recovered?: true;
}

export interface AuditedChange {
  readonly action: string;
  readonly path: string;
  /** Its path after a move. */
  readonly to?: string;
  readonly before?: string;
  readonly after?: string;
  /** The file had been changed meanwhile and was not written. */
  readonly failed?: true;
}

/** Destination of audit records. */
export interface AuditLog {
  append(record: AuditRecord): void;
  /** Resolves when everything appended so far is stored. */
  flush(): Promise<void>;
}
