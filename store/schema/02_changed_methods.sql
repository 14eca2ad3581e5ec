-- Schema 2. What is known of changed methods stands by the commit's id, not by a key of revisions: any commit
-- may be asked about, and to be in revisions means to be in the line of what was measured. The table that schema
-- 1 had for it was never written.

DROP TABLE changed_methods;
CREATE TABLE compared (
  -- Commits whose changed methods are known, also those that have none.
  key INTEGER PRIMARY KEY,
  revision TEXT NOT NULL UNIQUE, -- id of the commit; it need not be in revisions
  before TEXT NOT NULL, -- id of its first parent; '' for an empty tree
  rules TEXT NOT NULL, -- hash of the extraction's version and of the config's paths
  files INTEGER NOT NULL, -- read, on either side
  unread INTEGER NOT NULL, -- parts of them that could not be parsed
  mc INTEGER NOT NULL -- methods added, deleted and modified
) STRICT;
CREATE TABLE changed_methods (
  -- Methods that differ between a commit and its first parent.
  compared INTEGER NOT NULL REFERENCES compared ON DELETE CASCADE,
  position INTEGER NOT NULL, -- in the list, from 0
  kind TEXT NOT NULL
    CHECK (kind IN ('added', 'deleted', 'modified', 'renamed', 'moved')),
  component TEXT, name TEXT, -- of the newer side; NULL where it was deleted
  signature TEXT, -- '' where the language does not overload
  first_line INTEGER, last_line INTEGER,
  old_component TEXT, old_name TEXT, -- of the older side; NULL where it was added
  old_signature TEXT, old_first_line INTEGER, old_last_line INTEGER,
  likeness REAL NOT NULL, -- of the bodies, 0 to 1
  uncertain INTEGER NOT NULL, -- 1: it lies in or holds what could not be parsed
  PRIMARY KEY (compared, position)
) STRICT, WITHOUT ROWID;
CREATE VIEW methods_changed AS
  -- One row a changed method, with the commit's id.
  SELECT c.revision AS revision, m.kind AS kind,
    coalesce(m.component, m.old_component) AS component,
    coalesce(m.name, m.old_name) AS name,
    coalesce(m.signature, m.old_signature) AS signature,
    m.old_component AS old_component, m.old_name AS old_name,
    m.old_first_line AS old_line, m.first_line AS line, m.likeness AS likeness
  FROM compared c JOIN changed_methods m ON m.compared = c.key;
CREATE TABLE extractions (
  -- The methods of one content of a file: a cache that may be emptied.
  key INTEGER PRIMARY KEY,
  blob TEXT NOT NULL, -- id of the content in git
  language TEXT NOT NULL, -- that it was read as
  version INTEGER NOT NULL, -- of the extraction; another one is void
  data BLOB NOT NULL,
  UNIQUE (blob, language)
) STRICT;
