import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { etagOf } from '../../notes/etag.ts';
import { openDatabase } from '../../sqlite/driver.ts';
import { openJournal } from './journal.ts';
import { salvageJournal } from './salvage.ts';

const WRITES = 60;
let folder: string;
let original: string;
const texts = new Map<number, Uint8Array>();

function textOf(number: number): Uint8Array {
  return new TextEncoder().encode(
    `# Note ${number}\n${`line ${number} of a text\n`.repeat(1 + (number % 9) * 90)}`,
  );
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lectern-salvage-'));
  original = join(folder, 'journal.db');
  const journal = openJournal(original);
  for (let number = 0; number < WRITES; number++) {
    const before = textOf(number);
    const group = await journal.begin({
      tool: 'note_write',
      actor: { kind: 'cli', name: 'test', session: 's' },
      summary: `write ${number}`,
      steps: [
        { action: 'replace', path: `Note ${number}.md`, before, beforeEtag: etagOf(before), afterEtag: 'x' },
        { action: 'create', path: `New ${number}.md`, afterEtag: 'y' },
      ],
    });
    texts.set(group.id, before);
    await journal.finish(
      group.id,
      group.steps.map(({ id }) => ({ stepId: id, state: 'done' as const })),
    );
  }
  journal.close();
  const database = openDatabase(original);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Compares every write in the salvaged journal with the original. */
function holdAgainstOriginal(path: string): number {
  const journal = openJournal(path);
  try {
    const { groups } = journal.history({ limit: 1000 });
    for (const group of groups) {
      const step = group.steps.find(({ action }) => action === 'replace');
      expect(step).toBeDefined();
      expect(journal.before(step?.id ?? 0)).toEqual(texts.get(group.id));
    }
    return groups.length;
  } finally {
    journal.close();
  }
}

function damagedBy(damage: (bytes: Buffer) => void) {
  const work = mkdtempSync(join(folder, 'case-'));
  const damaged = join(work, 'damaged.db');
  copyFileSync(original, damaged);
  const bytes = readFileSync(damaged);
  damage(bytes);
  writeFileSync(damaged, bytes);
  const fresh = join(work, 'journal.db');
  return { fresh, ...salvageJournal(damaged, fresh, { plainEtags: true }) };
}

test('a whole journal is taken over whole, its secret included', () => {
  const { fresh, whole, partial } = damagedBy(() => {});
  expect({ whole, partial }).toEqual({ whole: WRITES, partial: 0 });
  expect(holdAgainstOriginal(fresh)).toBe(WRITES);
  const [before, after] = [original, fresh].map((path) => openJournal(path));
  expect(after?.secret()).toEqual(before?.secret());
  before?.close();
  after?.close();
});

test('a lost first page costs no write', () => {
  const { fresh, whole } = damagedBy((bytes) => bytes.fill(0xff, 0, 4096));
  expect(whole).toBe(WRITES);
  expect(holdAgainstOriginal(fresh)).toBe(WRITES);
});

test('a page in the middle costs the writes on it, and those are said to be lost', () => {
  const database = openDatabase(original);
  const page = Number(
    database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'before_bytes'").get()?.rootpage,
  );
  database.close();
  const { fresh, whole, partial } = damagedBy((bytes) => {
    const pageAt = (at: number) => bytes.subarray(at * 4096, (at + 1) * 4096);
    const leaf = Array.from({ length: bytes.length / 4096 }, (_, at) => at).find(
      (at) => at >= page && pageAt(at)[0] === 0x0d && pageAt(at).includes(' of a text'),
    );
    bytes.fill(0xff, (leaf ?? 0) * 4096, ((leaf ?? 0) + 1) * 4096);
  });
  expect(whole).toBeGreaterThan(0);
  expect(partial).toBeGreaterThan(0);
  expect(whole + partial).toBe(WRITES);
  expect(holdAgainstOriginal(fresh)).toBe(whole);
});

test('whatever is damaged, no write comes back with other bytes than it replaced', () => {
  let kept = 0;
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(
          fc.double({ min: 0, max: 0.999, noNaN: true }),
          fc.integer({ min: 1, max: 5000 }),
          fc.nat(255),
        ),
        {
          minLength: 1,
          maxLength: 4,
        },
      ),
      (wounds) => {
        const { fresh, whole } = damagedBy((bytes) => {
          for (const [at, length, value] of wounds) {
            const from = Math.floor(at * bytes.length);
            bytes.fill(value, from, Math.min(bytes.length, from + length));
          }
        });
        expect(holdAgainstOriginal(fresh)).toBe(whole);
        kept += whole;
      },
    ),
    { numRuns: 5 },
  );
  // Most damage is small, so something must be recovered in most runs.
  expect(kept).toBeGreaterThan(5);
}, 240_000);
