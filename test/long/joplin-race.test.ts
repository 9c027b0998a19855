import { expect, it } from 'vitest';
import { hasJoplin, startJoplin } from '../joplin/joplin.ts';
import { race, raceWords, seededRandom } from '../support/joplin-race.ts';

/** A minute of Lectern and another program at the same notes of a real Joplin. */
it.skipIf(!hasJoplin)(
  'loses nothing but what its last look could not see',
  { timeout: 600_000 },
  async () => {
    const joplin = await startJoplin();
    const report = await race(joplin, 60_000, seededRandom(2));
    console.log(raceWords(report));
    expect(report.lecternLost).toEqual([]);
    expect(report.otherLost.length).toBeLessThan(report.other * 0.15);
    await joplin.close();
  },
);
