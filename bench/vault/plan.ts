import type { Random } from '../support/random.ts';
import type { NotePlan } from './note-text.ts';
import { capitalised, cjkText, type Language } from './words.ts';

/** Sizes follow a log-normal law: half of the notes under 2.4 KB, one in a hundred above about 20 KB. */
const MEDIAN_BYTES = 2400;
const SPREAD = 0.95;
const MOST_BYTES = 400_000;
const FIRST_DAY = Date.UTC(2016, 0, 1);
const DAYS = 3650;
const DAY_MS = 86_400_000;

/** Decides what notes there are: names, folders, sizes. No two have the same path. */
export function planNotes(random: Random, language: Language, notes: number): NotePlan[] {
  const taken = new Set<string>();
  return Array.from({ length: notes }, (_, at) => {
    const topic = random.pick(language.topics);
    const day = dayOf(random.below(DAYS));
    const cjk = random.chance(0.04);
    const size = Math.round(Math.min(MOST_BYTES, MEDIAN_BYTES * Math.exp(SPREAD * random.normal())));
    const draw = random.next();
    let title = language.title(random, topic);
    let folder = random.chance(0.25)
      ? `${topic.folder}/${capitalised(language.topical(random, topic))}`
      : topic.folder;
    if (draw < 0.08) [title, folder] = [day, `Daily/${day.slice(0, 4)}`];
    else if (draw < 0.09) title = 'Index';
    else if (draw < 0.1) title = `${cjkText(random, random.between(2, 6))} ${title}`;
    else if (draw < 0.14) folder = '';
    if (taken.has(key(folder, title))) title = `${title} ${at}`;
    taken.add(key(folder, title));
    return { path: `${folder === '' ? '' : `${folder}/`}${title}.md`, title, topic, size, day, cjk };
  });
}

/** Two names that differ in case only are one file on many disks. */
function key(folder: string, title: string): string {
  return `${folder}/${title}`.toLowerCase();
}

function dayOf(index: number): string {
  return new Date(FIRST_DAY + index * DAY_MS).toISOString().slice(0, 10);
}
