import { proseOf } from '../../ai/extractive/prose.ts';
import { sourceOf } from '../../ai/grounding/source.ts';
import type { Turn } from '../../turn.ts';
import type { OpenedNote, VaultSession } from '../../vault/session.ts';

/** A link that could be made: nothing of it is written. */
export interface LinkDraft {
  readonly path: string;
  /** Of the note as it was read, for if_match. */
  readonly etag: string;
  readonly target: string;
  /** 1-based. Where the note names the other one; absent where it does not, and the link would be a line of its own. */
  readonly line?: number;
  /** For replace_text of note_patch, with the line; absent for a line of its own. */
  readonly old?: string;
  readonly replacement: string;
}

/** A name that is shorter is a word like any other. */
const LEAST_NAME = 4;

/** Drafts of links from a note to others that it does not link to: where it names them, else as a line to add. */
export async function linkDrafts(
  vault: VaultSession,
  note: OpenedNote,
  targets: readonly { readonly path: string; readonly title: string }[],
  turn: Turn,
): Promise<readonly LinkDraft[]> {
  if (targets.length === 0) return [];
  const source = sourceOf(note);
  const { text, lines } = source;
  const mentions = new Map<string, { line: number; written: string }>();
  for await (const { start, end } of proseOf(
    source,
    { start: note.parsed.bodyStart, end: text.length },
    turn,
  )) {
    await turn.mine();
    const prose = text.slice(start, end);
    for (const { path, title } of targets) {
      if (mentions.has(path) || title.length < LEAST_NAME) continue;
      const at = mentionIn(prose, title);
      if (at !== -1)
        mentions.set(path, { line: lines.lineAt(start + at), written: prose.slice(at, at + title.length) });
    }
  }
  const links = await vault.wikilinksTo(
    note.path,
    targets.map(({ path }) => ({
      target: path,
      ...(mentions.has(path) && { display: mentions.get(path)?.written ?? '' }),
    })),
  );
  return targets.flatMap(({ path }, at): LinkDraft[] => {
    const replacement = links[at];
    if (replacement === undefined) return [];
    const mention = mentions.get(path);
    const draft = { path: note.path, etag: note.etag, target: path, replacement };
    return [mention === undefined ? draft : { ...draft, line: mention.line, old: mention.written }];
  });
}

/** Where a text names a title as words of their own, outside of links and code. */
function mentionIn(prose: string, title: string): number {
  const masked = prose.replace(/\[\[[^\]]*\]\]|\[[^\]]*\]\([^)]*\)|`[^`]*`|https?:\/\/\S+/g, (whole) =>
    '\u0000'.repeat(whole.length),
  );
  const lower = masked.toLowerCase();
  const wanted = title.toLowerCase();
  if (lower.length !== prose.length || wanted.length !== title.length) return -1;
  for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + 1)) {
    const before = masked[at - 1] ?? ' ';
    const after = masked[at + wanted.length] ?? ' ';
    if (!/[\p{L}\p{N}\u0000_#/]/u.test(before) && !/[\p{L}\p{N}\u0000_]/u.test(after)) return at;
  }
  return -1;
}
