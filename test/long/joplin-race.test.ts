import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasJoplin, type Joplin, startJoplin } from '../joplin/joplin.ts';
import { race, raceWords, seededRandom } from '../support/joplin-race.ts';

/** A minute of Lectern and another program at the same notes of a real Joplin, undisturbed and with its end in the middle. */

let joplin: Joplin;
beforeAll(async () => {
  if (hasJoplin) joplin = await startJoplin();
}, 600_000);
afterAll(() => joplin?.close());

it.skipIf(!hasJoplin).each([false, true])(
  'loses nothing but what its last look could not see (killed in the middle: %s)',
  { timeout: 600_000 },
  async (killed) => {
    const report = await race(joplin, 60_000, seededRandom(2), { killed });
    console.log(raceWords(report));
    expect(report.lecternLost).toEqual([]);
    expect(report.otherLost.length).toBeLessThan(report.other * 0.05);
  },
);
