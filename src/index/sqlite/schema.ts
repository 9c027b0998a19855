import { FTS_SCHEMA } from './write/fts.ts';

/** Shape of the tables. A file with another number is emptied and filled again from the notes. */
export const SCHEMA_VERSION = 13;

/** What parsing a note yields. Raise it whenever `notes/parse` finds something new in the same bytes. */
export const PARSER_VERSION = 10;

/** By what a link leads to. Apart, because resolving every link at once is faster without them. */
export const LINK_INDEXES = `
CREATE INDEX IF NOT EXISTS link_source ON link (source, id, target);
CREATE INDEX IF NOT EXISTS link_target ON link (target, source) WHERE target IS NOT NULL;
CREATE INDEX IF NOT EXISTS link_missing ON link (missing, source) WHERE missing IS NOT NULL AND syntax <> 'tag-ref';
CREATE INDEX IF NOT EXISTS link_key ON link (key);
`;

/** Those in which new links go all over the place: a first build does without them, as no link is resolved by then. */
export const DROP_SCATTERED_LINK_INDEXES =
  'DROP INDEX IF EXISTS link_missing; DROP INDEX IF EXISTS link_key;';

export const DROP_TARGET_INDEXES =
  'DROP INDEX IF EXISTS link_source; DROP INDEX IF EXISTS link_target; DROP INDEX IF EXISTS link_missing;';

/**
 * `file.id` is never used again (AUTOINCREMENT): readers remember per id who may see the file, and
 * vectors are kept under it. What belongs to a file goes with it (ON DELETE CASCADE), except its rows in the
 * full-text table, in `file_tag` and in `property`, which the writer removes.
 *
 * Lists are sorted by one of the indexes of `file` and then by path. The path stands in none of them, as it would
 * take more room than all the rest: files that are equal in what a list is sorted by are put in order when it is made.
 *
 * `body.packed` says how a text is stored: NULL as it is until somebody has the time to pack it, 0 as it is for good, else
 * packed with that dictionary, which was made when the notes had so many `bytes`.
 *
 * `file_tag` and `property` have no index by file: which rows a note has there follows from its row of `note`.
 * `file_tag.name` is empty where the tag is written as its key.
 *
 * `note.beside` is what the store keeps of the note beside its text, `{id, facts}` as JSON; NULL where it keeps nothing.
 *
 * `link.key` and `link_extra_key.key` are numbers in place of name keys (`keyNumber`): two names may share one, which
 * costs resolving a link that needs it not.
 *
 * Of a file that is gone `change` has the path, of one that is there its number.
 *
 * `link.missing` is the name, in any case, of what a link that leads nowhere is for.
 */
export const SCHEMA = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE file (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  path_key TEXT NOT NULL,
  name_key TEXT NOT NULL,
  kind TEXT NOT NULL,
  title TEXT NOT NULL,
  title_key TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime REAL NOT NULL,
  birthtime REAL NOT NULL,
  etag TEXT,
  version TEXT NOT NULL,
  orphan INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX file_path_key ON file (path_key);
CREATE INDEX file_name_key ON file (name_key);
CREATE INDEX file_kind_mtime ON file (kind, mtime);
CREATE INDEX file_kind_birthtime ON file (kind, birthtime);
CREATE INDEX file_kind_title ON file (kind, title_key);
CREATE INDEX file_kind_size ON file (kind, size);
CREATE INDEX file_orphan ON file (kind) WHERE orphan = 1;

CREATE TABLE note (
  id INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  words INTEGER NOT NULL,
  tags TEXT NOT NULL,
  aliases TEXT NOT NULL,
  frontmatter TEXT NOT NULL,
  beside TEXT
);

CREATE TABLE body (
  id INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  etag TEXT NOT NULL,
  packed INTEGER,
  text BLOB NOT NULL
);
CREATE INDEX body_loose ON body (packed) WHERE packed IS NULL;

CREATE TABLE dictionary (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  bytes INTEGER NOT NULL,
  data BLOB NOT NULL
);

CREATE TABLE problem (
  file INTEGER PRIMARY KEY REFERENCES file (id) ON DELETE CASCADE,
  code TEXT NOT NULL,
  message TEXT NOT NULL
);

CREATE TABLE name (
  key TEXT NOT NULL,
  file INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  PRIMARY KEY (key, file)
) WITHOUT ROWID;
CREATE INDEX name_file ON name (file);

CREATE TABLE link (
  id INTEGER PRIMARY KEY,
  source INTEGER NOT NULL REFERENCES file (id) ON DELETE CASCADE,
  key INTEGER NOT NULL,
  written TEXT NOT NULL,
  subpath TEXT NOT NULL,
  display TEXT,
  syntax TEXT NOT NULL,
  embed INTEGER NOT NULL,
  property TEXT,
  line INTEGER NOT NULL,
  start INTEGER NOT NULL,
  context TEXT,
  target INTEGER REFERENCES file (id) ON DELETE SET NULL,
  ambiguous INTEGER NOT NULL DEFAULT 0,
  missing TEXT
);
CREATE TABLE link_extra_key (
  key INTEGER NOT NULL,
  link INTEGER NOT NULL REFERENCES link (id) ON DELETE CASCADE,
  PRIMARY KEY (key, link)
) WITHOUT ROWID;
CREATE INDEX link_extra_key_link ON link_extra_key (link);

CREATE TABLE tag (
  key TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  first_path TEXT NOT NULL,
  notes INTEGER NOT NULL,
  nested INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE file_tag (
  key TEXT NOT NULL,
  file INTEGER NOT NULL,
  exact INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (key, file)
) WITHOUT ROWID;

CREATE TABLE property (
  key TEXT NOT NULL,
  type TEXT NOT NULL,
  value TEXT NOT NULL,
  file INTEGER NOT NULL,
  PRIMARY KEY (key, value, type, file)
) WITHOUT ROWID;

CREATE TABLE change (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  file INTEGER,
  path TEXT
);
CREATE UNIQUE INDEX change_file ON change (file) WHERE file IS NOT NULL;
CREATE UNIQUE INDEX change_removed ON change (path) WHERE path IS NOT NULL;
${LINK_INDEXES}${FTS_SCHEMA}`;
