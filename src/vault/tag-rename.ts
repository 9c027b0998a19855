import { LecternError } from '../errors.ts';
import type { PlannedStep } from '../journal/journal.ts';
import { renameTag } from '../notes/patch/rename-tag.ts';
import { decodeText } from '../notes/text.ts';
import type { Access } from './access.ts';
import type { Actor } from './session.ts';
import type { VaultParts } from './vault.ts';
import { assertMayFollow, contextOf } from './write/edit.ts';
import { replaceStep } from './write/replace-step.ts';
import type { TagRenameResult, WriteOptions } from './write/types.ts';

const PAGE = 500;

/**
 * Renames a tag and everything nested in it, inline and in properties, in every note.
 * @throws LecternError `invalid_input` for names that are no tags, `not_found` when no note has it, `forbidden`
 */
export async function renameTagEverywhere(
  parts: VaultParts,
  access: Access,
  actor: Actor,
  fromInput: string,
  toInput: string,
  options: WriteOptions,
): Promise<TagRenameResult> {
  const from = fromInput.replace(/^#/, '');
  const to = toInput.replace(/^#/, '');
  const writer = await parts.writer();
  let notes: { path: string; tags: number }[] = [];
  let skipped = 0;
  const plan = async () => {
    notes = [];
    skipped = 0;
    await parts.indexer.sync();
    const steps: PlannedStep[] = [];
    for (const path of await taggedNotes(parts, access, from)) {
      const file = await parts.store.read(path);
      const decoded = decodeText(file.bytes);
      if (!decoded.ok) continue;
      const result = renameTag(decoded.text, parts.settings.dialect, from, to);
      skipped += result.skipped.length;
      if (result.text === decoded.text) continue;
      assertMayFollow(access, [{ path }]);
      notes.push({ path, tags: result.changes.length });
      steps.push(replaceStep(path, file.bytes, result.text));
    }
    if (notes.length === 0) {
      throw new LecternError('not_found', `No note has the tag #${from}.`, {
        next: 'tag_list shows the tags there are.',
      });
    }
    return options.dryRun ? undefined : { summary: `rename tag #${from} to #${to}`, steps, decisive: false };
  };
  const committed = await writer.commit(contextOf(parts, access, actor, options), plan);
  const failed = new Set(committed?.failed.map(({ step }) => step.path));
  const done = notes.filter(({ path }) => !failed.has(path));
  return {
    from,
    to,
    notes: done,
    tags: done.reduce((sum, note) => sum + note.tags, 0),
    skipped,
    writeId: committed?.writeId,
    dryRun: options.dryRun ?? false,
  };
}

async function taggedNotes(parts: VaultParts, access: Access, tag: string): Promise<string[]> {
  const reader = await parts.reader();
  const paths: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await reader.tagNotes(tag, {
      limit: PAGE,
      ...(cursor !== undefined && { cursor }),
      ...(access.filter && { visible: access.filter }),
    });
    paths.push(...page.items.map((note) => note.path));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return paths;
}
