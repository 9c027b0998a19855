import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { longestTurn, PROBED } from '../support/loop-probe.ts';
import { LECTERN } from '../support/raw-server.ts';

export type Door = 'stdio' | 'http';

/** The built binary as a process with a real client, and a look at what it uses. */
export class MeasuredServer {
  readonly client: Client;
  readonly pid: number;
  readonly #child: ChildProcess | undefined;
  stderr = '';

  private constructor(client: Client, pid: number, child?: ChildProcess) {
    this.client = client;
    this.pid = pid;
    this.#child = child;
  }

  static async open(door: Door, folder: string): Promise<MeasuredServer> {
    const config = join(folder, 'lectern.yaml');
    writeFileSync(config, 'http:\n  rate_limit: 0\nai:\n  provider: builtin\n');
    const { LECTERN_VAULT: _vault, INDX_VAULT: _indx, ...environment } = process.env;
    const env = { ...environment, LECTERN_CONFIG: config } as Record<string, string>;
    const place = ['--vault', join(folder, 'vault'), '--state', join(folder, 'state')];
    const node = [...PROBED, LECTERN];
    const client = new Client({ name: 'hostile', version: '1' }, { versionNegotiation: { mode: 'legacy' } });
    if (door === 'stdio') {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [...node, 'mcp', 'serve', '--stdio', '--toolset', 'all', ...place],
        env,
        stderr: 'pipe',
      });
      await client.connect(transport);
      const server = new MeasuredServer(client, transport.pid ?? 0);
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
    const server = new MeasuredServer(client, child.pid ?? 0, child);
    child.stderr.on('data', (data) => {
      server.stderr += data;
    });
    return server;
  }

  /** See {@link longestTurn}. */
  longestTurn(): Promise<number> {
    return longestTurn(this);
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
