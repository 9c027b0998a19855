import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  actionsOf,
  callOf,
  outcomeOf,
  type RanCase,
  type RecordedCase,
  recordedCases,
  type StepOutcome,
  type StepRight,
  withCase,
} from './support/case-runner.ts';

/**
 * The second collection of recorded cases, carried out through the operations over whole vaults. What
 * a case fixes in data is compared as data; where it says in words what is right, the check is below.
 */
const CASES = recordedCases('cases-2.jsonl');

type Check = (ran: RanCase & { readonly last: StepOutcome }) => Promise<void> | void;

const codeOf = (outcome: StepOutcome | undefined) => outcome?.error?.code;
const pathsOf = (list: unknown) => (list as readonly { readonly path: string }[]).map((one) => one.path);

/** Checks of what the cases say in words. */
const IN_WORDS: Readonly<Record<string, Check>> = {
  'cli-01': ({ last }) => expect(pathsOf(last.out.results)).toEqual(['A.md']),
  'link-17': ({ outcomes }) => expect(linkTargets(outcomes[0])).toContain(null),
  'fm-22': ({ outcomes }) =>
    expect(outcomes[1]?.out.frontmatter).toMatchObject({
      t: '10:00',
      d: '2026-03-16',
      dt: '2026-05-13T20:00:00-04:00',
      n: '1_000',
      y: 'no',
    }),
  'fm-24': ({ outcomes }) => {
    expect(pathsOf(outcomes[0]?.out.results).sort()).toEqual(['A.md', 'C.md']);
    expect(pathsOf(outcomes[1]?.out.results)).toEqual(['C.md']);
    expect(outcomes[3]?.error?.message).toMatch(/line 2\b/);
  },
  'fm-25': async ({ vault }) => {
    const block = /^---\n([\s\S]*?)\n---\n/.exec(vault.file('N.md') ?? '')?.[1] ?? '';
    const read = await outcomeOf(vault, ['note_read', { path: 'N.md', include: ['frontmatter'] }]);
    expect(read.out.frontmatter).toEqual(parse(block));
    expect(read.out.frontmatter).toEqual({
      'Status: Rate:': 'a',
      özet: 'b',
      '#x': 'c',
      '- y': 'd',
      null: 'e',
      '2024': 'f',
      '*s': 'g',
      '@m': 'h',
    });
  },
  'sec-22': ({ outcomes }) => {
    expect(codeOf(outcomes[2])).toBe('ambiguous');
    expect(JSON.stringify(outcomes[2]?.error)).toMatch(/\b7\b.*\b8\b/);
  },
  'saf-08': ({ vault }) => {
    const folders = new Set(Object.keys(vault.files()).map((path) => path.split('/')[0]));
    expect([...folders]).toEqual(['Projects']);
  },
  'idx-01': ({ outcomes, vault }) => {
    for (const one of outcomes) expect(one.error?.message).toMatch(/iCloud|download/i);
    expect(vault.file('MyNote.md')).toBeUndefined();
  },
  'idx-02': ({ outcomes }) => {
    expect(linkTargets(outcomes[0])).toEqual(['Pad.md']);
    expect(linksOf(outcomes[0])[0]?.ambiguous ?? false).toBe(false);
    expect(pathsOf(outcomes[1]?.out.results)[0]).toBe('Pad.md');
    const status = JSON.stringify(outcomes[2]?.out);
    expect(status).toContain('Pad.sync-conflict-20230112-003022-ABCDEFG.md');
    expect(status).toContain('Pad (conflicted copy 2026-07-10 070952).md');
  },
  'idx-03': ({ outcomes }) => {
    expect(sourcesOf(outcomes[1])).toEqual(['New.md']);
    expect(listOf<{ target: string }>(outcomes[2], 'unresolved').map((one) => one.target)).toEqual([
      'sub/Nope',
    ]);
    expect(outcomes[4]?.out.unresolved).toEqual([]);
  },
  'idx-05': ({ last }) => expect(pathsOf(last.out.results)).toEqual(['A.md']),
  'log-05': ({ vault, last }) => {
    const page = vault.file('pages/ETPDEnew.md');
    if (page?.startsWith('title:: ETPDEnew')) expect(vault.file('pages/N.md')).toBe('- [[ETPDEnew]]\n');
    else expect(last.text).toContain('title::');
  },
  'o-hd-5': ({ vault }) => {
    expect(vault.file('T.md')).toMatch(/^A \| B: \[c\]\n=+\n\n## Sub\n\n\[\[#[^\n]+\]\] \[x\]\(#[^\n]+\)\n$/);
    const note = vault.file('N.md') ?? '';
    expect(note).not.toMatch(/\[\[T#Old name\\\|a\]\]/);
    expect(note).toMatch(/^\| a \|\n\| - \|\n\| \[\[T#[^\n]+\\\|a\]\] \|\n/);
    expect(note).toMatch(/!\[\[T#[^\n]+#Sub\]\] \[\[T#Sub\]\] \[y\]\(<T\.md#[^\n>]+> "t"\)/);
    expect(note).toContain('`[[T#Old name]]`');
    expect(note).not.toMatch(/old name[^`]*#Sub/i);
  },
  'o-sec-6': ({ vault, last }) => {
    if (last.error !== undefined) expect(vault.file('S.md')).toBe('# A\n\n```js\ncode\n');
    else if (!/```js\ncode\n```\n/.test(vault.file('S.md') ?? '')) expect(last.text).toMatch(/fence/i);
  },
  'p-hd-7': ({ vault, outcomes }) => {
    if (codeOf(outcomes[0]) !== undefined) {
      expect(vault.file('T.md')).toBe('# Old\n\ntext\n');
      return;
    }
    expect(vault.file('T.md')).toBe('# Plan [2026]\n\ntext\n');
    expect(linkTargets(outcomes[1])).toEqual(['T.md', 'T.md']);
    expect(vault.file('N.md')).not.toMatch(/\]\]\]/);
    expect(vault.file('N.md')).not.toContain('Old');
  },
  'r-saf-1': ({ vault }) => {
    const folders = new Set(Object.keys(vault.files()).map((path) => path.split('/')[0]?.toLowerCase()));
    expect(new Set(Object.keys(vault.files()).map((path) => path.split('/')[0])).size).toBe(folders.size);
  },
  'r-rep-1': ({ last }) =>
    expect(JSON.stringify(last.out)).toMatch(/"(?:left_alone_total|mentions_total|left_total)":4\b/),
  'r-md-1': ({ vault, last }) => {
    expect(vault.file('T.md')).toBe('# Head [[B]]\n');
    if (!vault.file('N.md')?.includes('T#Head B')) expect(last.text).toMatch(/heading/i);
  },
  's-cm-1': ({ outcomes }) => {
    const lines = linksOf(outcomes[0]).map((one) => one.line);
    expect(lines).toEqual([3, 8]);
  },
};

/** Cases about processes, tool lists and prompts, which other tests run as what they are. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'cli-02',
  'cli-03',
  'cli-04',
  'cli-06',
  'cli-09',
  'cli-12',
  'day-03',
]);

describe('recorded cases', () => {
  test.each([...CASES.values()].filter((one) => !ELSEWHERE.has(one.id)).map((one) => [one.id, one] as const))(
    '%s',
    async (id, recorded) => {
      await withCase(recorded, async (ran) => {
        const { right } = recorded;
        const steps = right.steps ?? actionsOf(recorded).map(() => right);
        for (const [at, step] of steps.entries()) checkStep(recorded, at, step, ran.outcomes[at]);
        if (right.files !== undefined) expectFiles(right, ran.vault.files());
        const last = ran.outcomes.at(-1);
        if (last !== undefined) await IN_WORDS[id]?.({ ...ran, last });
      });
    },
  );

  test('every case is checked by something', () => {
    const unchecked = [...CASES.values()].filter(
      ({ id, right }) =>
        !ELSEWHERE.has(id) &&
        !(id in IN_WORDS) &&
        right.files === undefined &&
        right.steps === undefined &&
        right.links === undefined &&
        right.tags === undefined,
    );
    expect(unchecked.map(({ id }) => id)).toEqual([]);
  });
});

function checkStep(
  recorded: RecordedCase,
  at: number,
  right: StepRight | null,
  outcome: StepOutcome | undefined,
) {
  const action = actionsOf(recorded)[at];
  if (right === null || action === undefined || outcome === undefined) return;
  const name = callOf(action)?.[0];
  if (right.links !== undefined && name === 'link_forward') expect(linkTargets(outcome)).toEqual(right.links);
  if (right.tags !== undefined && action.op === 'tags') expect(outcome.out.tags).toEqual(right.tags);
  if (right.notes !== undefined) expect(pathsOf(outcome.out.results).sort()).toEqual([...right.notes].sort());
  if (right.first !== undefined) expect(pathsOf(outcome.out.results)[0]).toBe(right.first);
  if (right.sources !== undefined) expect(sourcesOf(outcome)).toEqual(right.sources);
  if (right.headings !== undefined)
    expect(
      (outcome.out.headings as { level: number; text: string; line: number }[]).map((one) => [
        one.level,
        one.text,
        one.line,
      ]),
    ).toEqual(right.headings);
  for (const words of right.has ?? [])
    expect(`${outcome.text}\n${JSON.stringify(outcome.out)}`.toLowerCase()).toContain(words.toLowerCase());
}

function expectFiles(right: RecordedCase['right'], files: Readonly<Record<string, string>>) {
  const accepted = [right.files ?? {}, ...(right.accept ?? [])];
  const seen = accepted.map((wanted) =>
    Object.fromEntries(Object.keys(wanted).map((path) => [path, files[path]])),
  );
  const fits = accepted.findIndex((wanted, at) => JSON.stringify(wanted) === JSON.stringify(seen[at]));
  if (fits === -1) expect(seen[0]).toEqual(accepted[0]);
}

interface ShownLink {
  readonly target?: string;
  readonly source?: string;
  readonly line: number;
  readonly ambiguous?: boolean;
}

const listOf = <T>(outcome: StepOutcome | undefined, key: string) =>
  (outcome?.out[key] ?? []) as readonly T[];
const linksOf = (outcome: StepOutcome | undefined) => listOf<ShownLink>(outcome, 'links');

/** Where the links of an answer lead, in order of the text; null for a link that leads nowhere. */
function linkTargets(outcome: StepOutcome | undefined): (string | null)[] {
  return linksOf(outcome).map((link) => link.target ?? null);
}

function sourcesOf(outcome: StepOutcome | undefined): string[] {
  return linksOf(outcome).map((link) => link.source ?? '');
}
