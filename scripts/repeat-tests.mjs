// Runs test files many times, one file after the other, and counts what passed:
// `node scripts/repeat-tests.mjs 50 test/a.test.ts …`. The report of each failed run is kept.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [times, ...files] = process.argv.slice(2);
const runs = Number(times);
if (!Number.isInteger(runs) || runs < 1 || files.length === 0) {
  console.error('Usage: node scripts/repeat-tests.mjs <runs> <test file>…');
  process.exit(2);
}

const kept = mkdtempSync(join(tmpdir(), 'lectern-repeated-'));
const counts = new Map(files.map((file) => [file, { passed: 0, failed: 0, seconds: 0 }]));

for (let run = 1; run <= runs; run++) {
  const report = join(kept, `run-${run}.json`);
  const vitest = ['vitest', 'run', '--maxWorkers=1', '--reporter=json', `--outputFile=${report}`, ...files];
  const { status, signal, error, stdout, stderr } = spawnSync('npx', vitest, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    shell: process.platform === 'win32',
  });
  if (status === null)
    console.log(`run ${run}: ended from outside (${signal ?? error?.message}), counted as failed`);
  const results = new Map(resultsOf(report).map((result) => [relative(root, result.name), result]));
  for (const [file, count] of counts) {
    const result = results.get(file.replaceAll('\\', '/'));
    if (result !== undefined) count.seconds += (result.endTime - result.startTime) / 1000;
    if (result?.status === 'passed') {
      count.passed += 1;
      continue;
    }
    count.failed += 1;
    const failed = (result?.assertionResults ?? []).filter(({ status }) => status === 'failed');
    console.log(`run ${run}: ${file} failed${failed.map(({ fullName }) => `\n  ${fullName}`).join('')}`);
    writeFileSync(
      join(kept, `run-${run}.txt`),
      [
        ...failed.flatMap(({ fullName, failureMessages }) => [fullName, ...failureMessages]),
        stdout,
        stderr,
      ].join('\n'),
    );
  }
  if (run % 5 === 0 || run === runs) summarize(run);
}
process.exitCode = [...counts.values()].some(({ failed }) => failed > 0) ? 1 : 0;

/** @returns one result for each test file; none when the run ended before it could report */
function resultsOf(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    return [];
  }
}

/** Prints for each file the runs passed and failed so far, and the mean time of its tests in seconds. */
function summarize(run) {
  console.log(`${new Date().toISOString().slice(11, 19)} after ${run} of ${runs} runs (reports in ${kept}):`);
  for (const [file, { passed, failed, seconds }] of counts) {
    const mean = (seconds / run).toFixed(1);
    console.log(`  ${passed} passed, ${failed} failed, ${mean} s  ${file}`);
  }
}
