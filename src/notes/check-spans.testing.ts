import assert from 'node:assert/strict';
import type { ParsedNote, Span } from './model.ts';

/**
 * Checks that every span is inside the text and contains what its item states, and that every line is the
 * span's.
 */
export function checkSpans(note: ParsedNote): void {
  const { text } = note;
  const slice = (span: Span): string => text.slice(span.start, span.end);
  const inside = (inner: Span, outer: Span): void => {
    assert.ok(outer.start <= inner.start && inner.start <= inner.end && inner.end <= outer.end);
  };
  const whole = { start: 0, end: text.length };
  for (const heading of note.headings) {
    inside(heading.span, { start: note.bodyStart, end: text.length });
    inside(heading.textSpan, heading.span);
    assert.equal(slice(heading.textSpan), heading.text);
  }
  for (const link of note.links) {
    inside(link.span, whole);
    inside(link.targetSpan, link.syntax === 'reference' ? whole : link.span);
    inside(link.subpathSpan, link.syntax === 'reference' ? whole : link.span);
    assert.ok(link.subpathSpan.start >= link.targetSpan.end);
    assert.notEqual(link.target + link.subpath, '');
    if (link.displaySpan !== undefined) assert.equal(slice(link.displaySpan), link.display);
    if (link.syntax === 'wiki' && link.property === undefined) {
      assert.equal(slice(link.targetSpan), link.target);
      if (link.subpath !== '') assert.equal(slice(link.subpathSpan), link.subpath);
    }
  }
  for (const tag of note.tags) {
    if (tag.property === undefined) assert.equal(slice(tag.span), tag.name);
  }
  for (const block of note.blocks) {
    inside(block.span, whole);
    assert.equal(slice(block.idSpan).replace(/^(?:\^|id:: )/, ''), block.id);
    assert.notEqual(slice(block.idSpan), block.id);
  }
  for (const task of note.tasks) {
    assert.equal(slice(task.statusSpan), task.status);
    const between = text.slice(task.statusSpan.end, task.span.end - task.text.length);
    assert.match(
      between,
      slice({ start: task.statusSpan.start - 1, end: task.statusSpan.start }) === '['
        ? /^\][ \t]$/
        : /^[ \t]?$/,
    );
    assert.ok(slice(task.span).endsWith(task.text));
  }
  for (const [index, span] of note.opaque.entries()) {
    inside(span, whole);
    assert.ok(index === 0 || (note.opaque[index - 1]?.end ?? 0) < span.start);
  }
  const ends = Array.from(text.matchAll(/\r\n|\r|\n/g), (match) => match.index + match[0].length);
  for (const { span, line } of [...note.headings, ...note.tags, ...note.links, ...note.tasks]) {
    assert.equal(line, 1 + ends.filter((end) => end <= span.start).length);
  }
}
