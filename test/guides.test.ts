import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GUIDES = join(ROOT, 'docs', 'guides');
const ETAG = /(?<=\betag )[0-9a-f]{16}\b/g;

interface Answer {
  readonly text: string;
  readonly failed: boolean;
  readonly structured: Record<string, unknown>;
}

/** The built server on a copy of the sample vault, over the pipe a client uses. */
class Server {
  readonly #folder = mkdtempSync(join(tmpdir(), 'lectern-guide-'));
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #id = 0;

  constructor() {
    const vault = join(this.#folder, 'sample-vault');
    cpSync(join(ROOT, 'sample-vault'), vault, { recursive: true });
    const args = [
      'dist/lectern.js',
      'mcp',
      'serve',
      '--vault',
      vault,
      '--state',
      join(this.#folder, 'state'),
    ];
    this.#process = spawn(process.execPath, args, { cwd: ROOT });
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  async open(): Promise<void> {
    await this.#request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'guide', version: '1' },
    });
    while ((await this.call('vault_status', {})).structured.index === 'building') await setTimeout(50);
  }

  async call(name: string, args: object): Promise<Answer> {
    const result = await this.#request('tools/call', { name, arguments: args });
    const content = result.content as { text: string }[];
    return {
      text: content.map((block) => block.text).join('\n'),
      failed: result.isError === true,
      structured: (result.structuredContent ?? {}) as Record<string, unknown>,
    };
  }

  async close(): Promise<void> {
    this.#process.stdin.end();
    await once(this.#process, 'exit');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #request(method: string, params: object): Promise<Record<string, unknown>> {
    this.#process.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: ++this.#id, method, params })}\n`);
    const line = await this.#lines.next();
    const message = JSON.parse(String(line.value)) as { result?: Record<string, unknown>; error?: unknown };
    if (!message.result) throw new Error(`${method}: ${JSON.stringify(message.error)}`);
    return message.result;
  }
}

interface Example {
  readonly tool: string;
  readonly args: string;
  /** Parts of lines that the answer has; the first is `ERROR <code>` when the call is refused. */
  readonly expected: readonly string[];
}

function examplesIn(guide: string): Example[] {
  return [...guide.matchAll(/^```call\n(\w+) (.+)\n```\n(?:```answer\n([\s\S]*?)\n```)?/gm)].map(
    ([, tool = '', args = '', answer = '']) => ({
      tool,
      args,
      expected: answer === '' ? [] : answer.split('\n'),
    }),
  );
}

/** Runs the examples of a guide in their order; `<etag>` stands for the one that was read last. */
async function follow(examples: readonly Example[], server: Server): Promise<void> {
  let etag = '';
  for (const { tool, args, expected } of examples) {
    const answer = await server.call(tool, JSON.parse(args.replaceAll('<etag>', etag)) as object);
    if (tool === 'note_read' || tool === 'canvas_read') etag = String(answer.structured.etag);
    const what = `${tool} ${args}`;
    const refused = expected[0]?.startsWith('ERROR') ?? false;
    expect(answer.failed, `${what}\n${answer.text}`).toBe(refused);
    const shown = answer.text.replaceAll(ETAG, '<etag>');
    for (const line of expected) {
      const [, code] = /^ERROR ?(\w*)$/.exec(line) ?? [];
      expect(shown, what).toContain(code === undefined ? line : `"code":"${code}`);
    }
  }
}

/** About how to run a server, not about what to ask it. */
const WITHOUT_CALLS: readonly string[] = [
  'ai-models.md',
  'ai.md',
  'clients.md',
  'configuration.md',
  'docker.md',
  'doctor.md',
  'installing.md',
  'joplin.md',
  'limits.md',
  'moving-between-homes.md',
  'remote.md',
  'running-as-a-service.md',
  'semantic-search.md',
  'silverbullet.md',
  'tools.md',
  'troubleshooting.md',
];

describe('the guides', () => {
  it.each(
    readdirSync(GUIDES)
      .filter((name) => name.endsWith('.md'))
      .filter((name) => !WITHOUT_CALLS.includes(name) && !name.startsWith('coming-from-'))
      .sort(),
  )('%s: every example answers as it is printed', async (name) => {
    const examples = examplesIn(readFileSync(join(GUIDES, name), 'utf8'));
    expect(examples.length).toBeGreaterThan(2);
    const server = new Server();
    try {
      await server.open();
      await follow(examples, server);
    } finally {
      await server.close();
    }
  });

  it('searching.md: every query of the table finds the note beside it first', async () => {
    const guide = readFileSync(join(GUIDES, 'searching.md'), 'utf8');
    const rows = [...guide.matchAll(/^\| `(.+?)` +\| .+ \| `(.+?)` +\|$/gm)];
    expect(rows.length).toBeGreaterThan(20);
    const server = new Server();
    try {
      await server.open();
      const found: string[][] = [];
      for (const [, query = ''] of rows) {
        const { structured } = await server.call('vault_search', { q: query, limit: 1 });
        found.push([query, (structured.results as { path: string }[])[0]?.path ?? 'nothing']);
      }
      expect(found).toEqual(rows.map(([, query, path]) => [query, path]));
    } finally {
      await server.close();
    }
  });
});
