import type { Answer, Command, McpProcess, ToolCall } from '../support/mcp-process.ts';

/** One server of the comparison: how to start it, and which of its tools does what. A server without such a tool leaves it out. */
export interface Peer {
  readonly name: string;
  readonly version: string;
  /**
   * @param vault the folder with the notes
   * @param home where the server may keep what it likes: its home and state folder
   */
  serve(vault: string, home: string): Command;
  /** What has to be done once, before the first start, for searches to answer. */
  prepare?(vault: string, home: string): Promise<void>;
  /** Waits until answers are complete, where a server says so. */
  ready?(server: McpProcess): Promise<void>;
  /** Waits until nothing more goes on in the background that would be timed with other servers' answers. */
  settle?(server: McpProcess): Promise<void>;
  search(query: string, limit: number): ToolCall;
  /** How many hits an answer to `search` shows. */
  hits(answer: Answer): number;
  read(path: string): ToolCall;
  setProperty?(path: string, key: string, value: string): ToolCall;
  /** Into the front matter; for servers that cannot set any other property. */
  addTag?(path: string, tag: string): ToolCall;
  replaceText?(path: string, from: string, to: string): ToolCall;
  append?(path: string, text: string): ToolCall;
  move?(from: string, to: string): ToolCall;
  backlinks?(path: string): ToolCall;
}

/** Keeps a server from reading or writing in the home of whoever runs the comparison. */
export function homeAt(folder: string): Record<string, string> {
  return {
    HOME: folder,
    XDG_CONFIG_HOME: `${folder}/config`,
    XDG_CACHE_HOME: `${folder}/cache`,
    XDG_DATA_HOME: `${folder}/data`,
    XDG_STATE_HOME: `${folder}/state`,
  };
}

/** @returns the length of a list somewhere in an answer's facts, 0 when it is not there */
export function listLength(value: unknown, ...keys: readonly string[]): number {
  let at = value;
  for (const key of keys)
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[key] : undefined;
  return Array.isArray(at) ? at.length : 0;
}
