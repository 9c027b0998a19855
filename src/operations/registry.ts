import { linkBacklinks } from './link-backlinks.ts';
import { linkForward } from './link-forward.ts';
import { linkOrphans } from './link-orphans.ts';
import { linkUnresolved } from './link-unresolved.ts';
import { noteExists } from './note-exists.ts';
import { noteList } from './note-list.ts';
import { noteOutline } from './note-outline.ts';
import { noteRead } from './note-read.ts';
import type { Operation } from './operation.ts';
import { tagList } from './tag-list.ts';
import { tagNotes } from './tag-notes.ts';
import { vaultSearch } from './vault-search.ts';
import { vaultStatus } from './vault-status.ts';

/** The one list of operations, in the order clients see them: finding, reading, links, tags. */
export const OPERATIONS: readonly Operation[] = [
  vaultStatus,
  vaultSearch,
  noteRead,
  noteOutline,
  noteList,
  noteExists,
  linkBacklinks,
  linkForward,
  linkUnresolved,
  linkOrphans,
  tagList,
  tagNotes,
];
