import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLine } from '../src/cli/command-line.ts';
import { hasCommand } from '../src/operations/operation.ts';
import { OPERATIONS } from '../src/operations/registry.ts';
import { runCommand } from './support/command-line.ts';
import { LECTERN } from './support/process-wire.ts';
import { inTerminal, plain, type TerminalOptions } from './support/terminal.ts';
import { openTestVault } from './support/test-vault.ts';

/** The built binary in a real terminal: what a person sees, at the widths people have. */

const folder = mkdtempSync(join(tmpdir(), 'lectern-terminal-'));
const vault = join(folder, 'vault');
const env = { HOME: folder, LECTERN_VAULT: vault, LECTERN_STATE: join(folder, 'state') };
const LONG = 'Notes about everything that happened in the shed by the harbour';

beforeAll(async () => {
  mkdirSync(join(vault, 'Projects'), { recursive: true });
  for (let n = 1; n <= 12; n++) {
    writeFileSync(
      join(vault, 'Projects', `${LONG} ${n}.md`),
      `---\ntags: [harbour/crane, work/unfinished, reading]\n---\n# Number ${n}\n\nThe crane waits for [[Tide table]] and [[A page that nobody has written yet ${n}]], see [[${LONG} 1]].\n`,
    );
  }
  writeFileSync(join(vault, 'Tide table.md'), '# Tides\n\nSlack water.\n');
  writeFileSync(join(vault, '日本語のノート.md'), '日本語 crane\n');
  // With the index there, no answer depends on how fast it is built.
  await lectern(['vault', 'status']);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const lectern = (args: readonly string[], options: TerminalOptions = {}) =>
  inTerminal(process.execPath, [LECTERN, ...args], {
    ...options,
    env: { ...env, ...options.env },
    cwd: folder,
  });

/** Columns a line takes: East Asian characters take two. */
const width = (line: string) =>
  [...line].reduce((sum, char) => sum + (/[\u3000-\u9fff\uff00-\uff60]/.test(char) ? 2 : 1), 0);

describe('help', () => {
  const nouns = [...new Set(OPERATIONS.filter(hasCommand).map(({ cli }) => cli.noun))];
  const commands = [
    [],
    ...nouns.map((noun) => [noun]),
    ...OPERATIONS.filter(hasCommand).map(({ cli }) => [cli.noun, ...cli.verb.split(' ')]),
    ...['serve', 'mcp', 'token', 'config', 'model', 'completion', 'schema', 'search'].map((word) => [word]),
  ];

  /** In this process, as {@link sample} shows that a terminal gets it. */
  async function helpOf(command: readonly string[], columns: number): Promise<string[]> {
    const program = await commandLine(command[0]);
    let text = '';
    const listen = (each: Command): void => {
      each.configureOutput({
        writeOut: (written) => {
          text += written;
        },
        getOutHelpWidth: () => columns,
      });
      each.commands.forEach(listen);
    };
    listen(program);
    const given = ['node', 'lectern', ...command, '--help'];
    await expect(program.parseAsync(given)).rejects.toMatchObject({ exitCode: 0 });
    return text.split('\n');
  }

  it('of every command fits the terminal, and speaks of commands', async () => {
    for (const [at, command] of commands.entries()) {
      const columns = at % 3 === 0 ? 120 : 80;
      const lines = await helpOf(command, columns);
      expect(lines[0]).toMatch(new RegExp(`^Usage: lectern ${command.join(' ')}`.trimEnd()));
      expect(lines.filter((line) => width(line) > columns)).toEqual([]);
      expect(lines.join('\n')).toContain('print this help');
      if (command.length < 2) continue;
      const tools = OPERATIONS.filter(({ name }) => lines.some((line) => line.split(/\W+/).includes(name)));
      expect([command, tools.map(({ name }) => name)]).toEqual([command, []]);
    }
  });

  /** One command of each kind. */
  const sample: readonly (readonly [readonly string[], number])[] = [
    [[], 80],
    [['note'], 120],
    [['note', 'list'], 60],
    [['vault', 'config', 'set'], 120],
    [['serve'], 80],
    [['token'], 80],
    [['search'], 120],
  ];
  it.each(sample)('of %j in a terminal of %i columns is that', async (command, columns) => {
    const { lines, code } = await lectern([...command, '--help'], { columns });
    expect(code).toBe(0);
    expect(lines).toEqual(await helpOf(command, columns));
  });
});

describe('tables', () => {
  const listings = [
    ['note', 'list', '--limit', '20'],
    ['link', 'backlinks', 'Tide table.md'],
    ['link', 'forward', `Projects/${LONG} 2.md`],
    ['link', 'unresolved'],
    ['tag', 'list'],
    ['tag', 'notes', 'reading'],
    ['note', 'outline', `Projects/${LONG} 2.md`],
    ['search', 'crane', '--limit', '20'],
    ['vault', 'status'],
  ];
  const fitting = (lines: readonly string[], columns: number) => {
    const words = (line: string) => line.trim().split(' ').length;
    expect(lines.filter((line) => width(line) > columns && words(line) > 1)).toEqual([]);
  };

  it.each([60, 100])('keep to %i columns', async (columns) => {
    const state = mkdtempSync(join(folder, 'state-'));
    const { session, close } = await openTestVault({}, { reopen: { folder: vault, state } });
    try {
      for (const args of listings) {
        const { out, code } = await runCommand(args, session, { isTTY: true, columns });
        expect([args, code]).toEqual([args, 0]);
        expect(plain(out)).not.toBe('');
        fitting(plain(out).split('\n'), columns);
      }
    } finally {
      await close();
    }
  });

  it('keep to the columns of a real terminal, and whole what names a row as long as it can be', async () => {
    for (const [args, columns] of [
      [['note', 'list', '--limit', '20'], 60],
      [['vault', 'config', 'get'], 60],
      [['search', 'crane', '--limit', '20'], 100],
    ] as const) {
      const { lines, code } = await lectern(args, { columns });
      expect(code).toBe(0);
      fitting(lines, columns);
    }
    const { lines } = await lectern(['note', 'list', '--limit', '2'], { columns: 120 });
    expect(lines.join('\n')).toContain(`Projects/${LONG} 1.md`);
  });
});

describe('colours', () => {
  const list = (options: TerminalOptions, ...flags: string[]) => lectern(['tag', 'list', ...flags], options);

  it('are on in a terminal, and off when somebody does not want them', async () => {
    const { raw } = await list({});
    expect(raw).toContain('\u001b[36mtag');
    expect(raw).toContain('\u001b[1m');
    for (const shown of [
      await list({ env: { NO_COLOR: '1' } }),
      await list({ env: { TERM: 'dumb' } }),
      await list({}, '--no-color'),
    ]) {
      expect(shown.raw).not.toContain('\u001b[');
      expect(shown.lines.join('\n')).toContain('harbour/crane');
    }
  });

  it('are off when piped, and the answer is JSON', async () => {
    const node = `'${process.execPath}' '${LECTERN}'`;
    const { lines, raw } = await inTerminal('sh', ['-c', `${node} tag list --limit 1 | cat`], {
      columns: 1000,
      env,
    });
    expect(JSON.parse(lines.join(''))).toMatchObject({ total: 3 });
    expect(raw).not.toContain('\u001b[36m');
    const text = await inTerminal('sh', ['-c', `${node} tag list --text | cat`], { env });
    expect(text.raw).not.toContain('\u001b[36m');
    expect(text.lines[0]).toMatch(/^tag +notes/);
  });
});

describe('errors', () => {
  it.each([
    [['note', 'gte', 'x'], 2, "lectern: unknown command 'gte'. Did you mean get?"],
    [['nte'], 2, "lectern: unknown command 'nte'. Did you mean note?"],
    [['note', 'get'], 2, "lectern: missing required argument 'path'"],
    [['note', 'list', '--limt', '3'], 2, "lectern: unknown option '--limt'. Did you mean --limit?"],
    [['note', 'list', '--limit', 'x'], 2, 'lectern: Wrong arguments for lectern note list'],
    [
      ['note', 'get', 'Nowhere'],
      3,
      // The second while the files are still being compared with the index, as they are on a busy machine.
      /There is no note at Nowhere\. Find the exact path with lectern vault search|There is no file at exactly/,
    ],
    [['note', 'exists', 'Nowhere'], 3, 'Nowhere does not exist.'],
    [['note', 'delete', 'Tide table.md'], 4, 'Add --yes to do it'],
    [['note', 'move', 'Tide table.md', '日本語のノート.md'], 5, 'lectern: '],
    [['config', 'set', 'http.prot', '1'], 2, 'Did you mean http.port?'],
    [['note', 'list', '--remote', 'http://127.0.0.1:9'], 1, 'No server answers at http://127.0.0.1:9.'],
    [
      ['vault', 'status', '--vault', '/no/such/folder'],
      1,
      "lectern: The vault folder '/no/such/folder' does not exist.",
    ],
  ] as const)('%j ends with %i in words', async (args, code, words) => {
    const shown = await lectern(args, { columns: 80 });
    const said = shown.lines.join(' ').replace(/\s+/g, ' ');
    if (typeof words === 'string') expect(said).toContain(words);
    else expect(said).toMatch(words);
    expect(shown.code).toBe(code);
    expect(shown.lines.filter((line) => width(line) > 80)).toEqual([]);
    expect(shown.raw).not.toMatch(/\n {4}at /);
  });
});

it('takes out of view only what was confirmed', async () => {
  const path = 'Going.md';
  writeFileSync(join(vault, path), 'x\n');
  const refused = await lectern(['note', 'delete', path]);
  expect([refused.code, existsSync(join(vault, path))]).toEqual([4, true]);
  const tried = await lectern(['note', 'delete', path, '--dry-run']);
  expect([tried.code, existsSync(join(vault, path))]).toEqual([0, true]);
  expect(tried.lines.join(' ')).toContain('Would move');
  const done = await lectern(['note', 'delete', path, '--yes']);
  expect([done.code, existsSync(join(vault, path))]).toEqual([0, false]);
  const back = await lectern(['trash', 'restore', `.trash/${path}`]);
  expect([back.code, existsSync(join(vault, path))]).toEqual([0, true]);
});

it('tells how far indexing is, how fast it goes and how long it takes, and takes the line away', async () => {
  const large = join(folder, 'large');
  // Enough for more than half a second of a fast machine.
  const NOTES = 1500;
  mkdirSync(large);
  for (let n = 0; n < NOTES; n++)
    writeFileSync(join(large, `${n}.md`), `# Note ${n}\n\n${'Words about [[1]] and #tags. '.repeat(40)}\n`);
  const shown = await lectern(['vault', 'index', '--vault', large]);
  expect(shown.code).toBe(0);
  const bars = [
    ...shown.raw.matchAll(
      /\r\u001b\[KIndexing (\d+)\/(\d+) \((\d+) %\), \d+\/s(?:, (?:\d+ min )?\d+ s left)?/g,
    ),
  ];
  expect(bars.length).toBeGreaterThan(1);
  const done = bars.map(([, count]) => Number(count));
  expect(done).toEqual([...done].sort((a, b) => a - b));
  expect(shown.raw).toContain(' s left');
  expect(shown.lines.join('\n')).not.toContain('Indexing');
  expect(shown.lines.join('\n')).toContain(`${NOTES} notes`);
  const piped = execFileSync(process.execPath, [LECTERN, 'vault', 'index', '--rebuild', '--vault', large], {
    env: { PATH: process.env.PATH ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  expect(JSON.parse(String(piped))).toMatchObject({ notes: NOTES });
}, 600_000);

/** Where a shell is, in the way the system looks for it. */
function shellAt(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((place) => join(place, name))
    .find((path) => existsSync(path));
}

describe('completion', () => {
  const bin = join(folder, 'bin');
  const cases = [
    ['lectern note ge\t', 'RAN note get'],
    ['lectern vault config se\t', 'RAN vault config set'],
    ['lectern note get A.md --max\t', 'RAN note get A.md --max-chars'],
    ['lectern tag rena\t', 'RAN tag rename'],
  ] as const;

  beforeAll(async () => {
    // Stands for the program on the path: what a completed line would run is told instead of run.
    mkdirSync(bin);
    const program = join(bin, 'lectern');
    writeFileSync(
      program,
      `#!/bin/sh\nif [ "$1" = completion ]; then exec '${process.execPath}' '${LECTERN}' "$@"; fi\necho "RAN $*"\n`,
    );
    chmodSync(program, 0o755);
  });

  it.each([
    ['bash', ['--norc', '--noprofile', '-i'], 'eval "$(lectern completion bash)"'],
    ['zsh', ['-f', '-i'], 'autoload -Uz compinit; compinit -D -u; eval "$(lectern completion zsh)"'],
    ['fish', ['--no-config', '-i'], 'lectern completion fish | source'],
  ] as const)('finishes words in %s', async (name, args, setUp) => {
    const shell = shellAt(name);
    if (shell === undefined) {
      console.log(`There is no ${name} here: its completion is not tried.`);
      return;
    }
    const steps = cases.map(([keys], at) => ({
      after: at === 0 ? /READY\r?\n/ : /RAN [^\r\n]*\r?\n/,
      keys: `${keys}\r`,
    }));
    const { lines } = await inTerminal(shell, args, {
      env: { HOME: folder, PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`, PS1: '$ ' },
      cwd: folder,
      type: [
        { after: /./, keys: `${setUp}; echo REA""DY\r` },
        ...steps,
        { after: /RAN [^\r\n]*\r?\n/, keys: 'exit\r' },
      ],
    });
    const ran = lines.map((line) => line.trim()).filter((line) => line.startsWith('RAN '));
    expect(ran).toEqual(cases.map(([, said]) => said));
  });
});
