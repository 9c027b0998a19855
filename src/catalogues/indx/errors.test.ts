import { describe, expect, it } from 'vitest';
import { LecternError } from '../../errors.ts';
import type { ToolAnswer } from '../catalogue.ts';
import { indxFailure } from './errors.ts';

function textOf({ content: [block] }: ToolAnswer): string {
  if (block?.type !== 'text') throw new Error('There is no text.');
  return block.text;
}

describe('indxFailure', () => {
  it('says what to do in the first line and carries the same facts as JSON', () => {
    const error = new LecternError('not_found', 'There is no note A.', {
      details: { path: 'A' },
      next: 'Search for it.',
    });
    const failure = indxFailure(error);
    expect(failure.isError).toBe(true);
    expect(failure.structuredContent).toEqual({
      code: 'not_found',
      message: 'There is no note A.',
      details: { path: 'A' },
      next: 'Search for it.',
    });
    const [first, json] = textOf(failure).split('\n');
    expect(first).toBe('There is no note A. Search for it.');
    expect(JSON.parse(json ?? '')).toEqual(failure.structuredContent);
  });

  it('never reveals the current version in a conflict, however deep it hides', () => {
    const details = {
      path: 'A.md',
      etag: 'feedfacefeedface',
      note: { current_etag: 'feedfacefeedface', line: 3 },
      currentVersion: 'feedface',
    };
    const failure = indxFailure(new LecternError('conflict', 'The note changed.', { details }));
    expect(JSON.stringify(failure)).not.toContain('feedface');
    expect(failure.structuredContent).toMatchObject({ details: { path: 'A.md', note: { line: 3 } } });
  });

  it('never shows the cause', () => {
    const failure = indxFailure(new LecternError('unavailable', 'Gone.', { cause: new Error('secret') }));
    expect(JSON.stringify(failure)).not.toContain('secret');
  });

  it('stays under 1 KB and says what it left out', () => {
    const details = {
      candidates: Array.from({ length: 500 }, (_, i) => `Folder/${'x'.repeat(30)}/Note ${i}.md`),
      text: 'y'.repeat(5000),
    };
    const failure = indxFailure(
      new LecternError('ambiguous', 'Many notes match.', { details, next: 'Choose one.' }),
    );
    expect(Buffer.byteLength(textOf(failure))).toBeLessThan(1024);
    expect(textOf(failure)).toContain('Choose one.');
    expect(JSON.stringify(failure.structuredContent)).toContain('490 more');
  });
});
