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
  const names = targets.flatMap(({ path, title }) => {
    const name = title.toLowerCase();
    return name.length < LEAST_NAME || name.length !== title.length ? [] : [{ path, name }];
  });
  for await (const { start, end } of proseOf(
    source,
    { start: note.parsed.bodyStart, end: text.length },
    turn,
  )) {
    await turn.mine();
    const shown = masked(text.slice(start, end)).toLowerCase();
    if (shown.length !== end - start) continue;
    for (const { path, name } of names) {
      if (mentions.has(path)) continue;
      const at = await mentionIn(shown, name, turn);
      if (at !== -1)
        mentions.set(path, {
          line: lines.lineAt(start + at),
          written: text.slice(start + at, start + at + name.length),
        });
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
 * Wikilinks, links, code and addresses, which mention nothing. Each part ends at the next bracket of its kind, so that
 * a text of brackets alone is looked at once, not once from each of them.
 */
const HIDDEN = /\[\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]\]|\[[^[\]]*\]\([^()]*\)|`[^`]*`|https?:\/\/\S+/g;

function masked(prose: string): string {
  return prose.replace(HIDDEN, (whole) => '\u0000'.repeat(whole.length));
}

/** Comparisons before other work gets a turn. */
const SLICE = 500;

/**
 * Offset, UTF-16 code units, of the first place where a name stands as whole words; -1 when there is none.
 * @param shown in lower case, hidden parts as NUL characters
 */
async function mentionIn(shown: string, name: string, turn: Turn): Promise<number> {
  let compared = 0;
  for (let at = shown.indexOf(name); at !== -1; at = shown.indexOf(name, at + 1)) {
    const before = shown[at - 1] ?? ' ';
    const after = shown[at + name.length] ?? ' ';
    if (!/[\p{L}\p{N}\u0000_#/]/u.test(before) && !/[\p{L}\p{N}\u0000_]/u.test(after)) return at;
    compared += 1;
    if (compared % SLICE === 0) await turn.mine();
  }
  return -1;
}
