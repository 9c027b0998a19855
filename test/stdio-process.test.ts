import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The built binary as a process: streams, signals and exit codes. */

const LECTERN = fileURLToPath(new URL('../dist/lectern.js', import.meta.url));

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'init',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

const call = (id: number, name: string, args: object = {}) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

let folder: string;
let vault: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lectern-process-'));
  vault = join(folder, 'vault');
  await mkdir(vault);
  await writeFile(join(vault, 'A.md'), 'alpha [[B]]\n');
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  id?: unknown;
  result?: { isError?: boolean; structuredContent?: Record<string, unknown>; serverInfo?: object };
  error?: { code: number };
}

/** Another user of the system, when this one is the superuser. */
type Identity = Pick<SpawnOptions, 'uid' | 'gid'>;

class Process {
  readonly child: ChildProcess;
  readonly exited: Promise<{ code: number | null; signal: string | null }>;
  stdout = '';
  stderr = '';
  #wake: (() => void)[] = [];

  constructor(args: readonly string[], environment: Record<string, string> = {}, user: Identity = {}) {
    const { LECTERN_VAULT: _vault, INDX_VAULT: _indx, ...inherited } = process.env;
    const env = { ...inherited, XDG_STATE_HOME: join(folder, 'state'), ...environment };
    this.child = spawn(process.execPath, [LECTERN, ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env,
      ...user,
    });
    this.child.stdout?.on('data', (chunk) => {
      this.stdout += chunk;
      for (const wake of this.#wake.splice(0)) wake();
    });
    this.child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    this.exited = new Promise((resolve) =>
      this.child.once('close', (code, signal) => resolve({ code, signal })),
    );
  }

  send(...messages: readonly unknown[]): void {
    for (const message of messages) this.child.stdin?.write(`${JSON.stringify(message)}\n`);
  }

  end(): void {
    this.child.stdin?.end();
  }

  /** Every complete line of standard output; throws when one is not JSON. */
  answers(): Answer[] {
    const lines = this.stdout.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Answer);
  }

  async answer(id: unknown): Promise<Answer> {
    for (;;) {
      const found = this.answers().find((message) => message.id === id);
      if (found !== undefined) return found;
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
  }
}

const serve = (...args: string[]) => new Process(['mcp', 'serve', '--stdio', ...args]);

describe('streams and exit codes', () => {
  it('answers what is in flight at the end of input and leaves with code 0', async () => {
    const server = serve('--vault', vault, '--log-level', 'debug');
    server.send(INITIALIZE, call(1, 'note_read', { path: 'A.md' }), call(2, 'note_exists', { path: 'A.md' }));
    server.end();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(
      server
        .answers()
        .map((answer) => answer.id)
        .sort(),
    ).toEqual([1, 2, 'init']);
    expect(server.answers().find((answer) => answer.id === 1)?.result?.structuredContent).toMatchObject({
      body: 'alpha [[B]]\n',
    });
    for (const line of server.stderr.trim().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
    expect(server.stderr).toContain('tool called');
    expect(server.stderr).not.toContain('alpha');
  });

  it('leaves with code 0 on an exit notification, with its input still open', async () => {
    const server = serve('--vault', vault);
    server.send(INITIALIZE, call(1, 'note_exists', { path: 'A.md' }), { jsonrpc: '2.0', method: 'exit' });
    expect((await server.exited).code).toBe(0);
    expect(server.answers().map((answer) => answer.id)).toContain(1);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'answers what is in flight on %s and leaves with code 0',
    async (signal) => {
      const server = serve('--vault', vault);
      server.send(INITIALIZE);
      await server.answer('init');
      server.send(call(1, 'note_exists', { path: 'A.md' }), { jsonrpc: '2.0', id: 2, method: 'ping' });
      await server.answer(2);
      server.child.kill(signal);
      expect(await server.exited).toEqual({ code: 0, signal: null });
      expect(server.answers().map((answer) => answer.id)).toContain(1);
    },
  );

  it('leaves when the client stops reading', async () => {
    const server = serve('--vault', vault);
    server.send(INITIALIZE);
    await server.answer('init');
    server.child.stdout?.destroy();
    for (let id = 1; id < 20; id++)
      server.child.stdin?.write(`${JSON.stringify(call(id, 'vault_status'))}\n`);
    server.child.stdin?.on('error', () => {});
    expect((await server.exited).code).toBe(0);
  });

  it('answers a malformed line with -32700 and lives on', async () => {
    const server = serve('--vault', vault);
    server.send(INITIALIZE);
    server.child.stdin?.write('{"broken\n');
    server.send({ jsonrpc: '2.0', id: 9, method: 'ping' });
    await server.answer(9);
    expect((await server.answer(null)).error?.code).toBe(-32700);
    server.end();
    expect((await server.exited).code).toBe(0);
  });

  it('serves two clients on one vault at once', async () => {
    const servers = [serve('--vault', vault), serve('--vault', vault)];
    for (const server of servers) server.send(INITIALIZE, call(1, 'note_read', { path: 'A.md' }));
    for (const server of servers) {
      expect((await server.answer(1)).result?.isError).toBeUndefined();
      server.end();
    }
    for (const server of servers) expect((await server.exited).code).toBe(0);
  });
});

describe('a vault that cannot be served', () => {
  async function refused(path: string, user: Identity = {}): Promise<{ server: Process; answer: Answer }> {
    const server = new Process(['mcp', 'serve', '--vault', path], {}, user);
    server.send(INITIALIZE, call(1, 'vault_search', { q: 'alpha' }));
    const answer = await server.answer(1);
    expect((await server.answer('init')).result?.serverInfo).toMatchObject({ name: 'lectern' });
    server.end();
    expect((await server.exited).code).toBe(0);
    expect(answer.result).toMatchObject({ isError: true, structuredContent: { code: 'unavailable' } });
    expect(answer.result?.structuredContent?.next).toBeTruthy();
    return { server, answer };
  }

  it('is named when the folder is missing', async () => {
    const { server, answer } = await refused(join(folder, 'nowhere'));
    expect(server.stderr).toContain('does not exist');
    expect(answer.result?.structuredContent?.message).toContain('does not exist');
  });

  it('is named when it is a file', async () => {
    const { server } = await refused(join(vault, 'A.md'));
    expect(server.stderr).toContain('is a file, not a folder');
  });

  it('is named when it may not be read', async () => {
    if (process.platform === 'win32') {
      console.log('skipped: folders are not locked by mode bits here');
      return;
    }
    const locked = join(folder, 'locked');
    await mkdir(locked);
    await chmod(folder, 0o755);
    await chmod(locked, 0o000);
    // The superuser reads everything, so somebody else has to look.
    const { server } = await refused(locked, process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {});
    expect(server.stderr).toContain('may not be read');
  });

  it('is served once its folder is there', async () => {
    const late = join(folder, 'late');
    const server = serve('--vault', late);
    server.send(INITIALIZE, call(1, 'note_exists', { path: 'A.md' }));
    expect((await server.answer(1)).result?.isError).toBe(true);
    await mkdir(late);
    await writeFile(join(late, 'A.md'), 'x');
    server.send(call(2, 'note_exists', { path: 'A.md' }));
    expect((await server.answer(2)).result?.structuredContent).toMatchObject({ exists: true });
    server.end();
    expect((await server.exited).code).toBe(0);
  });
});

describe('the command line', () => {
  it.each([
    [['--version'], 0, /^\d+\.\d+\.\d+/, /^$/],
    [['--help'], 0, /Usage: lectern/, /^$/],
    [['mcp', 'serve', '--help'], 0, /--vault <folder>/, /^$/],
    [['mcp', 'serve', '--stdio'], 2, /^$/, /No vault was given\..*LECTERN_VAULT/],
    [['mcp', 'serve', '--vualt', 'x'], 2, /^$/, /unknown option.*--vault/s],
    [['mcp', 'serve', '--vault', '.', '--log-level', 'loud'], 2, /^$/, /--log-level cannot be "loud"/],
    [['mcp', 'serve', '--help'], 0, /Catalogues:\n {2}indx +Lectern/, /^$/],
    [
      ['mcp', 'serve', '--vault', '.', '--catalogue', 'indxx'],
      2,
      /^$/,
      /no catalogue "indxx".*Did you mean indx\?/s,
    ],
    [
      ['mcp', 'serve', '--vault', '.', '--toolset', 'cor'],
      2,
      /^$/,
      /no set of tools "cor".*Did you mean core\?/s,
    ],
    [
      ['mcp', 'serve', '--vault', '.', '--tools-off', 'note_dlete'],
      2,
      /^$/,
      /No tool is named.*note_delete/s,
    ],
    [['serve', '--vault', '.', '--catalogues', 'indxx'], 2, /^$/, /no catalogue "indxx"/],
    [['srve'], 2, /^$/, /unknown command/],
    [['demo', '/no/such/folder'], 1, /^$/, /does not exist/],
  ])('lectern %j leaves with code %i', async (args, code, stdout, stderr) => {
    const run = new Process(args);
    run.end();
    expect((await run.exited).code).toBe(code);
    expect(run.stdout).toMatch(stdout);
    expect(run.stderr).toMatch(stderr);
  });

  it('takes the catalogue from the environment', async () => {
    const environment = { LECTERN_VAULT: vault, LECTERN_CATALOGUE: 'joplinn' };
    const refused = new Process(['mcp', 'serve'], environment);
    refused.end();
    expect((await refused.exited).code).toBe(2);
    expect(refused.stderr).toMatch(/no catalogue "joplinn"/);
  });

  it.each(['LECTERN_VAULT', 'INDX_VAULT'])('takes the vault from %s', async (name) => {
    const server = new Process(['mcp', 'serve', '--stdio'], { [name]: vault });
    server.send(INITIALIZE, call(1, 'note_exists', { path: 'A.md' }));
    expect((await server.answer(1)).result?.structuredContent).toMatchObject({ exists: true });
    server.end();
    expect((await server.exited).code).toBe(0);
  });

  it('demo shows a search, a read, backlinks and the line each client needs', async () => {
    await writeFile(join(vault, 'B.md'), 'beta #tide, back to [[A]]\n');
    const run = new Process(['demo', vault]);
    run.end();
    expect((await run.exited).code, run.stderr).toBe(0);
    for (const part of [
      'vault_search',
      'note_read',
      'link_backlinks',
      'Claude Desktop',
      'claude mcp add lectern',
      'Cursor',
      'code --add-mcp',
    ]) {
      expect(run.stdout).toContain(part);
    }
    expect(run.stdout).toContain(vault);
    expect(run.stdout).toContain('A.md:1');
  });
});
