import type { Places } from './places.ts';

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

export type ClientFormat = 'json' | 'yaml' | 'toml';

/** One client of MCP servers that is set up by a file: where it is, and how an entry in it looks. */
export interface McpClient {
  /** As people type it: `claude-desktop`. */
  readonly id: string;
  readonly name: string;
  /** JSON may have comments in it where the client lets it. */
  readonly format: ClientFormat;
  /** The file of this user. It need not be there yet. */
  file(places: Places): string;
  /** Folders or files that are there when the client has been started once; any of them is enough. */
  traces(places: Places): readonly string[];
  /**
   * Where in the file its servers are.
   * @param document what the file holds; undefined when there is nothing yet
   */
  keys(document: unknown): readonly [string, ...string[]];
  /** The servers are a list and each says its name, instead of names with a server each. */
  readonly isList?: boolean;
  /** What a file that is made anew has to hold besides. */
  readonly fresh?: Readonly<Record<string, unknown>>;
  /** How it is told to start a server. */
  entry(command: Command): Readonly<Record<string, unknown>>;
  /** The command of an entry as it stands in the file; undefined for a server that is not started but called. */
  command(entry: Readonly<Record<string, unknown>>): Command | undefined;
  /** What its person does so that it reads the file again. */
  readonly afterwards: string;
}

/** The name of our entry in every client. */
export const ENTRY_NAME = 'lectern';
