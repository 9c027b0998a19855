import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mathRule } from '../dialects/math-rule.ts';
import { wikiBrackets } from '../dialects/wiki-rule.ts';
import { parseMarkdown } from '../markdown.ts';
import type { Span } from '../model.ts';
import { parseNote } from '../parse.ts';
import { LineIndex } from '../text.ts';
import { type Comment, hideComments, readComments } from './comments.ts';
import { displayMath, hasOpenMath } from './display-math.ts';
import { InlineScan } from './inline.ts';
import { structureSpans } from './runs.ts';

const read = (text: string) => parseNote(text, { dialect: 'obsidian' });

/** The headings, tags and links found in a note. */
function seen(text: string): string {
  const { headings, tags, links } = read(text);
  return [
    ...headings.map(({ line, text: own }) => `${line} ${own}`),
    ...tags.map(({ name }) => `#${name}`),
    ...links.map(({ target }) => `[[${target}]]`),
  ].join(' ');
}

describe('a block comment', () => {
  it.each<[string, string, string]>([
    ['at the start', '%%\n# no #no [[no]]\n%%\n# H\n', '4 H'],
    ['below front matter', '---\na: 1\n---\n%%\n# no #no [[no]]\n%%\n#yes [[yes]]\n', '#yes [[yes]]'],
    ['below front matter with a CR', '---\r\na: 1\r\n---\r\n%%\r\n# no\r\n%%\r\n# H\r\n', '7 H'],
    ['behind a byte order mark', '\ufeff%%\n# no\n%%\n# H\n', '4 H'],
    ['that holds half a fence', '%%\n```\n%%\n[[yes]]\n', '[[yes]]'],
    ['that holds half an HTML comment', '%%\n<!--\n%%\n\n# H\n', '5 H'],
    ['that holds half of math', '%%\n$$\n%%\n# H\n\n$$\n# no\n$$\n', '4 H'],
    ['that holds half an element', '%%\n<div>\n%%\n# H\n', '4 H'],
    ['that holds a list', '%%\n- a\n%%\n\n    #code\n# H\n', '6 H'],
    ['that cuts a paragraph short', 'text `a\n%%\nb` # no\n%%\n`#no` #yes\n', '#yes'],
    ['with text behind it', '%%\nno #no\n%% #yes # no\n', '#yes'],
    ['with text behind it, far to the right', '%%\nno\nand more of it %% #yes\n', '#yes'],
    ['of two lines', '%% #no\n#no %%\n# H\n', '3 H'],
    ['between a paragraph and its underline', 'text\n%%\nno\n%%\n===\n# H\n', '6 H'],
    ['in a quote', '> %%\n> # no #no\n>\n> [[no]]\n> %%\n> #yes\n\n# H\n', '8 H #yes'],
    ['in a callout', '> [!note] T\n> %%\n> #no\n> %%\n> [[yes]]\n', '[[yes]]'],
    ['behind a bullet', '- %%\n  #no\n\n  #no\n  %%\n  #yes\n\n# H\n', '8 H #yes'],
    ['in a nested item', '- a\n    - %%\n      #no\n\n      #no\n      %%\n      #yes\n', '#yes'],
    ['in an item with tabs', '- a\n\t- %%\n\t\t#no\n\n\t\t#no\n\t\t%%\n\t\t#yes\n', '#yes'],
    ['below a table', '| a |\n|---|\n| b |\n%%\n| #no |\n%%\n#yes\n', '#yes'],
    ['in a footnote', '[^1]: %%\n    #no\n\n    #no\n    %%\n    #yes\n', '#yes'],
  ])('%s', (_, text, right) => expect(seen(text)).toBe(right));

  it('has no part in the block ids around it', () => {
    const { blocks, text } = read('para\n\n%% a ^no\nb ^no\n%%\n\n^id\n');
    expect(blocks.map(({ id, span }) => [id, text.slice(span.start, span.end)])).toEqual([['id', 'para']]);
  });

  it('holds no task', () => {
    expect(read('%%\n- [ ] no\n%%\n- [ ] yes\n').tasks.map(({ text }) => text)).toEqual(['yes']);
  });
});

describe('an inline comment', () => {
  it.each<[string, string, string]>([
    ['on one line', 'a %% #no [[no]] %% #yes [[yes]]\n', '#yes [[yes]]'],
    ['that opens the line', '%% #no %% #yes # no\n', '#yes'],
    ['alone', '%% #no %%\n# H\n', '2 H'],
    ['over several lines', 'a %% #no\n[[no]]\n%% #yes\n\n# H\n', '5 H #yes'],
    ['over several lines of a quote', '> a %% #no\n> [[no]]\n> %% #yes\n', '#yes'],
    ['in a list item', '- a %% #no %% #yes\n- #yes2\n', '#yes #yes2'],
    ['in a heading', '# A %% #no %% #yes\n', '1 A %% #no %% #yes #yes'],
    ['in a table cell', '| %% #no %% #yes | #yes2 |\n|---|---|\n', '#yes #yes2'],
    ['with half a code span', 'a %% ` #no %% `#no` #yes\n', '#yes'],
    ['with half an element', 'a %% <b #no %% #yes >\n', '#yes'],
    ['with brackets', 'a %% [[no %% #yes ]] [[yes]]\n', '#yes [[yes]]'],
    ['with half of a link', '[a %% ](no.md) %% b](yes.md)\n', '[[yes.md]]'],
    ['that is empty', 'a %%%% #yes %%%%\n', '#yes'],
    ['of three signs', '%%% #no %% #yes\n', '#yes'],
    ['behind an escaped sign', '\\%%% #no %% #yes\n', '#yes'],
  ])('%s', (_, text, right) => expect(seen(text)).toBe(right));
});

describe('no comment', () => {
  it.each<[string, string, string]>([
    ['an unclosed block', '%%\n# H\n\n#yes\n', '2 H #yes'],
    ['an unclosed mark in a line', 'a %% #yes\n\n# H\n\n[[yes]]\n', '3 H #yes [[yes]]'],
    ['a mark whose paragraph ends', 'a %% #yes\n\n#yes2 %%\n\n# H\n', '5 H #yes #yes2'],
    ['a mark whose quote ends', '> %%\n> #yes\n\n#yes2 %%\n# H\n', '5 H #yes #yes2'],
    ['a mark whose item ends', '- %%\n\n#yes\n\n%%\n# H\n', '6 H #yes'],
    ['a mark whose cell ends', '| a %% #yes | b %% |\n|---|---|\n', '#yes'],
    ['marks in code spans', 'a `%%` #yes `%%` [[yes]]\n', '#yes [[yes]]'],
    ['marks in a fence', '```mermaid\n%% a\n```\n# H\n\n```mermaid\n%%{init}%%\n%%\n```\n#yes\n', '4 H #yes'],
    ['marks in a quoted fence', '> ```\n> %%\n> ```\n> #yes\n\n# H\n\n%%\n#yes2\n', '6 H #yes #yes2'],
    ['marks in indented code', 'a\n\n    %%\n\n# H\n\n    %%\n', '5 H'],
    ['marks in HTML', '<!-- %% -->\n# H\n\n<!-- %% -->\n#yes\n', '2 H #yes'],
    ['marks in math', '$$\n%%\n$$\n# H\n\n$a %% b$ #yes $%%$\n', '4 H #yes'],
    ['marks in links', '[[a%%b]] #yes [x](c%%d.md) #yes2\n', '#yes #yes2 [[a%%b]] [[c%%d.md]]'],
    ['escaped marks', '\\%% #yes \\%%\n', '#yes'],
    ['front matter', '---\na: "%%"\n---\n# H\n%%\n#yes\n', '4 H #yes'],
  ])('%s', (_, text, right) => expect(seen(text)).toBe(right));

  it.each(['silverbullet', 'logseq'] as const)('in %s', (dialect) => {
    expect(parseNote('%%\n[[a]]\n%%\n', { dialect }).links).toHaveLength(1);
  });
});

/** Texts around a comment, as `[text, what is found in it]`. */
const VISIBLE: readonly [string, string][] = [
  ['# H\n', 'H'],
  ['Set\n===\n', 'Set'],
  ['#tag and [[Link]]\n', '#tag [[Link]]'],
  ['- item #a\n  - nested [[B]]\n', '#a [[B]]'],
  ['> quote [[Q]]\n', '[[Q]]'],
  ['```\n# code %% x\n```\n', ''],
  ['| a | [[T]] |\n|---|---|\n| `%%` | #t |\n', '[[T]] #t'],
  ['`%%` text `a %%` #c\n', '#c'],
  ['a %% #no %% #d %% [[no]]\n%% [[E]]\n', '#d [[E]]'],
  ['- [ ] task ^id\n', ''],
  ['$$\nm %% n\n$$\n', ''],
];
/** Lines inside a comment: halves of every construct. */
const HIDDEN = [
  '# no',
  '#no [[no]]',
  '```',
  '~~~~',
  '<!--',
  '-->',
  '<div>',
  '$$',
  '- a',
  '1. b',
  '> c',
  '| d |',
  '|---|',
  '===',
  '---',
  '`e',
  '[[f',
  '    g',
  '\t- h',
  '[i]: no.md',
  '%',
  '\\',
  '',
];

it('a block comment takes nothing away but itself, whatever it holds', () => {
  const visible = fc.constantFrom(...VISIBLE);
  const comment = fc.array(fc.constantFrom(...HIDDEN), { maxLength: 5 });
  const parts = fc.array(fc.tuple(comment, visible), { maxLength: 5 });
  fc.assert(
    fc.property(visible, parts, fc.constantFrom('\n', '\r\n'), fc.boolean(), (first, rest, eol, quoted) => {
      const pieces = [first[0], ...rest.map(([held, [text]]) => `%%\n${held.join('\n')}\n%%\n\n${text}`)];
      const lines = pieces.join('\n').split('\n');
      // Headings in a quote are not headings of the note.
      const text = lines.map((line) => (quoted ? `> ${line}` : line)).join(eol);
      const { headings, tags, links } = read(text);
      const found = [
        ...headings.map((one) => [one.textSpan.start, one.text] as const),
        ...tags.map((one) => [one.span.start, `#${one.name}`] as const),
        ...links.map((one) => [one.span.start, `[[${one.target}]]`] as const),
      ];
      const right = [first, ...rest.map(([, one]) => one)].flatMap(([, words]) => words.split(' '));
      expect(found.sort((a, b) => a[0] - b[0]).map(([, word]) => word)).toEqual(
        right.filter((word) => word !== '' && !(quoted && /^[A-Z]/.test(word))),
      );
    }),
    { numRuns: 500 },
  );
});

/** The parser and the scanner's context, combined as in `parseNote`. */
function reading(text: string) {
  const openMath = hasOpenMath(text, 0);
  const parse = (source: string) => parseMarkdown(source, 0, 'obsidian', !openMath);
  const contextOf = (source: string, nodes: ReturnType<typeof parse>, hidden: readonly Span[]) => {
    const math = openMath ? displayMath(source, 0, nodes).spans : [];
    return {
      ...structureSpans(text, nodes, [...hidden, ...math], 'obsidian'),
      text,
      lines: new LineIndex(text),
    };
  };
  return { parse, contextOf };
}

/**
 * A direct implementation of the rule, one comment at a time: the whole text is parsed again with the comments
 * found so far hidden, and the first mark that is not text is searched after the end of the last comment.
 */
function slowComments(text: string): readonly Comment[] {
  const { parse, contextOf } = reading(text);
  const comments: Comment[] = [];
  for (let from = 0; ; ) {
    const source = hideComments(text, comments);
    const nodes = parse(source);
    const context = contextOf(source, nodes, comments);
    let next: Comment | undefined;
    while (next === undefined) {
      const at = text.indexOf('%%', from);
      if (at < 0) return comments;
      from = at + 2;
      const covering = [...context.opaque, ...context.destinations].find(
        ({ start, end }) => start <= at && at < end,
      );
      const run = context.runs.find(({ start, end }) => start <= at && at < end);
      if (covering !== undefined || run === undefined) {
        from = at + 1;
        continue;
      }
      if (/(?:^|[^\\])(?:\\\\)*\\$/.test(text.slice(0, at))) {
        from = at + 1;
        continue;
      }
      const inline = inlineSpans(context, run).find(({ start, end }) => start < at && at < end);
      if (inline !== undefined) {
        from = inline.end;
        continue;
      }
      const close = text.indexOf('%%', at + 2);
      if (close < 0) return comments;
      const before =
        text
          .slice(0, at)
          .split(/[\r\n]/)
          .at(-1) ?? '';
      const opens = /^(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]|\[\^[^\]]+\]:)*$/.test(before);
      const block = opens && /[\r\n]/.test(text.slice(at, close));
      const around = nodes
        .filter(({ kind }) => kind === 'blockquote' || kind === 'listItem' || kind === 'footnoteDefinition')
        .filter(({ start, end }) => start <= run.start && run.end <= end)
        .sort((a, b) => a.end - a.start - (b.end - b.start))[0];
      const limit = block ? (around?.end ?? text.length) : run.end;
      if (close + 2 <= limit) next = { start: at, end: close + 2, block };
    }
    comments.push(next);
    from = next.end;
  }
}

/** Wikilinks and `$math$` of one run. */
function inlineSpans(
  context: ReturnType<ReturnType<typeof reading>['contextOf']>,
  run: Span,
): readonly Span[] {
  const spans: Span[] = [];
  const scan = new InlineScan({ ...context, runs: [run] });
  const { opaque } = scan.run({
    rules: {
      $: mathRule,
      '[': (inner, at) => {
        const span = wikiBrackets(inner, at)?.span;
        if (span !== undefined) spans.push(span);
        return span?.end ?? at + 1;
      },
    },
  });
  return [...spans, ...opaque];
}

const PIECES = [
  ...['%', '\\%%', '%%%'],
  ...['\n', '\n', '\n\n', '\r\n', '  ', '    ', '\t'],
  ...['```\n', '~~~\n', '`', '``', '<!--', '-->', '<div>\n', '<b>', '$$', '$$\n', '$'],
  ...[
    '- ',
    '- [ ] ',
    '1. ',
    '2) ',
    '> ',
    '> > ',
    '# ',
    '===\n',
    '---\n',
    '| a | b |\n|---|---|\n',
    '| ',
    ' |',
  ],
  ...['[[', ']]', '[', '](x.md)', '](y%%z)', '[k]: z.md\n', '[^1]: ', '[^1]', '\\', '!'],
  ...['#tag', '[[L]]', 'word', ' ', ' ^id\n', '*', '_', '😀'],
];

it('are the ones of the slow reading of the rule', () => {
  const piece = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...PIECES) },
    { weight: 1, arbitrary: fc.constantFrom('%%', '\n%%\n', '\n\n%%\n', 'word\n\n') },
  );
  const documents = fc
    .array(piece, { minLength: 10, maxLength: 60, size: 'max' })
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(documents, (text) => {
      const { parse, contextOf } = reading(text);
      const { comments } = readComments(text, parse(text), parse, contextOf);
      expect(comments).toEqual(slowComments(text));
    }),
    { numRuns: 1500 },
  );
});
