import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { LECTERN } from '../support/raw-server.ts';

/**
 * Tells, on request, the most processor time that the main thread used between two turns of its loop; of the
 * thread alone, so that other threads and programs do not count.
 */
const PROBE = `
import { readFileSync, writeFileSync, renameSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
if (isMainThread && process.platform === 'linux') {
  const used = () => Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[0]) / 1e6;
  let last = used();
  let worst = 0;
  let asked = 0;
  const look = () => {
    const now = used();
    worst = Math.max(worst, now - last);
    last = now;
  };
  setInterval(look, 2).unref();
  process.on('SIGUSR2', () => {
    // A turn that was long may have ended just now.
    look();
    asked += 1;
    writeFileSync(process.env.PROBE_OUT + '.new', asked + ' ' + worst);
    renameSync(process.env.PROBE_OUT + '.new', process.env.PROBE_OUT);
    worst = 0;
    last = used();
  });
}
`;

export type Door = 'stdio' | 'http';

/** The built binary as a process with a real client, and a look at what it uses. */
export class MeasuredServer {
  readonly client: Client;
  readonly pid: number;
  readonly #out: string;
  readonly #child: ChildProcess | undefined;
  #asked = 0;
  stderr = '';

  private constructor(client: Client, pid: number, out: string, child?: ChildProcess) {
    this.client = client;
    this.pid = pid;
    this.#out = out;
    this.#child = child;
  }

  static async open(door: Door, folder: string): Promise<MeasuredServer> {
    const probe = join(folder, 'probe.mjs');
    const out = join(folder, 'probe.txt');
    const config = join(folder, 'lectern.yaml');
    writeFileSync(probe, PROBE);
    writeFileSync(out, '0 0');
    writeFileSync(config, 'http:\n  rate_limit: 0\n');
    const { LECTERN_VAULT: _vault, INDX_VAULT: _indx, ...environment } = process.env;
    const env = { ...environment, PROBE_OUT: out, LECTERN_CONFIG: config } as Record<string, string>;
    const place = ['--vault', join(folder, 'vault'), '--state', join(folder, 'state')];
    const node = ['--import', pathToFileURL(probe).href, LECTERN];
    const client = new Client({ name: 'hostile', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    if (door === 'stdio') {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [...node, 'mcp', 'serve', '--stdio', '--toolset', 'all', ...place],
        env,
        stderr: 'pipe',
      });
      await client.connect(transport);
      const server = new MeasuredServer(client, transport.pid ?? 0, out);
      transport.stderr?.on('data', (chunk) => {
        server.stderr += chunk;
      });
      return server;
    }
    const token = execFileSync(
      process.execPath,
      [LECTERN, 'token', 'create', '--name', 'hostile', '--scope', 'vault:admin', ...place],
      { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
    ).trim();
    const child = spawn(process.execPath, [...node, 'serve', '--http', '--port', '0', ...place], { env });
    let said = '';
    const url = await new Promise<string>((resolve, reject) => {
      child.stderr.on('data', (data) => {
        said += data;
        const [, found] = / at (https?:\S+\/mcp) /.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', () => reject(new Error(said)));
    });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), {
        requestInit: { headers: { Authorization: `Bearer ${token}` } },
      }),
    );
    const server = new MeasuredServer(client, child.pid ?? 0, out, child);
    child.stderr.on('data', (data) => {
      server.stderr += data;
    });
    return server;
  }

  /** ms of processor time, the most between two turns since this was asked last. */
  async longestTurn(): Promise<number> {
    this.#asked += 1;
    process.kill(this.pid, 'SIGUSR2');
    for (;;) {
      const [asked, ms] = readFileSync(this.#out, 'utf8').split(' ').map(Number);
      if (asked === this.#asked) return ms ?? 0;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  /** MiB that the process has used at most so far. */
  peakMegabytes(): number {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8')) ?? [];
    return Number(kilobytes) / 1024;
  }

  async close(): Promise<void> {
    await this.client.close();
    if (this.#child === undefined) return;
    const left = new Promise((resolve) => this.#child?.once('exit', resolve));
    this.#child.kill('SIGTERM');
    await left;
  }
}
