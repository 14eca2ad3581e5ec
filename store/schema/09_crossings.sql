-- Schema 9. What the machine code of two revisions says of their methods.

CREATE TABLE crossings (
  -- Pairs of revisions whose programs were compared.
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  machine INTEGER NOT NULL REFERENCES machines,
  before TEXT NOT NULL, after TEXT NOT NULL, -- ids of the commits
  recipe TEXT NOT NULL, -- hash of what decides the builds
  benchmarks TEXT NOT NULL, -- whose programs: a name a line, sorted
  UNIQUE (before, after, machine, recipe, benchmarks)
) STRICT;
CREATE TABLE recompiled (
  -- Methods of either side whose code differs, or was looked for; all others are the
  -- same.
  crossing INTEGER NOT NULL REFERENCES crossings ON DELETE CASCADE,
  position INTEGER NOT NULL, -- in the list, from 0
  in_new INTEGER NOT NULL, -- 1: of the newer revision
  component TEXT NOT NULL, name TEXT NOT NULL, signature TEXT NOT NULL,
  first_line INTEGER NOT NULL, last_line INTEGER NOT NULL,
  recompiled INTEGER NOT NULL, -- 1: it differs, 0: it is the same, -1: unknown
  PRIMARY KEY (crossing, position)
) STRICT, WITHOUT ROWID;
