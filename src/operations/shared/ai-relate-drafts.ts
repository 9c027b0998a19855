import { proseOf } from '../../ai/extractive/prose.ts';
import { sourceOf } from '../../ai/grounding/source.ts';
import type { Turn } from '../../turn.ts';
import type { OpenedNote, VaultSession } from '../../vault/session.ts';

/** A link that could be added; it is not written. */
export interface LinkDraft {
  readonly path: string;
  /** Etag of the note as it was read, for if_match. */
  readonly etag: string;
  readonly target: string;
  /** 1-based line that mentions the other note; absent when none does, and the link is a new line. */
  readonly line?: number;
  /** The text for replace_text of note_patch, in that line; absent for a new line. */
  readonly old?: string;
  readonly replacement: string;
}

/** Shorter titles, in UTF-16 code units, match too many words. */
const LEAST_NAME = 4;

/**
 * Drafts of links from a note to others that it does not link to: at a mention of the title, else as a new
 * line.
 */
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

/**
 * Offset, UTF-16 code units, of the first mention of a title as whole words outside of links and code; -1
 * when there is none.
 */
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
