import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer, McpProcess, ToolCall } from '../support/mcp-process.ts';
import type { Peer } from './peer.ts';
import {
  CAFE_MARK,
  CRLF_LINES,
  CRLF_NOTE,
  LINKING,
  NFC_NAME,
  ODD_NOTE,
  OPEN_END,
  OUTSIDE_MARK,
} from './probe-vault.ts';
import { lineEndings, otherLinesChanged } from './text-judge.ts';

/** A server at work on a fresh copy of the probe vault. */
export interface ProbeRun {
  readonly peer: Peer;
  readonly server: McpProcess;
  /** The vault's folder. */
  readonly vault: string;
}

export interface Verdict {
  /** Undefined: the server offers no tool for it. */
  readonly right: boolean | undefined;
  /** What was seen, in a few words. */
  readonly saw: string;
}

export interface Probe {
  readonly question: string;
  /** What would be right, shown beside the question. */
  readonly expected: string;
  run(at: ProbeRun): Promise<Verdict>;
}

const NOT_OFFERED: Verdict = { right: undefined, saw: 'not offered' };
const PARALLEL = 20;

export const PROBES: readonly Probe[] = [
  {
    question: 'Set one property',
    expected: 'no other line changes',
    run: (at) => frontmatterEdit(at, 'Odd.md', ODD_NOTE),
  },
  {
    question: 'The same in a note with CRLF',
    expected: 'no other line changes, all endings stay',
    run: (at) => frontmatterEdit(at, 'Windows.md', CRLF_NOTE),
  },
  {
    question: 'Replace two lines given with `\\n` in a note with CRLF',
    expected: 'found, endings stay',
    run: async (at) => {
      const call = at.peer.replaceText?.('Lines.md', 'first line\nsecond line', 'first line\nchanged line');
      return edited(at, call, 'Lines.md', CRLF_LINES, (text) => {
        if (text === CRLF_LINES.replace('second', 'changed'))
          return { right: true, saw: 'replaced, CRLF kept' };
        return { right: false, saw: `replaced, ${lineEndings(text)}` };
      });
    },
  },
  {
    question: 'Edit the body',
    expected: 'all the rest stays byte for byte',
    run: async (at) => {
      const { peer } = at;
      const call = peer.replaceText
        ? peer.replaceText('Odd.md', '- one', '- changed')
        : peer.append?.('Odd.md', 'changed\n');
      const wanted = peer.replaceText ? ODD_NOTE.replace('- one', '- changed') : `${ODD_NOTE}changed\n`;
      return edited(at, call, 'Odd.md', ODD_NOTE, (text) => ({
        right: text === wanted,
        saw: text === wanted ? 'yes' : 'other bytes changed',
      }));
    },
  },
  {
    question: 'Append to a note without a final newline',
    expected: 'on a line of its own, no blank line added',
    run: async (at) =>
      edited(at, at.peer.append?.('Open end.md', 'new line'), 'Open end.md', OPEN_END, (text) => {
        const between = /last line(\s*)new line/.exec(text)?.[1];
        const saw = { '': 'glued to the last line', '\n': 'newline', '\n\n': 'blank line between' }[
          between ?? '?'
        ];
        return { right: between === '\n', saw: saw ?? 'something else' };
      }),
  },
  {
    question: `${PARALLEL} appends at once to one note`,
    expected: 'all of them kept',
    run: parallelAppends,
  },
  {
    question: 'Move `Beta.md`, linked as `[[Beta]]`, to `Archive/Beta2.md`',
    expected: 'the link follows',
    run: async (at) => {
      const call = at.peer.move?.('Beta.md', 'Archive/Beta2.md');
      if (call === undefined) return NOT_OFFERED;
      const answer = await at.server.call(call);
      if (answer.isError) return refused(answer);
      if (!existsSync(join(at.vault, 'Archive/Beta2.md'))) return { right: false, saw: 'not moved' };
      const link = /\[\[.*?\]\]/.exec(fileText(at, 'Home.md'))?.[0] ?? 'link gone';
      return { right: ['[[Beta2]]', '[[Archive/Beta2]]'].includes(link), saw: `\`${link}\`` };
    },
  },
  {
    question: 'Backlinks of `Projects/Alpha` (two wikilinks, a Markdown link, a canvas)',
    expected: '4',
    run: async ({ peer, server }) => {
      const call = peer.backlinks?.('Projects/Alpha.md');
      if (call === undefined) return NOT_OFFERED;
      const answer = await server.call(call);
      if (answer.isError) return refused(answer);
      const found = LINKING.filter((name) => answer.text.includes(name));
      return { right: found.length === LINKING.length, saw: String(found.length) };
    },
  },
  {
    question: 'Read `Café` typed as one character, stored as two (macOS)',
    expected: 'found',
    run: async ({ peer, server }) => {
      const asStored = await server.call(peer.read(NFC_NAME.normalize('NFD')));
      if (!asStored.text.includes(CAFE_MARK)) return { right: false, saw: 'not even as it is stored' };
      const answer = await server.call(peer.read(NFC_NAME));
      const right = answer.text.includes(CAFE_MARK);
      return { right, saw: right ? 'found' : 'not found' };
    },
  },
  {
    question: 'Read a symlink to a file outside the vault',
    expected: 'refused',
    run: async ({ peer, server }) => {
      const answer = await server.call(peer.read('link.md'));
      const leaked = answer.text.includes(OUTSIDE_MARK);
      return { right: !leaked, saw: leaked ? 'read it' : 'refused' };
    },
  },
  {
    question: 'Search two words that stand apart in a note',
    expected: 'found',
    run: (at) => searchFinds(at, 'blue rudder', 'Rig.md'),
  },
  {
    question: 'Search a Japanese word inside a sentence (`計画`)',
    expected: 'found',
    run: (at) => searchFinds(at, '計画', '会議.md'),
  },
];

function fileText({ vault }: ProbeRun, path: string): string {
  return readFileSync(join(vault, path), 'utf8');
}

function refused({ text }: Answer): Verdict {
  // The words alone, where they come inside JSON.
  const inside = /"message":\s*("(?:[^"\\]|\\.)*")/.exec(text)?.[1];
  const words = (inside === undefined ? text : String(JSON.parse(inside))).replace(/\s+/g, ' ').trim();
  return { right: false, saw: `refused: ${words.length > 60 ? `${words.slice(0, 59)}…` : words}` };
}

/** Makes an edit and judges the file. A note that is as it was, though the server said it was edited, is a fault too. */
async function edited(
  at: ProbeRun,
  call: ToolCall | undefined,
  path: string,
  before: string,
  judge: (text: string) => Verdict,
): Promise<Verdict> {
  if (call === undefined) return NOT_OFFERED;
  const answer = await at.server.call(call);
  if (answer.isError) return refused(answer);
  const text = fileText(at, path);
  return text === before ? { right: false, saw: 'nothing changed' } : judge(text);
}

function frontmatterEdit(at: ProbeRun, path: string, before: string): Promise<Verdict> {
  const { peer } = at;
  const key = peer.setProperty ? 'status' : 'tags';
  const call = peer.setProperty ? peer.setProperty(path, 'status', 'done') : peer.addTag?.(path, 'rig');
  return edited(at, call, path, before, (text) => {
    const changed = otherLinesChanged(before, text, key);
    const endings = lineEndings(text);
    const endingsKept = endings === lineEndings(before);
    const faults = [
      ...(changed.length === 0
        ? []
        : [
            `${changed.length} lines change that should not: ${changed
              .slice(0, 2)
              .map((line) => `\`${line}\``)
              .join(', ')}, …`,
          ]),
      ...(endingsKept ? [] : [`endings: ${endings}`]),
    ];
    const how = peer.setProperty ? '' : ' (a tag added: no other property can be set)';
    return { right: faults.length === 0, saw: `${faults.length === 0 ? 'yes' : faults.join('; ')}${how}` };
  });
}

async function parallelAppends(at: ProbeRun): Promise<Verdict> {
  const { peer, server } = at;
  if (peer.append === undefined) return NOT_OFFERED;
  const append = peer.append.bind(peer);
  const lines = Array.from({ length: PARALLEL }, (_, index) => `entry ${index} end`);
  const answers = await Promise.all(lines.map((line) => server.call(append('Parallel.md', `${line}\n`))));
  const accepted = lines.filter((_, index) => !answers[index]?.isError);
  const text = fileText(at, 'Parallel.md');
  const kept = lines.filter((line) => text.includes(line)).length;
  const lost = accepted.filter((line) => !text.includes(line)).length;
  const saw = `${kept} kept, ${PARALLEL - accepted.length} refused, ${lost} lost though accepted`;
  return { right: kept === PARALLEL, saw };
}

async function searchFinds({ peer, server }: ProbeRun, query: string, path: string): Promise<Verdict> {
  const answer = await server.call(peer.search(query, 10));
  if (answer.isError) return refused(answer);
  const right = peer.hits(answer) > 0 && answer.text.includes(path.replace('.md', ''));
  return { right, saw: right ? 'found' : 'not found' };
}
