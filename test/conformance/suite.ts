import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { installPinned, nodeOfAtLeast } from '../../scripts/pinned.mjs';

/** The public conformance suite: installed from npm beside the tests, run as a process of its own. */

/** The suite does not start on Node 20. */
const OLDEST_NODE = 22;
const RUN_LIMIT_MS = 2 * 60_000;

const PINNED = fileURLToPath(new URL('suite', import.meta.url));

export type Revision = '2025-11-25' | '2026-07-28';

/** One check of a scenario, in the words of the suite. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description?: string;
  readonly errorMessage?: string;
}

/** By scenario. */
export type Results = ReadonlyMap<string, readonly Check[]>;

export interface Scenarios {
  readonly required: readonly string[];
  /** Run and reported, but no part of conformance to the revision. */
  readonly notScored: readonly string[];
}

export class ConformanceSuite {
  readonly #folder: string;
  readonly #node: string;

  private constructor(folder: string, node: string) {
    this.#folder = folder;
    this.#node = node;
  }

  /** @throws Error when npm cannot install it, or there is no Node for it */
  static async install(): Promise<ConformanceSuite> {
    return new ConformanceSuite(await installPinned(PINNED), await nodeOfAtLeast(OLDEST_NODE));
  }

  /** What a server has to pass for a revision. */
  scenarios(revision: Revision): Scenarios {
    const file = join(
      this.#folder,
      'node_modules/@modelcontextprotocol/conformance/requirements',
      `${revision}.yaml`,
    );
    const { server, not_scored } = parse(readFileSync(file, 'utf8')) as {
      server: string[];
      not_scored: { scenario: string; command?: string }[];
    };
    return { required: server, notScored: not_scored.map(({ scenario }) => scenario) };
  }

  /** Runs every server scenario of a revision against an MCP endpoint. */
  async server(url: string, revision: Revision): Promise<Results> {
    return await this.#run(['server', '--url', url, '--requirements', revision]);
  }

  /**
   * Runs the scenarios for authorization servers.
   *
   * @param approve plays the owner's browser: gets the authorization request, returns where the client is answered
   */
  async authorization(
    options: Readonly<Record<string, string>>,
    approve: (url: URL) => Promise<URL>,
  ): Promise<Results> {
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    let asked = false;
    return await this.#run(['authorization', ...args], (output) => {
      const [, url] = /^(http\S+[?&]code_challenge=\S+)$/m.exec(output) ?? [];
      if (url === undefined || asked) return;
      asked = true;
      return approve(new URL(url)).then(async (answer) => {
        await fetch(answer);
      });
    });
  }

  async #run(
    args: readonly string[],
    onOutput?: (all: string) => Promise<void> | undefined,
  ): Promise<Results> {
    const folder = mkdtempSync(join(tmpdir(), 'lectern-conformance-'));
    try {
      const main = join(this.#folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
      const child = spawn(this.#node, [main, ...args, '--output-dir', folder], { timeout: RUN_LIMIT_MS });
      let output = '';
      await new Promise<void>((resolve, reject) => {
        const take = (data: Buffer) => {
          output += String(data);
          onOutput?.(output)?.catch(reject);
        };
        child.stdout.on('data', take);
        child.stderr.on('data', take);
        child.once('error', reject);
        child.once('close', () => resolve());
      });
      const results = resultsIn(folder);
      if (results.size === 0) throw new Error(`The suite ran nothing:\n${output.slice(-2000)}`);
      return results;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Folders are named `server-<scenario>-<time>`, or without what was tested. */
function resultsIn(folder: string): Results {
  const results = new Map<string, readonly Check[]>();
  for (const entry of readdirSync(folder)) {
    const [, scenario] = /^(?:server-|authorization-server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(entry) ?? [];
    if (scenario === undefined) continue;
    results.set(scenario, JSON.parse(readFileSync(join(folder, entry, 'checks.json'), 'utf8')) as Check[]);
  }
  return results;
}
