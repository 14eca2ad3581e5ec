CREATE TABLE executions (
  -- What a benchmark executed and read at a revision, and the identity of all of it.
  machine INTEGER NOT NULL REFERENCES machines,
  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,
  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  touched TEXT NOT NULL, -- a line each: P program, F file, D folder
  identity TEXT NOT NULL, -- hash, normalised
  PRIMARY KEY (machine, benchmark, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX executions_by_revision ON executions (revision);
CREATE TABLE carried (
  -- Cells that were not run because all that they execute is that of another.
  machine INTEGER NOT NULL REFERENCES machines,
  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,
  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  source INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE, -- whose results they are
  PRIMARY KEY (machine, benchmark, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX carried_by_revision ON carried (revision);
CREATE INDEX carried_by_source ON carried (source);
