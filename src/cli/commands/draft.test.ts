import { expect, it } from 'vitest';
import { draftOn } from './draft.ts';

function screen(columns: number, rows: number) {
  const written: string[] = [];
  return { columns, rows, written, write: (text: string) => written.push(text) };
}

it('prints text as it comes, and takes it away when the answer is whole', () => {
  const terminal = screen(20, 24);
  const draft = draftOn(terminal);
  draft.listen({ kind: 'partial', text: 'Twenty characters or ' });
  draft.listen({ kind: 'citation', citation: { path: 'A.md' } });
  draft.listen({ kind: 'partial', text: 'more.\nAnd a line.' });
  draft.end();
  expect(terminal.written).toEqual(['Twenty characters or ', 'more.\nAnd a line.', '\u001b[2A\r\u001b[J']);
});

it('leaves what has gone off the screen, and says nothing where nothing came', () => {
  const terminal = screen(20, 3);
  const draft = draftOn(terminal);
  draft.listen({ kind: 'partial', text: 'a\nb\nc' });
  draft.end();
  expect(terminal.written.at(-1)).toBe('\n\n');
  const quiet = screen(20, 3);
  draftOn(quiet).end();
  expect(quiet.written).toEqual([]);
});

it('passes no control sequence of a model on to the terminal', () => {
  const terminal = screen(80, 24);
  draftOn(terminal).listen({ kind: 'partial', text: 'a\u001b]0;title\u0007b' });
  expect(terminal.written.join('')).not.toMatch(/[\u001b\u0007]/);
});
