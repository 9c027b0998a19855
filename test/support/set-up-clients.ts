import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { runInNewContext } from 'node:vm';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import type { McpClient } from '../../src/cli/clients/client.ts';
import { placesOf } from '../../src/cli/clients/places.ts';

/** `lectern init` as a person runs it, in a home folder made for the test. */

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program and never throws for how it ends. */
export function run(file: string, args: readonly string[], env: Record<string, string>): Promise<Run> {
  return new Promise((resolve) => {
    execFile(file, [...args], { env, cwd: env.HOME }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
}

/** Settings as people have them already: comments, tabs, CRLF, a byte order mark, no line ending at the end. */
export const OWN_SETTINGS: Readonly<Record<string, string>> = {
  '.cursor/mcp.json': '{\n  "mcpServers": {\n    "a": { "command": "b" }\n  }\n}',
  '.config/zed/settings.json':
    '// Zed settings\n//\n{\n\t"theme": "One Dark", // dark\n\t"vim_mode": true,\n}\n',
  '.config/Code/User/mcp.json': '{\r\n  "servers": {},\r\n  "inputs": []\r\n}\r\n',
  '.gemini/settings.json': '\ufeff{"theme":"x"}',
  '.config/opencode/opencode.jsonc': '{ "mcp": { "servers": { /* none yet */ } } }',
  '.codex/config.toml': '# mine\nmodel = "o"\n\n[mcp_servers.other]\ncommand = "x" # y\n',
  '.config/goose/config.yaml':
    "GOOSE_MODE: 'auto' # careful\nextensions:\n    developer:\n        type: builtin\n# end",
  '.continue/config.yaml': 'name: Mine\nversion: 0.0.1\nschema: v1\nmodels: [] # none\n',
};

export function writeSettings(home: string, settings: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(settings)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
}

/** Every file and folder below a folder: kind, mode, and what is in it. */
export function pictureOf(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const mode = (statSync(path).mode & 0o777).toString(8);
      const content = entry.isFile()
        ? createHash('sha256').update(readFileSync(path)).digest('hex')
        : entry.isSymbolicLink()
          ? readlinkSync(path)
          : '';
      return `${relative(folder, path)} ${mode} ${content}`;
    })
    .sort();
}

const READERS: Readonly<Record<McpClient['format'], (text: string) => unknown>> = {
  // Comments and commas at the end are JavaScript; a file without them has to be JSON.
  json: (text) =>
    /\/\/|\/\*|,\s*[}\]]/.test(text)
      ? JSON.parse(JSON.stringify(runInNewContext(`(${text.replace(/^\ufeff/, '')})`)))
      : JSON.parse(text.replace(/^\ufeff/, '')),
  yaml: parseYaml,
  toml: parseToml,
};

/** What a client makes of its own file: read by a parser of the format, by the names its documentation gives. */
export function commandIn(client: McpClient, home: string): readonly string[] {
  const text = readFileSync(client.file(placesOf({ HOME: home })), 'utf8');
  const root = READERS[client.format](text) as Record<string, Record<string, unknown>>;
  switch (client.id) {
    case 'vscode':
      return programOf(root.servers?.lectern);
    case 'zed':
      return programOf(root.context_servers?.lectern);
    case 'codex':
      return programOf(root.mcp_servers?.lectern);
    case 'continue':
      return programOf(
        (root.mcpServers as unknown as { name: string }[]).find(({ name }) => name === 'lectern'),
      );
    case 'goose': {
      const { cmd, args } = (root.extensions?.lectern ?? {}) as { cmd: string; args: string[] };
      return [cmd, ...args];
    }
    case 'opencode': {
      const servers = (root.mcp?.servers ?? root.mcp) as Record<string, { command: string[] }>;
      return servers.lectern?.command ?? [];
    }
    default:
      return programOf(root.mcpServers?.lectern);
  }
}

function programOf(entry: unknown): readonly string[] {
  const { command, args } = entry as { command: string; args: string[] };
  return [command, ...args];
}

/**
 * Starts the command that stands in the file of each client, with nothing on the path, and asks it something. Clients whose
 * files say the same command share one start of it.
 */
export async function askEach(
  clients: readonly McpClient[],
  home: string,
  tool: string,
  args: Record<string, unknown>,
): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  const byCommand = new Map<string, string>();
  for (const client of clients) {
    const written = commandIn(client, home);
    const key = JSON.stringify(written);
    const answer = byCommand.get(key) ?? (await answerOf(written, home, tool, args));
    byCommand.set(key, answer);
    answers[client.id] = answer;
  }
  return answers;
}

async function answerOf(
  [command = '', ...rest]: readonly string[],
  home: string,
  tool: string,
  args: Record<string, unknown>,
): Promise<string> {
  const mcp = new Client({ name: 'set-up', version: '1.0.0' });
  await mcp.connect(
    new StdioClientTransport({ command, args: rest, env: { HOME: home, PATH: '' }, stderr: 'ignore' }),
  );
  try {
    return JSON.stringify(await mcp.callTool({ name: tool, arguments: args }));
  } finally {
    await mcp.close();
  }
}
