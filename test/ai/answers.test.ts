import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Assistant, PartialAnswer } from '../../src/ai/assistant.ts';
import { EXTRACTIVE } from '../../src/ai/extractive.ts';
import { aiAsk } from '../../src/operations/ai-ask.ts';
import { aiRelate } from '../../src/operations/ai-relate.ts';
import { aiSummarize } from '../../src/operations/ai-summarize.ts';
import { aiToc } from '../../src/operations/ai-toc.ts';
import { parseInput } from '../../src/operations/call/input.ts';
import { runOperation } from '../../src/operations/call/run.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { discard, openTestVault, type TestVault } from '../support/test-vault.ts';
import { passagesIn, type Script, ScriptedAssistant } from './scripted-assistant.ts';

const NOTES = {
  'Boats/Jib.md':
    '---\ntags: [sail]\n---\n# Jib\n\nThe jib is a triangular sail set before the mast. It is hoisted on the forestay of the boat.\n\n## Care\n\nA wet jib is dried before it is folded. See [[Mast]].\n\n```\nhoist --sail jib\n```\n',
  'Boats/Mast.md':
    '---\ntags: [sail]\nup: "[[Boats]]"\n---\n# Mast\n\nThe mast carries the sails of the boat. The forestay holds the mast from the bow.\n',
  'Boats.md': '# Boats\n\nEverything about the boat and its sails is collected here.\n',
  'Kitchen.md':
    '# Bread\n\nSourdough rests for twelve hours before it is baked. Flour and water are all it takes.\n',
};

let vault: TestVault;
beforeEach(async () => {
  vault = await openTestVault(NOTES);
});
afterEach(async () => {
  await vault.close();
  discard(vault);
});

async function run<Out>(operation: Operation, given: object, assistant: Assistant = EXTRACTIVE) {
  const parts: PartialAnswer[] = [];
  const context = {
    signal: new AbortController().signal,
    progress: () => {},
    assistants: () => assistant,
    partial: (part: PartialAnswer) => parts.push(part),
  };
  const input = parseInput(operation, given);
  const out = await runOperation(operation, vault.session, input, context);
  expect(operation.output.strict().parse(out)).toEqual(out);
  return {
    out: out as Out,
    text: `${operation.summarise(out, input)}\n${operation.render(out, input)}`,
    parts,
  };
}
const model = (script: Script, tokens?: number) => new ScriptedAssistant(script, tokens);

interface Cited {
  readonly answer: string;
  readonly summary: string;
  readonly found: boolean;
  readonly sentences: { text: string; citations: number[]; supported: boolean }[];
  readonly citations: {
    path: string;
    line_start: number;
    line_end: number;
    etag: string;
    quote: string;
    heading?: string;
  }[];
  readonly dropped_citations: number;
  readonly withheld: number;
  readonly notice?: string;
  readonly left_out: { path: string; reason: string }[];
}

/** Every citation stands in the file that it names. */
function expectProof({ citations }: Pick<Cited, 'citations'>): void {
  for (const { path, line_start, line_end, quote } of citations) {
    const lines = (vault.file(path) ?? '').split(/(?<=\n)/).slice(line_start - 1, line_end);
    expect(lines.join('')).toContain(quote);
  }
}

describe('without a model', () => {
  it('a question is answered with the best passages, quoted', async () => {
    const { out, text } = await run<Cited>(aiAsk, { question: 'how long does sourdough rest' });
    expect(out).toMatchObject({ found: true, mode: 'extractive', dropped_citations: 0 });
    expect(out.citations[0]).toMatchObject({ path: 'Kitchen.md', line_start: 3, heading: 'Bread' });
    expect(out.citations[0]?.quote).toContain('rests for twelve hours');
    expect(out.sentences.every(({ supported, citations }) => supported && citations.length > 0)).toBe(true);
    expectProof(out);
    expect(text).toContain('Kitchen.md:3');
  });

  it('what no note has a word of is not in the notes', async () => {
    const { out } = await run<Cited>(aiAsk, { question: 'xylophone zeppelin' });
    expect(out).toMatchObject({ found: false, answer: 'Not in your notes.', citations: [] });
  });

  it('a scope holds', async () => {
    const { out } = await run<Cited>(aiAsk, { question: 'forestay of the mast', scope: { paths: ['Jib'] } });
    expect(new Set(out.citations.map(({ path }) => path))).toEqual(new Set(['Boats/Jib.md']));
  });

  it('a summary has the sentences of prose, no code, no properties, and keeps its length', async () => {
    const { out } = await run<Cited>(aiSummarize, { scope: { path_glob: 'Boats/**' }, length: 'short' });
    expect(out.sentences.length).toBeGreaterThan(0);
    expect(out.sentences.length).toBeLessThanOrEqual(3);
    expect(out.summary).not.toMatch(/hoist --sail|tags:/);
    expectProof(out);
    const again = await run<Cited>(aiSummarize, { scope: { path_glob: 'Boats/**' }, length: 'short' });
    expect(again.out).toEqual(out);
  });

  it('relations are those that the notes show, with the lines that do', async () => {
    const { out } = await run<
      {
        related: { path: string; relations: { relation: string; citations: number[] }[]; tags: string[] }[];
      } & Cited
    >(aiRelate, { source: 'Boats/Mast.md', candidates: ['Boats/Jib.md', 'Boats.md', 'Kitchen.md'] });
    const of = (path: string) =>
      out.related.find((each) => each.path === path)?.relations.map(({ relation }) => relation);
    expect(of('Boats/Jib.md')).toEqual(expect.arrayContaining(['linked_from', 'same_tag']));
    expect(of('Boats.md')).toEqual(expect.arrayContaining(['links_to', 'part_of']));
    expect(of('Kitchen.md')).toEqual([]);
    expectProof(out);
  });

  it('drafts of links are answered and nothing is written', async () => {
    const before = vault.files();
    const { out } = await run<{
      drafts: { target: string; line?: number; old?: string; replacement: string }[];
    }>(aiRelate, {
      source: 'Boats/Mast.md',
      candidates: ['Boats/Jib.md', 'Kitchen.md'],
      propose_links: true,
    });
    expect(out.drafts.map(({ target }) => target)).toEqual(expect.arrayContaining(['Boats/Jib.md']));
    expect(vault.files()).toEqual(before);
  });

  it('a table of contents has the headings; a map becomes a note by the write path', async () => {
    const { out: toc } = await run<{ markdown: string }>(aiToc, { mode: 'note', path: 'Boats/Jib.md' });
    expect(toc.markdown).toBe('# Jib\n\n- [[Jib#Jib|Jib]]\n  - [[Jib#Care|Care]]\n');
    const map = {
      mode: 'folder',
      path: 'Boats',
      write: { path: 'Boats/Map.md' },
      include_descriptions: true,
    };
    const { out: dry } = await run<{ dry_run: boolean; path: string; markdown: string }>(aiToc, {
      ...map,
      dry_run: true,
    });
    expect(dry).toMatchObject({ dry_run: true, path: 'Boats/Map.md' });
    expect(vault.file('Boats/Map.md')).toBeUndefined();
    const { out } = await run<{ created: boolean; write_id: number; markdown: string }>(aiToc, {
      ...map,
      if_not_exists: true,
    });
    expect(vault.file('Boats/Map.md')).toBe(out.markdown);
    expect(out.markdown).toMatch(/- \[\[Jib\]\]: .*jib/i);
    await expect(run(aiToc, { ...map, if_not_exists: true })).rejects.toMatchObject({ code: 'exists' });
    await expect(run(aiToc, { ...map, if_match: '0123456789abcdef' })).rejects.toMatchObject({
      code: 'conflict',
    });
    await vault.session.undo({ writeId: out.write_id, tool: 'note_undo' });
    expect(vault.file('Boats/Map.md')).toBeUndefined();
  });
});

describe('with a model', () => {
  const claim = (number: number, quote: string) => `It is so. [${number}: "${quote}"]`;

  it('every sentence keeps the citations whose quotes stand, and is marked without one', async () => {
    const assistant = model((request) => {
      const [[number, text] = [0, '']] = [...passagesIn(request)].filter(([, each]) =>
        each.includes('twelve hours'),
      );
      expect(text).toContain('Sourdough rests');
      return `It rests twelve hours. [${number}: "rests for twelve hours"]\nIt needs yeast. [${number}: "a pinch of dry yeast"]\nBake it hot.\n`;
    });
    const { out, parts } = await run<Cited>(aiAsk, { question: 'how long does sourdough rest' }, assistant);
    expect(out.sentences).toEqual([
      { text: 'It rests twelve hours.', citations: [1], supported: true },
      { text: 'It needs yeast.', citations: [], supported: false },
      { text: 'Bake it hot.', citations: [], supported: false },
    ]);
    expect(out.answer).toBe(
      'It rests twelve hours. [1] It needs yeast. [unsupported] Bake it hot. [unsupported]',
    );
    expect(out).toMatchObject({
      dropped_citations: 1,
      model: 'scripted-1',
      input_tokens: 10,
      output_tokens: 5,
    });
    expectProof(out);
    expect(parts.map(({ kind }) => kind)).toEqual(['partial', 'citation', 'partial', 'partial', 'usage']);
    expect(assistant.requests[0]?.notes.every(({ path, etag }) => path in NOTES && etag.length === 16)).toBe(
      true,
    );
  });

  it('cite required leaves out what has no support, and all of it where nothing has', async () => {
    const { out } = await run<Cited>(
      aiAsk,
      { question: 'sourdough rest', cite: 'required' },
      model(() => `Made up. [1: "words that stand nowhere at all"]\nMade up too.\n`),
    );
    expect(out).toMatchObject({ found: false, answer: 'Not in your notes.', withheld: 2, sentences: [] });
  });

  it('may say that the notes do not say it', async () => {
    const { out } = await run<Cited>(
      aiAsk,
      { question: 'sourdough rest' },
      model(() => 'NOT_IN_NOTES'),
    );
    expect(out).toMatchObject({ found: false, answer: 'Not in your notes.' });
  });

  it('an edit between reading and answering is noticed', async () => {
    const { out } = await run<Cited>(
      aiAsk,
      { question: 'how long does sourdough rest' },
      model((request) => {
        writeFileSync(
          join(vault.folder, 'Kitchen.md'),
          '# Bread\n\nSourdough rests for two days before it is baked.\n',
        );
        const number = [...passagesIn(request)].find(([, text]) => text.includes('twelve hours'))?.[0] ?? 0;
        return claim(number, 'rests for twelve hours');
      }),
    );
    expect(out).toMatchObject({ citations: [], dropped_citations: 1, sentences: [{ supported: false }] });
    expect(out.notice).toContain('Kitchen.md');
  });

  it('a scope that does not fit is read in parts, and the whole cites the notes all the same', async () => {
    for (let at = 0; at < 30; at += 1)
      await vault.session.write(
        `Long/${at}.md`,
        {
          body: `Fact number ${at} is that the harbour holds ${at} boats. ${'More is said of it here. '.repeat(40)}\n`,
        },
        { tool: 'note_write', dryRun: false },
      );
    const assistant = model(
      (request) =>
        [...passagesIn(request)]
          .slice(0, 6)
          .map(
            ([number, text]) =>
              `There are boats. [${number}: "${/the harbour holds \d+ boats/.exec(text)?.[0]}"]`,
          )
          .join('\n'),
      4000,
    );
    const { out } = await run<Cited>(aiSummarize, { scope: { path_glob: 'Long/**' } }, assistant);
    expect(assistant.requests.length).toBeGreaterThan(2);
    for (const { system, messages, maxTokens } of assistant.requests)
      expect(assistant.estimate(system + messages[0]?.content).inputTokens + maxTokens).toBeLessThanOrEqual(
        4000,
      );
    expect(out.citations.length).toBeGreaterThan(0);
    expectProof(out);
  });

  it('a relation counts when a quote of both notes stands', async () => {
    const script: Script = (request) => {
      const at = (words: string) =>
        [...passagesIn(request)].find(([, text]) => text.includes(words))?.[0] ?? 0;
      const jib = at('set before the mast');
      return {
        relations: [
          {
            passage: jib,
            relation: 'extends',
            quote_of_first: 'carries the sails of the boat',
            quote_of_other: 'a triangular sail set before',
          },
          {
            passage: jib,
            relation: 'contradicts',
            quote_of_first: 'carries the sails of the boat',
            quote_of_other: 'there is no sail at all',
          },
          { passage: 99, relation: 'supports', quote_of_first: 'carries the sails', quote_of_other: 'x' },
        ],
      };
    };
    const { out } = await run<
      { related: { path: string; relations: { relation: string }[] }[]; dropped_citations: number } & Cited
    >(aiRelate, { source: 'Boats/Mast.md', candidates: ['Boats/Jib.md'] }, model(script));
    const relations = out.related[0]?.relations.map(({ relation }) => relation) ?? [];
    expect(relations).toContain('extends');
    expect(relations).not.toContain('contradicts');
    expect(out.dropped_citations).toBe(2);
    expectProof(out);
  });
});
