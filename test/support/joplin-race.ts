import { setTimeout as delay } from 'node:timers/promises';
import { isLecternError } from '../../src/errors.ts';
import { openJoplinStore } from '../../src/stores/joplin/joplin-store.ts';
import type { Joplin } from '../joplin/joplin.ts';
import { discard, openTestVault } from './test-vault.ts';

export interface RaceReport {
  /** Lines that each was told are written. */
  readonly lectern: number;
  readonly other: number;
  readonly conflicts: number;
  /** Writes of either that came to nothing, or nobody knows, as Joplin was away. */
  readonly refused: number;
  /** Lines of Lectern that are gone, and that the other did not overwrite with a text it had read before. */
  readonly lecternLost: readonly string[];
  /** Lines of the other that are gone: written in the milliseconds between Lectern's last look and its write. */
  readonly otherLost: readonly string[];
}

const NOTES = 4;
const FEW = 12;
/** The other program's pause between two changes, ms: some ten changes a second, by a person's standards a storm. */
const PAUSE_MS = { least: 40, most: 160 };

export interface RaceOptions {
  /** Joplin is killed in the middle, and started again. */
  readonly killed?: boolean;
}

/** Lectern and another program append lines to the same notes of a real Joplin, each as fast as it likes. */
export async function race(
  joplin: Joplin,
  forMs: number,
  random: () => number,
  { killed = false }: RaceOptions = {},
): Promise<RaceReport> {
  await joplin.seed(
    Object.fromEntries(Array.from({ length: NOTES }, (_, at) => [`Race/${at}.md`, 'Begin.\n'])),
  );
  const { url, token } = joplin;
  const vault = await openTestVault({}, { stores: async () => openJoplinStore({ url, token: () => token }) });
  const rows = (await joplin.call<{ items: { id: string; title: string }[] }>('GET', 'notes?fields=id,title'))
    .items;
  const ids = Array.from(
    { length: NOTES },
    (_, at) => rows.find(({ title }) => title === String(at))?.id ?? '',
  );
  const mine: { line: string; note: number }[] = [];
  const others: { line: string; note: number }[] = [];
  /** What the other had read when it wrote: a line of Lectern that is not in it was overwritten by the other. */
  const overwrites: { note: number; read: string }[] = [];
  let conflicts = 0;
  let refused = 0;
  // At least so long, and until each has written a few times, however busy the machine is.
  const until = Date.now() + forMs;
  const isOn = () => Date.now() < until || mine.length < FEW || others.length < FEW;
  const lectern = async () => {
    for (let n = 0; isOn(); n++) {
      const note = Math.floor(random() * NOTES);
      const line = `lectern-${n}.`;
      try {
        const { etag } = await vault.session.open(`Race/${note}.md`);
        await vault.session.patch(`Race/${note}.md`, [{ op: 'append_body', markdown: line }], {
          tool: 'race',
          ifMatch: etag,
        });
        mine.push({ line, note });
      } catch (error) {
        if (!isLecternError(error)) throw error;
        if (error.code === 'conflict') conflicts++;
        else if (killed && error.code === 'unavailable') {
          refused++;
          await delay(PAUSE_MS.least);
        } else throw error;
      }
    }
  };
  const other = async () => {
    for (let n = 0; isOn(); n++) {
      const note = Math.floor(random() * NOTES);
      const line = `other-${n}.`;
      try {
        const { body } = await joplin.call<{ body: string }>('GET', `notes/${ids[note]}?fields=body`);
        // Written also when Joplin ends before it says so.
        overwrites.push({ note, read: body });
        await joplin.call('PUT', `notes/${ids[note]}`, { body: `${body}${line}\n` });
        others.push({ line, note });
      } catch (error) {
        if (!killed) throw error;
        refused++;
      }
      await delay(PAUSE_MS.least + random() * (PAUSE_MS.most - PAUSE_MS.least));
    }
  };
  const interrupting = async () => {
    if (!killed) return;
    await delay(forMs / 2);
    await joplin.kill();
    await joplin.restart();
  };
  await Promise.all([lectern(), other(), interrupting()]);
  const texts = await Promise.all(
    ids.map(async (id) => (await joplin.call<{ body: string }>('GET', `notes/${id}?fields=body`)).body),
  );
  await vault.close();
  discard(vault);
  const isThere = ({ line, note }: { line: string; note: number }) => texts[note]?.includes(line) === true;
  // A line is once in a note, or nobody has read it: then the other wrote over it without having seen it.
  const wasSeen = ({ line, note }: { line: string; note: number }) =>
    overwrites.some((write) => write.note === note && write.read.includes(line));
  return {
    lectern: mine.length,
    other: others.length,
    conflicts,
    refused,
    lecternLost: mine.filter((line) => !isThere(line) && wasSeen(line)).map(({ line }) => line),
    otherLost: others.filter((line) => !isThere(line)).map(({ line }) => line),
  };
}

/** The report as a sentence. */
export function raceWords({
  lectern,
  other,
  conflicts,
  refused,
  lecternLost,
  otherLost,
}: RaceReport): string {
  return `race: ${lectern} writes of Lectern (${lecternLost.length} lost), ${conflicts} conflicts, ${other} of the other (${otherLost.length} overwritten in the window), ${refused} came to nothing while Joplin was away`;
}

/** Numbers of 0..1, always the same for one seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
