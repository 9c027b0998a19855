import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { Dialect } from '../../src/notes/model.ts';
import { parseNote } from '../../src/notes/parse.ts';
import { decodeText } from '../../src/notes/text.ts';
import { randomEdit } from '../patch/edits.ts';
import { judge } from '../patch/oracle.ts';
import { Random } from '../patch/random.ts';
import { archivesIn, filesOfArchive } from '../patch/vault-archives.ts';

/**
 * Random edits over real vaults' notes, each judged by `oracle.ts`. The number of edits comes from
 * LECTERN_FUZZ_EDITS (default 200,000), the first seed from LECTERN_FUZZ_SEED.
 */
const EDITS = Number(process.env.LECTERN_FUZZ_EDITS ?? 200_000);
const SEED = Number(process.env.LECTERN_FUZZ_SEED ?? 1);
const SHARED = process.env.LECTERN_SHARED ?? fileURLToPath(new URL('../../../shared', import.meta.url));
const VAULTS = join(SHARED, 'vaults');
/** Larger notes are parsed and edited, but each takes the time of many. */
const MAX_BYTES = 60_000;
/** Edits made one after the other to the same note before it is thrown away. */
const CHAIN = 6;

interface Note {
  readonly path: string;
  readonly text: string;
  readonly dialect: Dialect;
}

/** By vault, so that the many small notes of one do not crowd out the rest. */
function notesByVault(): readonly (readonly Note[])[] {
  return archivesIn(VAULTS).map((archive) => {
    const dialect = archive.includes('logseq')
      ? 'logseq'
      : archive.includes('silverbullet')
        ? 'silverbullet'
        : 'obsidian';
    return filesOfArchive(archive).flatMap(({ path, bytes }) => {
      if (!path.endsWith('.md') || bytes.length > MAX_BYTES) return [];
      const decoded = decodeText(bytes);
      return decoded.ok ? [{ path, text: decoded.text, dialect }] : [];
    });
  });
}

it.skipIf(!existsSync(VAULTS))(
  `makes ${EDITS} random edits and breaks no rule`,
  async () => {
    const vaults = notesByVault();
    const random = new Random(SEED);
    const counts = new Map<string, number>();
    const failures: string[] = [];
    for (let done = 0; done < EDITS; ) {
      // What the parser's native part let go is freed between turns of the loop only.
      await setImmediate();
      const note = random.pick(random.pick(vaults)!)!;
      // Half of the notes get CRLF or a BOM, which few notes in the collection have.
      const crlf = random.chance(0.25) ? note.text.replace(/\r?\n/g, '\r\n') : note.text;
      let text = random.chance(0.15) && !crlf.startsWith('\ufeff') ? `\ufeff${crlf}` : crlf;
      for (let step = 0; step < CHAIN && done < EDITS; step++, done++) {
        // Replacing every "e" by a paragraph a few times over makes a note nobody has.
        if (text.length > 3 * MAX_BYTES) break;
        const parsed = parseNote(text, { dialect: note.dialect });
        const op = randomEdit(random, parsed);
        try {
          const outcome = judge(parsed, op, note.dialect);
          const key = `${op.op} ${outcome.kind === 'refused' ? outcome.code : outcome.kind}`;
          counts.set(key, (counts.get(key) ?? 0) + 1);
          text = outcome.text;
        } catch (error) {
          failures.push(
            `${note.path} edit ${done} ${JSON.stringify(op)}: ${error instanceof Error ? error.message : error}`,
          );
          if (failures.length > 20) done = EDITS;
          break;
        }
      }
    }
    const table = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, count]) => `${key}: ${count}`);
    console.log(
      `${EDITS} edits over ${vaults.flat().length} notes of ${vaults.length} vaults, seed ${SEED}\n${table.join('\n')}`,
    );
    expect(failures).toEqual([]);
  },
  3_600_000,
);
if (!existsSync(VAULTS)) console.log('patch-fuzz: skipped, no folder of vaults (set LECTERN_SHARED)');
