import { FTS_SCHEMA } from './write/fts.ts';

/** Version of the tables. An index of another version is emptied and rebuilt from the notes. */
export const SCHEMA_VERSION = 13;

/**
 * Version of the parser's results. Increase it whenever `notes/parse` returns another result for the same
 * bytes.
 */
export const PARSER_VERSION = 10;

/** Indexes of links by source and target. They are separate, as resolving all links is faster without them. */
export const LINK_INDEXES = `
CREATE INDEX IF NOT EXISTS link_source ON link (source, id, target);
CREATE INDEX IF NOT EXISTS link_target ON link (target, source) WHERE target IS NOT NULL;
CREATE INDEX IF NOT EXISTS link_missing ON link (missing, source) WHERE missing IS NOT NULL AND syntax <> 'tag-ref';
CREATE INDEX IF NOT EXISTS link_key ON link (key);
`;

/** Drops the indexes that new links are inserted into at random places; a first build does not need them. */
export const DROP_SCATTERED_LINK_INDEXES =
  'DROP INDEX IF EXISTS link_missing; DROP INDEX IF EXISTS link_key;';

export const DROP_TARGET_INDEXES =
  'DROP INDEX IF EXISTS link_source; DROP INDEX IF EXISTS link_target; DROP INDEX IF EXISTS link_missing;';

/**
 * `file.id` is never reused (AUTOINCREMENT): readers cache per id who may see the file, and vectors refer to
 * it. Rows that belong to a file are deleted with it (ON DELETE CASCADE), except those in the full-text table,
 * `file_tag` and `property`, which the writer deletes.
 *
 * Lists are sorted by an index of `file` and then by path. No index contains the path, which would take more
 * space than all other columns; files with equal sort values are sorted by path when the list is read.
 *
 * `body.packed` is NULL for a text that is not packed yet, 0 for one that does not become smaller, and
 * otherwise the id of the dictionary it is packed with. `dictionary.bytes` is the size of all notes when it was
 * trained.
 *
 * `file_tag` and `property` have no index by file, as a note's rows there follow from its row of `note`.
 * `file_tag.name` is empty when the tag is written like its key.
 *
 * `note.beside` is the store's own data of the note, `{id, facts}` as JSON; NULL when the store has none.
 *
 * `link.key` and `link_extra_key.key` are hashes of name keys (`keyNumber`). Two names may have the same hash;
 * then a link is resolved once more than needed.
 *
 * `change` has the id of an existing file and the path of a removed one.
 *
 * `link.missing` is `pathKey` of the target of an unresolved link; NULL for others.
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
