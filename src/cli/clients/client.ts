import type { Places } from './places.ts';

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

export type ClientFormat = 'json' | 'yaml' | 'toml';

/** An MCP client that is configured by a file: its location, and the form of an entry. */
export interface McpClient {
  /** The name in commands: `claude-desktop`. */
  readonly id: string;
  readonly name: string;
  /** JSON may contain comments if the client permits them. */
  readonly format: ClientFormat;
  /** Path of this user's file, which may not exist yet. */
  file(places: Places): string;
  /** Folders or files that exist after the client's first start; one of them is enough to detect it. */
  traces(places: Places): readonly string[];
  /**
   * Keys that lead to the servers in the file.
   *
   * @param document the parsed file; undefined for an empty or missing one
   */
  keys(document: unknown): readonly [string, ...string[]];
  /** True when the servers are a list whose items have a `name`, instead of a map by name. */
  readonly isList?: boolean;
  /** Further content of a new file. */
  readonly fresh?: Readonly<Record<string, unknown>>;
  /** The entry that makes the client start a server. */
  entry(command: Command): Readonly<Record<string, unknown>>;
  /** The command of an entry of the file; undefined for a server that is reached by an address. */
  command(entry: Readonly<Record<string, unknown>>): Command | undefined;
  /** What the user must do for the client to read the file again. */
  readonly afterwards: string;
}

/** The name of our entry in every client. */
export const ENTRY_NAME = 'lectern';
