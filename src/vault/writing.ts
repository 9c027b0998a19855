import type { Page } from '../index/note-index.ts';
import type { JournalGroup } from '../journal/journal.ts';
import { opNameOf } from '../notes/patch/check.ts';
import { isNotePath } from '../notes/path.ts';
import type { Access } from './access.ts';
import { decodeOffset, encodeOffset } from './cursor.ts';
import { unreadableNotes } from './left-alone.ts';
import { moveFiles } from './move/move.ts';
import { planReheading } from './move/reheading.ts';
import { staleHeadings } from './move/stale-headings.ts';
import { pathOfPage } from './pages.ts';
import type { VaultParts } from './parts.ts';
import type { Actor } from './session.ts';
import { renameTagEverywhere } from './tag-rename.ts';
import { undoWrites } from './undo/undo.ts';
import { JournalView } from './view/journal-view.ts';
import { Places } from './view/places.ts';
import { opNames, withFileNotices } from './write/canvas-notices.ts';
import { assertMayFollow, editNote, type Follow } from './write/edit.ts';
import { setNoteFacts } from './write/facts.ts';
import { makeFolder } from './write/folder.ts';
import { listTrash, removeNote, restoreTrashed } from './write/trash.ts';
import type { HistoryRecord, HistoryRequest, WritingSession } from './write/types.ts';

const SHOWN_PATHS = 10;

/** The write half of a session. Every write passes the access gate and the journal. */
export function writingSession(parts: VaultParts, access: Access, actor: Actor): WritingSession {
  const places = new Places(parts.secret, access);
  return {
    async write(address, content, options) {
      const path = await pathOfPage(parts, access, address);
      return editNote(parts, access, actor, {
        ...options,
        path,
        mode: options.ifNotExists ? 'create' : 'put',
        change: { kind: 'content', content },
        summary: (created) => `${created ? 'create' : 'replace'} ${path}`,
      });
    },

    async patch(address, ops, options) {
      const path = await pathOfPage(parts, access, address);
      const names = ops.map(({ op }) => opNameOf(op) ?? op);
      const follow: Follow = async (notePath, { renamedHeadings: renamed, bytes }) => {
        if (renamed.length === 0) return { steps: [], relinked: [], notices: [] };
        await parts.indexer.sync();
        const reader = await parts.reader();
        const plan = await planReheading(notePath, renamed, parts, reader, access);
        assertMayFollow(access, plan.steps);
        const left = await staleHeadings({ path: notePath, renamed, bytes }, reader, parts, access);
        const unreadable = await unreadableNotes(
          parts,
          access,
          renamed.map(({ from }) => from),
        );
        return { ...plan, leftAlone: { ...left, unreadable }, notices: [] };
      };
      return editNote(parts, access, actor, {
        ...options,
        path,
        mode: 'edit',
        change: { kind: 'patch', ops },
        ...(names.includes('rename_heading') && { follow }),
        summary: () => `${names.join(', ')} in ${path}`,
      });
    },

    writeCanvas: (path, canvas, options) =>
      editNote(parts, access, actor, {
        ...options,
        path,
        mode: options.ifNotExists ? 'create' : 'put',
        change: { kind: 'canvas', json: JSON.stringify(canvas) },
        summary: (created) => `${created ? 'create' : 'replace'} ${path}`,
      }),

    patchCanvas: (path, ops, options) =>
      editNote(parts, access, actor, {
        ...options,
        path,
        mode: 'edit',
        change: { kind: 'canvas_patch', ops },
        summary: () => `${opNames(ops)} in ${path}`,
      }).then((result) => withFileNotices(result, parts.store, access)),

    setFacts: async (address, facts, options) =>
      setNoteFacts(parts, access, actor, await pathOfPage(parts, access, address), facts, options),

    remove: async (address, options) =>
      removeNote(parts, access, actor, await pathOfPage(parts, access, address), options),

    async move(fromAddress, toAddress, options) {
      const from = await pathOfPage(parts, access, fromAddress, { orFolder: true });
      const to = isNotePath(from) ? await pathOfPage(parts, access, toAddress) : toAddress;
      return moveFiles(parts, access, actor, from, to, options);
    },

    makeFolder: (path, options) => makeFolder(parts, access, actor, path, options),
    renameTag: (from, to, options) => renameTagEverywhere(parts, access, actor, from, to, options),
    history: async (request) => places.page(history(parts, access, places.request(request))),
    undo: (request) => undoWrites(parts, access, actor, request),
    trashList: async (request) => places.page(await listTrash(parts, access, places.request(request))),
    trashRestore: (trashPath, to, options) => restoreTrashed(parts, access, actor, trashPath, to, options),
  };
}

function history(parts: VaultParts, access: Access, request: HistoryRequest): Page<HistoryRecord> {
  const beforeId = request.cursor === undefined ? undefined : decodeOffset(request.cursor);
  const view = new JournalView(parts.journal(), access);
  const isSeen = request.path === undefined || access.mayRead(request.path);
  const { groups, total } = parts.journal().history({
    limit: request.limit + 1,
    ...(!view.isWhole && { visible: (group) => isSeen && view.shows(group) }),
    ...(request.path !== undefined && { path: request.path }),
    ...(request.actor !== undefined && { actor: request.actor }),
    ...(request.session !== undefined && { session: request.session }),
    ...(request.since !== undefined && { since: request.since }),
    ...(beforeId !== undefined && { beforeId }),
  });
  const shown = groups.slice(0, request.limit);
  const last = groups.length > request.limit ? shown.at(-1) : undefined;
  return {
    items: shown.map((group) => recordOf(group, view)),
    total,
    nextCursor: last ? encodeOffset(last.id) : null,
  };
}

function recordOf(group: JournalGroup, view: JournalView): HistoryRecord {
  const steps = group.steps.filter((step) => view.sees(step));
  const paths = [...new Set(steps.flatMap(({ path, toPath }) => [path, ...(toPath ? [toPath] : [])]))];
  const undone = view.isWhole ? group.undoes : view.undone(group).map(({ id }) => id);
  return {
    writeId: view.number(group.id),
    time: group.time,
    tool: group.tool,
    actor: group.actor.name,
    session: group.actor.session,
    door: group.actor.kind,
    client: group.actor.client,
    summary: view.summary(group),
    state: group.state,
    undoes: undone.length === 1 && undone[0] !== undefined ? view.number(undone[0]) : undefined,
    paths: paths.slice(0, SHOWN_PATHS),
    files: paths.length,
  };
}
