/**
 * Writes a vault of made-up notes with the shape of real ones: folders by topic, daily notes, words by
 * Zipf's law, headings, links of every form with hubs among their targets, nested tags, properties,
 * tasks, code, tables, some Chinese and Japanese, sizes with a long tail. The same arguments give the
 * same bytes.
 *
 *   node scripts/run-ts.mjs bench/generate-vault.ts --notes 5000 --out <folder> [--seed 1]
 */
import { parseArgs } from 'node:util';
import { generateVault } from './vault/generate.ts';

const { values } = parseArgs({
  options: {
    notes: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
});
if (values.out === undefined) throw new Error('Say where to write: --out <folder>');
const started = performance.now();
const { samplePaths: _, ...facts } = generateVault(values.out, Number(values.notes), Number(values.seed));
console.log(JSON.stringify({ ...facts, seconds: Math.round(performance.now() - started) / 1000 }));
