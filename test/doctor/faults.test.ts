import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { FAULTS, type Seeded } from './faults.ts';
import { Install, SECRET_WORDS } from './install.ts';

/**
 * Every fault is seeded alone into a healthy install. The doctor names it and nothing else, says the one thing to do,
 * changes nothing while it only looks, and with `--repair` no byte of a note.
 */
const install = new Install();
let seeded: Seeded | undefined;

beforeAll(async () => install.make(await freePort()), 120_000);
afterEach(() => {
  seeded?.end?.();
  seeded = undefined;
  install.reset();
});
afterAll(() => install.remove());

const LIMIT_MS = 60_000;

it(
  'a healthy install has nothing but good lines',
  async () => {
    const before = install.everything();
    const report = await install.examine();
    expect(report.findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(report).toMatchObject({ ok: true, format: 1, repairs: [] });
    expect(report.findings.length).toBeGreaterThan(20);
    expect(install.everything()).toEqual(before);
  },
  LIMIT_MS,
);

it(
  'a repair of a healthy install changes nothing',
  async () => {
    const before = install.everything();
    expect((await install.examine({}, { repair: true })).repairs).toEqual([]);
    expect(install.everything()).toEqual(before);
  },
  LIMIT_MS,
);

it('there are faults of every kind of check', () => {
  expect(FAULTS.length).toBeGreaterThanOrEqual(30);
  expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
});

describe('a fault', () => {
  const possible = FAULTS.filter(({ skip }) => skip !== true);
  it.each(possible)(
    '$name',
    async ({ code, also = [], repaired = false, inProcess = false, ownOwner = false, seed }) => {
      seeded = ((await seed(install)) as Seeded | undefined) ?? {};
      if (!ownOwner) install.own();
      const examine = (options = {}) => install.examine(seeded, options, inProcess);
      const before = install.everything();
      const report = await examine();
      const problems = report.findings.filter(({ status }) => status === 'problem');
      expect([...new Set(problems.map((finding) => finding.code))].sort()).toEqual([code, ...also].sort());
      for (const finding of problems) expect(finding.next, finding.message).toMatch(/^\S.*[.?]$/s);
      expect(report.ok).toBe(false);
      expect(install.everything()).toEqual(before);

      const planned = await examine({ repair: true, dryRun: true, redact: true });
      expect(planned.repairs.map(({ state }) => state)).toEqual(repaired ? ['planned'] : []);
      const strangers = JSON.stringify(planned);
      for (const word of SECRET_WORDS) expect(strangers).not.toContain(word);
      expect(strangers).not.toContain(install.root);
      expect(install.everything()).toEqual(before);

      const notes = install.isVaultThere() ? install.notes() : undefined;
      const after = await examine({ repair: true });
      expect(after.repairs.map(({ state, result }) => [state, result])).toEqual(
        repaired ? [['done', expect.any(String)]] : [],
      );
      expect(after.findings.some((finding) => finding.code === code)).toBe(!repaired);
      if (notes !== undefined) expect(install.notes()).toEqual(notes);
      if (repaired) expect(after.ok).toBe(true);
    },
    LIMIT_MS,
  );
});

it(
  'keeps a damaged journal byte by byte, and what could be read of it goes on being undone',
  async () => {
    const fault = FAULTS.find(({ name }) => name === 'a torn log of the journal');
    fault?.seed(install);
    install.own();
    const files = ['journal.db', 'journal.db-wal'];
    const before = files.map((name) => readFileSync(join(install.state, name)));
    const { repairs } = await install.examine({}, { repair: true });
    const aside = readdirSync(install.state).find((name) => name.startsWith('damaged-')) ?? '';
    expect(repairs[0]?.result).toContain('3 writes can be undone');
    expect(files.map((name) => readFileSync(join(install.state, aside, name)))).toEqual(before);
    const history = await install.lectern('note', 'history', '--json');
    expect(history).toContain('Written.md');
    const [, newest = ''] = /"write_id":"?(\d+)/.exec(history) ?? [];
    await install.lectern('note', 'undo', newest);
    expect(readFileSync(join(install.vault, 'Projects', 'Written.md'), 'utf8')).toContain('# two');
  },
  LIMIT_MS,
);
