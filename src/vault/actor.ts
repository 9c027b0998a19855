/** Who acts, for the journal and the audit log. */
export interface Actor {
  readonly kind: 'mcp' | 'rest' | 'cli' | 'console' | 'fs';
  /** Client or token name. */
  readonly name: string;
  /** One connection or token, so that "everything this session did" can be undone. */
  readonly session: string;
  /** What the client calls itself, when that is not the name. */
  readonly client?: string;
  /** Where a request over HTTP comes from. */
  readonly address?: string;
  /** The tool that was called, when it differs from the operation's name: `joplin/update_note`. */
  readonly tool?: string;
}
