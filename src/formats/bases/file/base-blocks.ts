/** A base inside a note: the YAML of one ```` ```base ```` block. */
export interface BaseBlock {
  readonly source: string;
  /** 1-based line of the note on which the YAML begins. */
  readonly line: number;
}

const OPEN = /^( {0,3}(?:> ?)*)(`{3,}|~{3,})[ \t]*base[ \t]*$/;

/** The bases in a note, in source order. An unclosed block extends to the end of the note. */
export function baseBlocks(text: string): readonly BaseBlock[] {
  const lines = text.split(/\r\n|\n|\r/);
  const blocks: BaseBlock[] = [];
  let fence: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined;
      continue;
    }
    const base = OPEN.exec(line);
    if (base === null) {
      fence = /^ {0,3}(`{3,}(?!.*`)|~{3,})/.exec(line)?.[1];
      continue;
    }
    const [, quote = '', mark = ''] = base;
    const inner: string[] = [];
    const first = at + 1;
    while (++at < lines.length) {
      const unquoted = quote === '' ? (lines[at] ?? '') : (lines[at] ?? '').replace(/^ {0,3}(?:> ?)+/, '');
      if (closes(unquoted, mark)) break;
      inner.push(unquoted);
    }
    blocks.push({ source: inner.join('\n'), line: first + 1 });
  }
  return blocks;
}

function closes(line: string, fence: string): boolean {
  const found = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  return found !== undefined && found[0] === fence[0] && found.length >= fence.length;
}
