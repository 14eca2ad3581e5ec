-- Schema 11. What the promises of docs/security.md need. Append here; what is added stands as it would be in a new store.

INSERT INTO outcomes VALUES (12, 'inconclusive');

-- Results of others stand apart: each origin has machines of its own, whose fingerprints no machine has.
ALTER TABLE machines ADD COLUMN origin TEXT NOT NULL DEFAULT ''; -- '': measured here; else the key that signed (SHA256:...), or 'unsigned'
ALTER TABLE machines ADD COLUMN claimed TEXT; -- from elsewhere: the fingerprint that the results name
ALTER TABLE machines ADD COLUMN remote TEXT; -- where they came from first
CREATE UNIQUE INDEX machines_by_claim ON machines (origin, claimed) WHERE origin <> '';
ALTER TABLE bundles ADD COLUMN missing TEXT; -- a commit that it speaks of and that was not here; NULL: none
ALTER TABLE bundles ADD COLUMN refused TEXT; -- why it was not taken in; NULL: it was
ALTER TABLE bundles ADD COLUMN reader TEXT; -- refused: by this version of perfevo

-- Profiles of confirmed jumps leave for other stores.
ALTER TABLE profiles ADD COLUMN shared INTEGER NOT NULL DEFAULT 0; -- 1: sent

INSERT INTO outcomes VALUES (13, 'not there');

-- Suites: programs that run many benchmarks, each of which is one of benchmarks.
ALTER TABLE benchmarks ADD COLUMN suite TEXT; -- that it is a member of; NULL: on its own
CREATE TABLE suites (
  -- A suite as it was defined, and what is known of its program.
  key INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  version TEXT NOT NULL, -- hash of its definition
  format TEXT NOT NULL, -- of its output, as it was found
  fixed INTEGER NOT NULL, -- 1: it can be told to run so many iterations
  UNIQUE (name, version)
) STRICT;
CREATE TABLE suite_contents (
  -- What a suite's program was found to have; most revisions have the same.
  key INTEGER PRIMARY KEY,
  suite INTEGER NOT NULL REFERENCES suites ON DELETE CASCADE,
  names TEXT NOT NULL, -- JSON: [[as the library's filter takes it, with parameters in brackets], ...]
  UNIQUE (suite, names)
) STRICT;
CREATE TABLE suite_listings (
  -- Revisions whose program was asked what it has.
  suite INTEGER NOT NULL REFERENCES suites ON DELETE CASCADE,
  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  contents INTEGER NOT NULL REFERENCES suite_contents ON DELETE CASCADE,
  PRIMARY KEY (suite, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX suite_listings_by_revision ON suite_listings (revision);
CREATE INDEX suite_listings_by_contents ON suite_listings (contents);
CREATE TABLE inner_samples (
  -- The values within a process that a sample is the median of.
  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,
  metric INTEGER NOT NULL REFERENCES metrics,
  samples TEXT NOT NULL, -- JSON: an array of numbers in the metric's unit
  PRIMARY KEY (run, metric)
) STRICT, WITHOUT ROWID;
ALTER TABLE builds ADD COLUMN refused_by TEXT; -- a refused tree: the version and limits it is not tried again by; NULL: something may be mended

-- Jumps of one cause, for the view `events`.
ALTER TABLE jumps ADD COLUMN event INTEGER REFERENCES revisions ON DELETE CASCADE; -- commit of the event that it is of; NULL: not known
CREATE INDEX jumps_by_event ON jumps (event);

-- What measuring took besides what it measured, for estimates.
CREATE TABLE costs (
  -- Time that passed, summed up over sessions; what is long ago weighs less.
  machine INTEGER NOT NULL REFERENCES machines,
  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,
  kind INTEGER NOT NULL, -- 0: timed run, 1: counting run, 2: setup and cleanup, 3: warm-up, 4: probe of what is executed, 5: counting run with simulated instructions
  n REAL NOT NULL, -- how often
  seconds REAL NOT NULL, -- in all
  PRIMARY KEY (machine, benchmark, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX costs_by_benchmark ON costs (benchmark);

-- What is being measured at the moment, for those who look on.
CREATE TABLE activity (
  -- A track at work, or one that was killed: whether it lives, its lock tells.
  machine INTEGER PRIMARY KEY REFERENCES machines,
  since_s INTEGER NOT NULL, -- seconds since 1970
  known INTEGER NOT NULL, -- revisions that have results
  revisions INTEGER NOT NULL -- that were asked for
) STRICT;

-- What builds read of their trees: a commit that changes none of it has the results of the build, and is not built.
CREATE TABLE read_sets (
  -- Paths that builds read, looked for in vain, listed and made; most builds have theirs in common.
  key INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE, -- of the paths
  paths TEXT NOT NULL -- sorted, a line each: kind, how many bytes are those of the line before, the rest (app/measure/reads.h)
) STRICT;
CREATE TABLE build_reads (
  -- Of good builds that were watched.
  build INTEGER PRIMARY KEY REFERENCES builds ON DELETE CASCADE,
  reads INTEGER REFERENCES read_sets, -- NULL: not all of it could be seen
  reason TEXT -- why not
) STRICT;
CREATE INDEX build_reads_by_set ON build_reads (reads);
ALTER TABLE reused ADD COLUMN unbuilt INTEGER NOT NULL DEFAULT 0; -- 1: it was not built either, for what builds read is the same
CREATE TABLE misread (
  -- Commits whose builds differed although nothing differed that builds were seen to read: with such a recipe every commit is built.
  machine INTEGER NOT NULL REFERENCES machines,
  recipe INTEGER NOT NULL REFERENCES recipes,
  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  source INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE, -- that it should be the same as
  PRIMARY KEY (machine, recipe, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX misread_by_revision ON misread (revision);
CREATE INDEX misread_by_source ON misread (source);

-- Keys are revoked after results that they signed were taken in.
ALTER TABLE machines ADD COLUMN public_key TEXT; -- that signed them, in base64; NULL: none did

-- Instructions that functions execute themselves, as valgrind counts them.
CREATE TABLE function_counts (
  -- Those of a run, each different list once; most are what differs from another one, which is whole.
  key INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE,
  base INTEGER REFERENCES function_counts, -- that data differs from; NULL: data is whole
  data BLOB NOT NULL -- functions by their keys in frames, and their counts, packed (store/functions.c)
) STRICT;
CREATE INDEX function_counts_by_base ON function_counts (base) WHERE base IS NOT NULL;
CREATE TABLE run_functions (
  -- Counting runs in which instructions were simulated.
  run INTEGER PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
  counts INTEGER NOT NULL REFERENCES function_counts
) STRICT;
CREATE INDEX run_functions_by_counts ON run_functions (counts);

-- A farm: machines of one class, which Slurm gives out, measure for one store.
ALTER TABLE machines ADD COLUMN farm INTEGER NOT NULL DEFAULT 0; -- 1: the class of machines that this store's farm measures on
ALTER TABLE batches ADD COLUMN node TEXT; -- that measured it, of a class; NULL: the machine itself
CREATE TABLE farm_pieces (
  -- What workers wrote and was taken in: each piece once.
  name TEXT PRIMARY KEY, -- hash of its content
  shard TEXT NOT NULL -- hash of the work that it is a part of
) STRICT, WITHOUT ROWID;

-- What benchmarks execute of their programs: a commit that changes none of it has the results of the source, and is not run.
CREATE TABLE executed_sets (
  -- Functions that a benchmark was seen to enter; most of its revisions have theirs in common.
  key INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE, -- of the functions
  functions TEXT NOT NULL -- a line each, by program and module (app/measure/executed.c)
) STRICT;
ALTER TABLE executions ADD COLUMN functions INTEGER REFERENCES executed_sets; -- NULL: they were not seen
ALTER TABLE executions ADD COLUMN executed TEXT; -- hash of these functions, of what they read, and of the files
ALTER TABLE executions ADD COLUMN alone INTEGER NOT NULL DEFAULT 0; -- 1: functions of this member of a suite, not of all of it
CREATE INDEX executions_by_functions ON executions (functions);
ALTER TABLE reused ADD COLUMN skipped INTEGER NOT NULL DEFAULT 0; -- 1: its build differs, in nothing that the benchmark executes
CREATE TABLE misjudged (
  -- Cells that proved different although nothing differed that the benchmark was seen to execute: it is run at every commit.
  machine INTEGER NOT NULL REFERENCES machines,
  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,
  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,
  source INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE, -- that it should be the same as
  PRIMARY KEY (machine, benchmark, revision)
) STRICT, WITHOUT ROWID;
CREATE INDEX misjudged_by_benchmark ON misjudged (benchmark);
CREATE INDEX misjudged_by_revision ON misjudged (revision);
CREATE INDEX misjudged_by_source ON misjudged (source);

-- What benchmarks execute from outside of the tree: another interpreter or library is not taken for another commit.
CREATE TABLE module_sets (
  -- Programs and libraries that counting runs mapped, as they were then.
  key INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE, -- of the lines
  modules TEXT NOT NULL -- a line each: digest of the content, path
) STRICT;
CREATE TABLE module_epochs (
  -- What was seen in an epoch: it ends when something is replaced.
  machine INTEGER NOT NULL REFERENCES machines,
  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,
  epoch INTEGER NOT NULL, -- from 1
  modules INTEGER NOT NULL REFERENCES module_sets,
  PRIMARY KEY (machine, benchmark, epoch, modules)
) STRICT, WITHOUT ROWID;
CREATE INDEX module_epochs_by_benchmark ON module_epochs (benchmark);
CREATE INDEX module_epochs_by_modules ON module_epochs (modules);
ALTER TABLE runs ADD COLUMN modules INTEGER REFERENCES module_sets; -- NULL: not known
ALTER TABLE runs ADD COLUMN epoch INTEGER; -- counts of two epochs are not compared; NULL: not known, and taken for the first
CREATE INDEX runs_by_modules ON runs (modules, batch) WHERE modules IS NOT NULL;

-- What methods execute as the source has them, wherever they were inlined.
CREATE TABLE chargings (
  -- Pairs of revisions that were counted for it.
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  machine INTEGER NOT NULL REFERENCES machines,
  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,
  before TEXT NOT NULL, after TEXT NOT NULL, -- ids of the commits
  UNIQUE (before, after, machine, benchmark)
) STRICT;
CREATE INDEX chargings_by_benchmark ON chargings (benchmark);
CREATE TABLE charges (
  -- Methods for which that differs.
  charging INTEGER NOT NULL REFERENCES chargings ON DELETE CASCADE,
  component TEXT NOT NULL, name TEXT NOT NULL, signature TEXT NOT NULL,
  old INTEGER NOT NULL, new INTEGER NOT NULL, -- instructions of a run
  PRIMARY KEY (charging, component, name, signature)
) STRICT, WITHOUT ROWID;

-- System calls by name, as valgrind sees them.
CREATE TABLE call_sets (
  -- Those of a run, each different list once.
  key INTEGER PRIMARY KEY,
  digest TEXT NOT NULL UNIQUE, -- of the lines
  calls TEXT NOT NULL -- a line each: name, how often (core/model/system_calls.h)
) STRICT;
ALTER TABLE runs ADD COLUMN calls INTEGER REFERENCES call_sets; -- NULL: not known
CREATE INDEX runs_by_calls ON runs (calls) WHERE calls IS NOT NULL;

-- The class of a commit with jumps, as every output has it, in the row of the jump that leads them; elsewhere NULL.
ALTER TABLE jumps ADD COLUMN class TEXT; -- 'slower', 'mixed', 'faster', 'counts', 'layout'
ALTER TABLE jumps ADD COLUMN standing TEXT; -- 'confirmed', 'suspected', 'accepted'
ALTER TABLE jumps ADD COLUMN summary TEXT; -- the commit's jumps in a sentence

-- The first function that a run enters and that executes nothing where instructions are counted: the program asks its
-- processor. '': none; NULL: not looked at.
ALTER TABLE executions ADD COLUMN chosen TEXT;
