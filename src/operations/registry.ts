import { aiAsk } from './ai-ask.ts';
import { aiExtract } from './ai-extract.ts';
import { aiMetadata } from './ai-metadata.ts';
import { aiRelate } from './ai-relate.ts';
import { aiStatus } from './ai-status.ts';
import { aiSummarize } from './ai-summarize.ts';
import { aiTag } from './ai-tag.ts';
import { aiToc } from './ai-toc.ts';
import { baseCheck } from './base-check.ts';
import { baseQuery } from './base-query.ts';
import { canvasPatch } from './canvas-patch.ts';
import { canvasRead } from './canvas-read.ts';
import { canvasWrite } from './canvas-write.ts';
import { folderCreate } from './folder-create.ts';
import { folderList } from './folder-list.ts';
import { linkBacklinks } from './link-backlinks.ts';
import { linkForward } from './link-forward.ts';
import { linkOrphans } from './link-orphans.ts';
import { linkUnresolved } from './link-unresolved.ts';
import { noteDelete } from './note-delete.ts';
import { noteExists } from './note-exists.ts';
import { noteHistory } from './note-history.ts';
import { noteList } from './note-list.ts';
import { noteMove } from './note-move.ts';
import { noteOutline } from './note-outline.ts';
import { notePatch } from './note-patch.ts';
import { noteRead } from './note-read.ts';
import { noteRelated } from './note-related.ts';
import { noteUndo } from './note-undo.ts';
import { noteWrite } from './note-write.ts';
import type { Operation } from './operation.ts';
import { propertyList } from './property-list.ts';
import { propertyValues } from './property-values.ts';
import { tagList } from './tag-list.ts';
import { tagNotes } from './tag-notes.ts';
import { tagRename } from './tag-rename.ts';
import { taskList } from './task-list.ts';
import { trashList } from './trash-list.ts';
import { trashRestore } from './trash-restore.ts';
import { vaultConfigGet } from './vault-config-get.ts';
import { vaultConfigSet } from './vault-config-set.ts';
import { vaultReindex } from './vault-reindex.ts';
import { vaultSearch } from './vault-search.ts';
import { vaultStatus } from './vault-status.ts';

/**
 * All operations, in the order clients see them: finding, reading, links, tags, writing, undo, maintenance.
 */
export const OPERATIONS: readonly Operation[] = [
  vaultStatus,
  vaultSearch,
  noteRead,
  noteOutline,
  noteList,
  noteExists,
  noteRelated,
  linkBacklinks,
  linkForward,
  linkUnresolved,
  linkOrphans,
  tagList,
  tagNotes,
  propertyList,
  propertyValues,
  folderList,
  taskList,
  baseQuery,
  baseCheck,
  canvasRead,
  canvasWrite,
  canvasPatch,
  noteWrite,
  notePatch,
  noteMove,
  noteDelete,
  folderCreate,
  tagRename,
  aiStatus,
  aiSummarize,
  aiAsk,
  aiToc,
  aiRelate,
  aiTag,
  aiMetadata,
  aiExtract,
  noteHistory,
  noteUndo,
  trashList,
  trashRestore,
  vaultReindex,
  vaultConfigGet,
  vaultConfigSet,
];
