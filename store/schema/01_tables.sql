-- Schema 1. Comments stand inside the parentheses, where SQLite keeps them: .schema explains itself.
-- AUTOINCREMENT: keys that others hold are never given to something else.
--
-- Sizes: 10,000 revisions x 100 benchmarks x 25 runs x 9 metrics is the upper end. A run's key is its
-- benchmark's key times 2^32 plus a number that counts up, so that the runs of one benchmark, and their samples,
-- lie together: reading a series touches its own pages alone, although runs of all benchmarks arrive
-- interleaved. The one index on runs says what is covered, what a window has, and that no run is there twice.
-- Measured by bench/store.c: 231 bytes a run of 9 samples, 65 to 90 us to put one, 0.3 s to read a series of
-- 250,000; so the upper end takes 6 GB.

CREATE TABLE machines (
  -- Where something was measured. Figures of different machines are never joined.
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  fingerprint TEXT NOT NULL UNIQUE, -- hash of the columns below
  hostname TEXT, cpu TEXT,
  cores INTEGER NOT NULL, -- processors online
  memory_bytes INTEGER NOT NULL,
  kernel TEXT,
  compilers TEXT -- first line of each compiler's --version
) STRICT;
CREATE TABLE revisions (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE, -- of the git commit, 40 hexadecimal digits
  time_s INTEGER NOT NULL, -- commit time, seconds since 1970
  author TEXT, subject TEXT
) STRICT;
CREATE TABLE parents (
  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  position INTEGER NOT NULL, -- 0: first parent, the predecessor in comparisons
  id TEXT NOT NULL, -- of the parent, which need not be stored itself
  PRIMARY KEY (revision, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE benchmarks (
  -- A benchmark of one version. Another version is another series.
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  version TEXT NOT NULL, -- hash of what defines it
  generation INTEGER NOT NULL, -- the version used last has the highest of its name
  definition TEXT NOT NULL, -- JSON, for people
  is_test INTEGER NOT NULL, -- 1: a unit test taken as a benchmark
  UNIQUE (name, version)
) STRICT;
CREATE TABLE metrics (
  key INTEGER PRIMARY KEY,
  benchmark TEXT NOT NULL, -- name of the one that defines it; '' for the built-in ones
  name TEXT NOT NULL,
  unit TEXT NOT NULL, -- of its values: ns, bytes, 1 for counts, or the user's own
  label TEXT NOT NULL,
  better INTEGER NOT NULL, -- 0: lower is better, 1: higher
  kind INTEGER NOT NULL, -- 0: noisy, 1: deterministic, 2: recorded, not judged
  min_relative REAL NOT NULL, min_absolute REAL NOT NULL, -- smallest change reported
  UNIQUE (benchmark, name, unit, better)
) STRICT;
CREATE TABLE outcomes (
  -- How an attempt to build or to run ended.
  key INTEGER PRIMARY KEY, name TEXT NOT NULL
) STRICT;
INSERT INTO outcomes VALUES (0, 'measured'), (1, 'tree refused'), (2, 'build failed'),
  (3, 'build timed out'), (4, 'setup failed'), (5, 'wrong exit status'), (6, 'crashed'),
  (7, 'timed out'), (8, 'too much output'), (9, 'not started'),
  (10, 'metric missing'), (11, 'not countable');
CREATE TABLE recipes (
  key INTEGER PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE -- of build steps, environment and overlay
) STRICT;
CREATE TABLE builds (
  -- Every attempt to build a revision; the latest (highest key) counts.
  key INTEGER PRIMARY KEY,
  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  machine INTEGER NOT NULL REFERENCES machines,
  recipe INTEGER NOT NULL REFERENCES recipes,
  outcome INTEGER NOT NULL REFERENCES outcomes, -- 0: built
  status INTEGER NOT NULL, -- exit status or signal of the step that failed
  started_s INTEGER NOT NULL, -- seconds since 1970
  duration_ns INTEGER NOT NULL,
  step TEXT, -- that failed
  log TEXT -- the end of its output
) STRICT;
CREATE INDEX builds_by_revision ON builds (revision, machine, recipe);
CREATE TABLE changed_methods (
  -- Methods that differ between a revision and its first parent.
  key INTEGER PRIMARY KEY,
  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  kind TEXT NOT NULL
    CHECK (kind IN ('added', 'deleted', 'modified', 'renamed', 'moved')),
  component TEXT NOT NULL, -- source file or binary module
  name TEXT NOT NULL, signature TEXT, -- qualified name; signature where it is overloaded
  old_component TEXT, old_name TEXT -- of a renamed or moved one
) STRICT;
CREATE INDEX changed_methods_by_revision ON changed_methods (revision);
CREATE TABLE windows (
  -- A set of (revision, benchmark) cells that are run together, in shuffled rounds.
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  machine INTEGER NOT NULL REFERENCES machines,
  created_s INTEGER NOT NULL,
  seed INTEGER NOT NULL, -- of the order of its rounds, as a signed number
  is_open INTEGER NOT NULL, -- 1: runs are still to be made
  governor TEXT, turbo TEXT,
  load REAL, -- one-minute average when it began
  env_bytes INTEGER NOT NULL, -- size of the benchmarks' environment
  cpu INTEGER NOT NULL, -- processor they are pinned to; -1: none
  nice INTEGER NOT NULL,
  fixed_layout INTEGER NOT NULL -- 1: address space layout randomisation is off
) STRICT;
CREATE INDEX windows_by_machine ON windows (machine, is_open);
CREATE TABLE window_cells (
  -- The plan of a window.
  window INTEGER NOT NULL REFERENCES windows ON DELETE CASCADE,
  revision INTEGER NOT NULL REFERENCES revisions,
  benchmark INTEGER NOT NULL REFERENCES benchmarks,
  position INTEGER NOT NULL, -- in the plan, from 0
  role INTEGER NOT NULL, -- 0: new, 1: anchor, measured again to tie windows together
  rounds INTEGER NOT NULL, -- runs wanted
  PRIMARY KEY (window, revision, benchmark)
) STRICT, WITHOUT ROWID;
CREATE INDEX window_cells_by_revision ON window_cells (revision);
CREATE INDEX window_cells_by_benchmark ON window_cells (benchmark);
CREATE TABLE runs (
  -- One execution of a benchmark at a revision.
  key INTEGER PRIMARY KEY, -- benchmark * 2^32 + a number that counts up
  window INTEGER NOT NULL, revision INTEGER NOT NULL, benchmark INTEGER NOT NULL,
  kind INTEGER NOT NULL, -- 0: timed, 1: counting allocations
  round INTEGER NOT NULL, -- of the window, from 0
  sequence INTEGER NOT NULL, -- what ran before what, within a session
  started_s INTEGER NOT NULL, -- seconds since 1970
  outcome INTEGER NOT NULL REFERENCES outcomes, -- 0: measured, has samples
  status INTEGER NOT NULL, -- exit status or signal
  log TEXT, -- of a failure: the end of its output
  CHECK (key >> 32 = benchmark),
  UNIQUE (benchmark, revision, window, kind, round),
  FOREIGN KEY (window, revision, benchmark) REFERENCES window_cells
) STRICT;
CREATE INDEX runs_that_failed ON runs (benchmark, revision, kind) WHERE outcome <> 0;
CREATE TABLE samples (
  -- One measured value. Measuring again adds runs; nothing is ever changed.
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  metric INTEGER NOT NULL REFERENCES metrics,
  value REAL NOT NULL, -- in the metric's unit: times are nanoseconds
  PRIMARY KEY (run, metric)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER samples_are_immutable BEFORE UPDATE ON samples BEGIN
  SELECT RAISE (ABORT, 'samples are immutable: measure again to add runs');
END;
CREATE TABLE profiles (
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  format TEXT NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (run, format)
) STRICT;
CREATE TABLE series (
  -- Which metrics a benchmark has values of on a machine.
  machine INTEGER NOT NULL REFERENCES machines,
  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,
  metric INTEGER NOT NULL REFERENCES metrics,
  PRIMARY KEY (machine, benchmark, metric)
) STRICT, WITHOUT ROWID;
CREATE INDEX series_by_benchmark ON series (benchmark);
CREATE TABLE jumps (
  -- Where a series moved to another level, as judged last.
  machine INTEGER NOT NULL, benchmark INTEGER NOT NULL, metric INTEGER NOT NULL,
  before INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE, -- last of the old
  after INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE, -- first of the new
  relative REAL, -- change; 0.05 is +5 %; NULL: undefined (from zero)
  low REAL, high REAL, -- its 95 % interval
  strength REAL,
  regression INTEGER NOT NULL, -- 1: to the worse
  PRIMARY KEY (machine, benchmark, metric, before, after),
  FOREIGN KEY (machine, benchmark, metric) REFERENCES series ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX jumps_by_before ON jumps (before);
CREATE INDEX jumps_by_after ON jumps (after);

-- For people. A filter on the columns of the partition reaches through window functions down to the tables,
-- which it does not through GROUP BY: 0.1 s instead of 24 s for one benchmark of 20 among 200,000 runs.
CREATE VIEW measurements AS
  -- One row a sample, with names in place of keys.
  SELECT v.id AS revision, b.name AS benchmark, b.version AS version, m.name AS metric,
    m.unit AS unit, h.fingerprint AS machine, r.window AS window, r.round AS round,
    r.started_s AS started_s, s.value AS value
  FROM benchmarks b JOIN runs r ON r.benchmark = b.key
    JOIN revisions v ON v.key = r.revision JOIN windows w ON w.key = r.window
    JOIN machines h ON h.key = w.machine JOIN samples s ON s.run = r.key
    JOIN metrics m ON m.key = s.metric;
CREATE VIEW figures AS
  -- One row per (revision, benchmark, metric, machine): n values, their median, median
  -- absolute deviation from it, least and greatest, in the unit. Fast when it is asked
  -- for one benchmark: SELECT * FROM figures WHERE benchmark = 'x' AND metric = 'wall';
  WITH ranked AS (
    SELECT revision, benchmark, version, metric, unit, machine, value,
      row_number() OVER cell_by_value AS rank, count(*) OVER cell AS n
    FROM measurements
    WINDOW cell AS (PARTITION BY revision, benchmark, version, metric, unit, machine),
      cell_by_value AS (cell ORDER BY value)),
  centred AS (
    SELECT *, min(value) OVER cell AS min, max(value) OVER cell AS max,
      avg(CASE WHEN rank IN ((n + 1) / 2, (n + 2) / 2) THEN value END) OVER cell AS median
    FROM ranked
    WINDOW cell AS (PARTITION BY revision, benchmark, version, metric, unit, machine)),
  spread AS (
    SELECT *, row_number() OVER cell_by_distance AS far FROM centred
    WINDOW cell_by_distance AS (
      PARTITION BY revision, benchmark, version, metric, unit, machine
      ORDER BY abs(value - median))),
  summed AS (
    SELECT *, avg(CASE WHEN far IN ((n + 1) / 2, (n + 2) / 2) THEN abs(value - median) END)
      OVER cell AS mad FROM spread
    WINDOW cell AS (PARTITION BY revision, benchmark, version, metric, unit, machine))
  SELECT revision, benchmark, version, metric, unit, machine, n, median, mad, min, max
  FROM summed WHERE rank = 1;
CREATE VIEW runs_failed AS
  -- One row per run that was not measured, with the end of its output.
  SELECT v.id AS revision, v.subject AS subject, b.name AS benchmark, b.version AS version,
    h.fingerprint AS machine, CASE r.kind WHEN 0 THEN 'timed' ELSE 'allocations' END AS kind,
    o.name AS outcome, r.status AS status, r.started_s AS started_s, r.log AS log
  FROM runs r JOIN revisions v ON v.key = r.revision JOIN benchmarks b ON b.key = r.benchmark
    JOIN windows w ON w.key = r.window JOIN machines h ON h.key = w.machine
    JOIN outcomes o ON o.key = r.outcome WHERE r.outcome <> 0;
CREATE VIEW jumps_named AS
  -- One row per jump, with names in place of keys; relative 0.05 is +5 %.
  SELECT b.name AS benchmark, b.version AS version, m.name AS metric, m.unit AS unit,
    h.fingerprint AS machine, o.id AS before, n.id AS after, n.subject AS subject,
    j.relative AS relative, j.low AS low, j.high AS high, j.strength AS strength,
    j.regression AS regression
  FROM jumps j JOIN benchmarks b ON b.key = j.benchmark JOIN metrics m ON m.key = j.metric
    JOIN machines h ON h.key = j.machine JOIN revisions o ON o.key = j.before
    JOIN revisions n ON n.key = j.after;
