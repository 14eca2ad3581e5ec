-- The tables of schema 10: a new store begins with them, and is lifted from there by the scripts that follow.
-- Comments stand inside the parentheses, where SQLite keeps them: .schema explains itself.
-- AUTOINCREMENT: keys that others hold are never given to something else.
--
-- Sizes: 10,000 revisions x 100 benchmarks x 25 runs x 9 metrics is the upper end. A run's key is its
-- benchmark's key times 2^32 plus a number that counts up, so that the runs of one benchmark, and their samples,
-- lie together: reading a series touches its own pages alone, although runs of all benchmarks arrive
-- interleaved. The one index on runs says what is covered, what a batch has, and that no run is there twice.
-- Measured by bench/store.c: 231 bytes a run of 9 samples, 65 to 90 us to put one, 0.3 s to read a series of
-- 250,000; so the upper end takes 6 GB.

CREATE TABLE machines (
  -- Where something was measured. Values of different machines are never joined.
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
  log TEXT, -- the end of its output
  shared INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX builds_by_revision ON builds (revision, machine, recipe);
CREATE TABLE batches (
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
  fixed_layout INTEGER NOT NULL, -- 1: address space layout randomisation is off
  aside INTEGER NOT NULL DEFAULT 0, -- 1: of a confirmation, not in series
  shared INTEGER NOT NULL DEFAULT 0 -- 1: sent, or from elsewhere
) STRICT;
CREATE INDEX batches_by_machine ON batches (machine, is_open);
CREATE TABLE batch_cells (
  -- The plan of a batch.
  batch INTEGER NOT NULL REFERENCES batches ON DELETE CASCADE,
  revision INTEGER NOT NULL REFERENCES revisions,
  benchmark INTEGER NOT NULL REFERENCES benchmarks,
  position INTEGER NOT NULL, -- in the plan, from 0
  role INTEGER NOT NULL, -- 0: new, 1: anchor, measured again to tie batches together
  rounds INTEGER NOT NULL, -- runs wanted; those made where that was enough
  enough INTEGER NOT NULL DEFAULT 0, -- 1: its value was known well enough before
  PRIMARY KEY (batch, revision, benchmark)
) STRICT, WITHOUT ROWID;
CREATE INDEX batch_cells_by_revision ON batch_cells (revision);
CREATE INDEX batch_cells_by_benchmark ON batch_cells (benchmark);
CREATE TABLE runs (
  -- One execution of a benchmark at a revision.
  key INTEGER PRIMARY KEY, -- benchmark * 2^32 + a number that counts up
  batch INTEGER NOT NULL, revision INTEGER NOT NULL, benchmark INTEGER NOT NULL,
  kind INTEGER NOT NULL, -- 0: timed, 1: counting allocations
  round INTEGER NOT NULL, -- of the batch, from 0
  sequence INTEGER NOT NULL, -- what ran before what, within a session
  started_s INTEGER NOT NULL, -- seconds since 1970
  outcome INTEGER NOT NULL REFERENCES outcomes, -- 0: measured, has samples
  status INTEGER NOT NULL, -- exit status or signal
  log TEXT, -- of a failure: the end of its output
  CHECK (key >> 32 = benchmark),
  UNIQUE (benchmark, revision, batch, kind, round),
  FOREIGN KEY (batch, revision, benchmark) REFERENCES batch_cells
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

-- What is known of changed methods, and profiles, stand by the commit's id, not by a key of revisions: any commit may
-- be asked about, and to be in revisions means to be in the line of what was measured.

CREATE TABLE compared (
  -- Commits whose changed methods are known, also those that have none.
  key INTEGER PRIMARY KEY,
  revision TEXT NOT NULL UNIQUE, -- id of the commit; it need not be in revisions
  before TEXT NOT NULL, -- id of its first parent; '' for an empty tree
  rules TEXT NOT NULL, -- hash of the extraction's version and of the config's paths
  files INTEGER NOT NULL, -- read, on either side
  unread INTEGER NOT NULL, -- parts of them that could not be parsed
  changed_methods INTEGER NOT NULL -- methods added, deleted and modified
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
CREATE TABLE extractions (
  -- The methods of one content of a file: a cache that may be emptied.
  key INTEGER PRIMARY KEY,
  blob TEXT NOT NULL, -- id of the content in git
  language TEXT NOT NULL, -- that it was read as
  version INTEGER NOT NULL, -- of the extraction; another one is void
  data BLOB NOT NULL,
  UNIQUE (blob, language)
) STRICT;
CREATE TABLE executions (
  -- What a benchmark executed and read at a revision, and the identity of all of it.
  machine INTEGER NOT NULL REFERENCES machines,
  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,
  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  dependencies TEXT NOT NULL, -- a line each: P program, F file, D folder
  identity TEXT NOT NULL, -- hash, normalised
  PRIMARY KEY (machine, benchmark, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX executions_by_revision ON executions (revision);
CREATE TABLE reused (
  -- Cells that were not run because all that they execute is that of another.
  machine INTEGER NOT NULL REFERENCES machines,
  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,
  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  source INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE, -- whose results they are
  shared INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (machine, benchmark, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX reused_by_revision ON reused (revision);
CREATE INDEX reused_by_source ON reused (source);

-- What a frame refers to in strings is not declared as a reference: to drop a text would look through all frames.
-- Both are dropped by gc alone, which drops texts after the frames (store/frames.c).

CREATE TABLE strings (
  -- Texts of frames, each once.
  key INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE frames (
  -- The methods that profiles speak of, each once; frames_named has their names.
  key INTEGER PRIMARY KEY,
  name INTEGER NOT NULL, component INTEGER NOT NULL, signature INTEGER NOT NULL, -- in strings
  kind INTEGER NOT NULL, -- 0: method, 1: root, 2: process, 3: thread, 4: unknown code
  UNIQUE (name, component, signature, kind)
) STRICT;
CREATE TABLE profiles (
  -- Calling context trees of a revision and benchmark that were taken together.
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  machine INTEGER NOT NULL REFERENCES machines,
  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,
  revision TEXT NOT NULL, -- id of the commit; it need not be in revisions
  kind TEXT NOT NULL, -- how it was collected, or the format it was imported from
  settings TEXT NOT NULL, -- hash of what else decides the trees; '' where nothing does
  tool TEXT NOT NULL, -- that took it; '': unknown
  file TEXT NOT NULL, -- that it was imported from; '': perfevo collected it
  note TEXT NOT NULL, -- what is to be known about it; '': nothing
  taken_s INTEGER NOT NULL, -- seconds since 1970
  UNIQUE (benchmark, revision, machine, kind, settings, file)
) STRICT;
CREATE INDEX profiles_by_revision ON profiles (revision);
CREATE TABLE trees (
  -- The trees of a profile. `perfevo profile` shows one, `perfevo export` writes one.
  profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE,
  repetition INTEGER NOT NULL, -- from 0; 0 is the one that is shown
  nodes INTEGER NOT NULL,
  known INTEGER NOT NULL, -- sum of 1: calls, 2: call sites, 4: times, 8: deviations,
    -- 16: allocations, 32: samples
  duration_ns INTEGER NOT NULL, -- of the execution; 0 is unknown, also below
  samples INTEGER NOT NULL, -- taken
  samples_lost INTEGER NOT NULL, -- of these: found no path in the tree
  interval_ns INTEGER NOT NULL, -- between samples
  processes INTEGER NOT NULL, threads INTEGER NOT NULL,
  peak_bytes INTEGER NOT NULL, -- most in use at once, summed over processes
  frames BLOB NOT NULL, -- the frames that it needs, packed (profile/archive.h)
  data BLOB NOT NULL, -- the tree, packed
  PRIMARY KEY (profile, repetition)
) STRICT;

-- Suspected changes and the fresh runs that confirm or refute them. Those runs are in batches that stand aside: the
-- search for changes does not see them, for they would be asked to bear witness twice.

CREATE TABLE confirmations (
  -- A change of one metric that was suspected, and what fresh pairs of runs say.
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  machine INTEGER NOT NULL REFERENCES machines,
  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,
  metric INTEGER NOT NULL REFERENCES metrics,
  before INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  after INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  first INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  last INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
    -- 95 % of the probability lie on first..last
  batch INTEGER REFERENCES batches ON DELETE SET NULL, -- of the pairs
  number INTEGER NOT NULL, -- in the order of beginning, on this machine, from 1
  direction INTEGER NOT NULL, -- 1: up, -1: down
  accept REAL NOT NULL, give_up REAL NOT NULL, suspected REAL NOT NULL,
  min_effect REAL NOT NULL, margin REAL NOT NULL, unit REAL NOT NULL,
    -- what the test is of, see core/stats/confirm.h
  begun_s INTEGER NOT NULL,
  answer INTEGER NOT NULL, -- 0: none yet, 1: confirmed, 2: refuted, 3: undecided
  pairs INTEGER NOT NULL, relative REAL, low REAL, high REAL, confidence REAL, p REAL,
  least REAL, -- smallest change that as many pairs would have confirmed
  more INTEGER NOT NULL, -- undecided: about how many more pairs decide it
  known_after INTEGER NOT NULL, -- how many had begun when the answer came in
  pinned_before INTEGER REFERENCES revisions ON DELETE CASCADE,
  pinned_after INTEGER REFERENCES revisions ON DELETE CASCADE,
  pinned_first INTEGER REFERENCES revisions ON DELETE CASCADE,
  pinned_last INTEGER REFERENCES revisions ON DELETE CASCADE,
  sure REAL, -- probability of the place that it was pinned to
  settled INTEGER NOT NULL, -- 1: nothing more is to be measured
  shared INTEGER NOT NULL DEFAULT 0,
  layout INTEGER NOT NULL DEFAULT 0
    -- 0: not looked, 1: what runs differs, 2: layout, 3: cannot be told
) STRICT;
CREATE INDEX confirmations_by_benchmark ON confirmations (benchmark);
CREATE INDEX confirmations_by_before ON confirmations (before);
CREATE INDEX confirmations_by_after ON confirmations (after);
CREATE INDEX confirmations_by_first ON confirmations (first);
CREATE INDEX confirmations_by_last ON confirmations (last);
CREATE INDEX confirmations_by_pinned_before ON confirmations (pinned_before);
CREATE INDEX confirmations_by_pinned_after ON confirmations (pinned_after);
CREATE INDEX confirmations_by_pinned_first ON confirmations (pinned_first);
CREATE INDEX confirmations_by_pinned_last ON confirmations (pinned_last);
CREATE INDEX confirmations_by_batch ON confirmations (batch);
CREATE TABLE pins (
  -- Batches in which the surroundings of a confirmed change were measured again.
  batch INTEGER PRIMARY KEY REFERENCES batches ON DELETE CASCADE,
  confirmed_by INTEGER NOT NULL REFERENCES batches ON DELETE CASCADE
) STRICT;
CREATE INDEX pins_by_confirmed ON pins (confirmed_by);
CREATE TABLE bundles (
  -- Bundles of results that were sent or taken in, by their name outside.
  name TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
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
