/*
 * The tables. Comments stand inside the parentheses, where SQLite keeps them: `.schema` explains itself.
 *
 * Sizes: 10,000 revisions x 100 benchmarks x 25 runs x 9 metrics is the upper end. A run's key is its
 * benchmark's key times 2^32 plus a number that counts up, so that the runs of one benchmark, and their
 * samples, lie together: reading a series touches its own pages alone, although runs of all benchmarks
 * arrive interleaved. The one index on runs says what is covered, what a window has, and that no run is
 * there twice. Measured by bench/store.c: 231 bytes a run of 9 samples, 65 to 90 us to put one, 0.3 s to read
 * a series of 250,000; so the upper end takes 6 GB.
 */
#include "store/schema.h"

#include <inttypes.h>
#include <stdio.h>

/* What is measured, and where. AUTOINCREMENT: keys that others hold are never given to something else. */
#define SUBJECTS                                                                                   \
	"CREATE TABLE machines (\n"                                                                \
	"  -- Where something was measured. Figures of different machines are never joined.\n"     \
	"  key INTEGER PRIMARY KEY AUTOINCREMENT,\n"                                               \
	"  fingerprint TEXT NOT NULL UNIQUE, -- hash of the columns below\n"                       \
	"  hostname TEXT, cpu TEXT,\n"                                                             \
	"  cores INTEGER NOT NULL, -- processors online\n"                                         \
	"  memory_bytes INTEGER NOT NULL,\n"                                                       \
	"  kernel TEXT,\n"                                                                         \
	"  compilers TEXT -- first line of each compiler's --version\n"                            \
	") STRICT;\n"                                                                              \
	"CREATE TABLE revisions (\n"                                                               \
	"  key INTEGER PRIMARY KEY AUTOINCREMENT,\n"                                               \
	"  id TEXT NOT NULL UNIQUE, -- of the git commit, 40 hexadecimal digits\n"                 \
	"  time_s INTEGER NOT NULL, -- commit time, seconds since 1970\n"                          \
	"  author TEXT, subject TEXT\n"                                                            \
	") STRICT;\n"                                                                              \
	"CREATE TABLE parents (\n"                                                                 \
	"  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,\n"                    \
	"  position INTEGER NOT NULL, -- 0: first parent, the predecessor in comparisons\n"        \
	"  id TEXT NOT NULL, -- of the parent, which need not be stored itself\n"                  \
	"  PRIMARY KEY (revision, position)\n"                                                     \
	") STRICT, WITHOUT ROWID;\n"                                                               \
	"CREATE TABLE benchmarks (\n"                                                              \
	"  -- A benchmark of one version. Another version is another series.\n"                    \
	"  key INTEGER PRIMARY KEY AUTOINCREMENT,\n"                                               \
	"  name TEXT NOT NULL,\n"                                                                  \
	"  version TEXT NOT NULL, -- hash of what defines it\n"                                    \
	"  generation INTEGER NOT NULL, -- the version used last has the highest of its name\n"    \
	"  definition TEXT NOT NULL, -- JSON, for people\n"                                        \
	"  is_test INTEGER NOT NULL, -- 1: a unit test taken as a benchmark\n"                     \
	"  UNIQUE (name, version)\n"                                                               \
	") STRICT;\n"                                                                              \
	"CREATE TABLE metrics (\n"                                                                 \
	"  key INTEGER PRIMARY KEY,\n"                                                             \
	"  benchmark TEXT NOT NULL, -- name of the one that defines it; '' for the built-in "      \
	"ones\n"                                                                                   \
	"  name TEXT NOT NULL,\n"                                                                  \
	"  unit TEXT NOT NULL, -- of its values: ns, bytes, 1 for counts, or the user's own\n"     \
	"  label TEXT NOT NULL,\n"                                                                 \
	"  better INTEGER NOT NULL, -- 0: lower is better, 1: higher\n"                            \
	"  kind INTEGER NOT NULL, -- 0: noisy, 1: deterministic, 2: recorded, not judged\n"        \
	"  min_relative REAL NOT NULL, min_absolute REAL NOT NULL, -- smallest change reported\n"  \
	"  UNIQUE (benchmark, name, unit, better)\n"                                               \
	") STRICT;\n"

#define BUILDS                                                                                     \
	"CREATE TABLE outcomes (\n"                                                                \
	"  -- How an attempt to build or to run ended.\n"                                          \
	"  key INTEGER PRIMARY KEY, name TEXT NOT NULL\n"                                          \
	") STRICT;\n"                                                                              \
	"INSERT INTO outcomes VALUES (0, 'measured'), (1, 'tree refused'), (2, 'build failed'),\n" \
	"  (3, 'build timed out'), (4, 'setup failed'), (5, 'wrong exit status'), (6, "            \
	"'crashed'),\n"                                                                            \
	"  (7, 'timed out'), (8, 'too much output'), (9, 'not started'),\n"                        \
	"  (10, 'metric missing'), (11, 'not countable');\n"                                       \
	"CREATE TABLE recipes (\n"                                                                 \
	"  key INTEGER PRIMARY KEY,\n"                                                             \
	"  hash TEXT NOT NULL UNIQUE -- of build steps, environment and overlay\n"                 \
	") STRICT;\n"                                                                              \
	"CREATE TABLE builds (\n"                                                                  \
	"  -- Every attempt to build a revision; the latest (highest key) counts.\n"               \
	"  key INTEGER PRIMARY KEY,\n"                                                             \
	"  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,\n"                    \
	"  machine INTEGER NOT NULL REFERENCES machines,\n"                                        \
	"  recipe INTEGER NOT NULL REFERENCES recipes,\n"                                          \
	"  outcome INTEGER NOT NULL REFERENCES outcomes, -- 0: built\n"                            \
	"  status INTEGER NOT NULL, -- exit status or signal of the step that failed\n"            \
	"  started_s INTEGER NOT NULL, -- seconds since 1970\n"                                    \
	"  duration_ns INTEGER NOT NULL,\n"                                                        \
	"  step TEXT, -- that failed\n"                                                            \
	"  log TEXT -- the end of its output\n"                                                    \
	") STRICT;\n"                                                                              \
	"CREATE INDEX builds_by_revision ON builds (revision, machine, recipe);\n"                 \
	"CREATE TABLE changed_methods (\n"                                                         \
	"  -- Methods that differ between a revision and its first parent.\n"                      \
	"  key INTEGER PRIMARY KEY,\n"                                                             \
	"  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,\n"                    \
	"  kind TEXT NOT NULL\n"                                                                   \
	"    CHECK (kind IN ('added', 'deleted', 'modified', 'renamed', 'moved')),\n"              \
	"  component TEXT NOT NULL, -- source file or binary module\n"                             \
	"  name TEXT NOT NULL, signature TEXT, -- qualified name; signature where it is "          \
	"overloaded\n"                                                                             \
	"  old_component TEXT, old_name TEXT -- of a renamed or moved one\n"                       \
	") STRICT;\n"                                                                              \
	"CREATE INDEX changed_methods_by_revision ON changed_methods (revision);\n"

#define RUNS                                                                                       \
	"CREATE TABLE windows (\n"                                                                 \
	"  -- A set of (revision, benchmark) cells that are run together, in shuffled rounds.\n"   \
	"  key INTEGER PRIMARY KEY AUTOINCREMENT,\n"                                               \
	"  machine INTEGER NOT NULL REFERENCES machines,\n"                                        \
	"  created_s INTEGER NOT NULL,\n"                                                          \
	"  seed INTEGER NOT NULL, -- of the order of its rounds, as a signed number\n"             \
	"  is_open INTEGER NOT NULL, -- 1: runs are still to be made\n"                            \
	"  governor TEXT, turbo TEXT,\n"                                                           \
	"  load REAL, -- one-minute average when it began\n"                                       \
	"  env_bytes INTEGER NOT NULL, -- size of the benchmarks' environment\n"                   \
	"  cpu INTEGER NOT NULL, -- processor they are pinned to; -1: none\n"                      \
	"  nice INTEGER NOT NULL,\n"                                                               \
	"  fixed_layout INTEGER NOT NULL -- 1: address space layout randomisation is off\n"        \
	") STRICT;\n"                                                                              \
	"CREATE INDEX windows_by_machine ON windows (machine, is_open);\n"                         \
	"CREATE TABLE window_cells (\n"                                                            \
	"  -- The plan of a window.\n"                                                             \
	"  window INTEGER NOT NULL REFERENCES windows ON DELETE CASCADE,\n"                        \
	"  revision INTEGER NOT NULL REFERENCES revisions,\n"                                      \
	"  benchmark INTEGER NOT NULL REFERENCES benchmarks,\n"                                    \
	"  position INTEGER NOT NULL, -- in the plan, from 0\n"                                    \
	"  role INTEGER NOT NULL, -- 0: new, 1: anchor, measured again to tie windows together\n"  \
	"  rounds INTEGER NOT NULL, -- runs wanted\n"                                              \
	"  PRIMARY KEY (window, revision, benchmark)\n"                                            \
	") STRICT, WITHOUT ROWID;\n"                                                               \
	"CREATE INDEX window_cells_by_revision ON window_cells (revision);\n"                      \
	"CREATE INDEX window_cells_by_benchmark ON window_cells (benchmark);\n"                    \
	"CREATE TABLE runs (\n"                                                                    \
	"  -- One execution of a benchmark at a revision.\n"                                       \
	"  key INTEGER PRIMARY KEY, -- benchmark * 2^32 + a number that counts up\n"               \
	"  window INTEGER NOT NULL, revision INTEGER NOT NULL, benchmark INTEGER NOT NULL,\n"      \
	"  kind INTEGER NOT NULL, -- 0: timed, 1: counting allocations\n"                          \
	"  round INTEGER NOT NULL, -- of the window, from 0\n"                                     \
	"  sequence INTEGER NOT NULL, -- what ran before what, within a session\n"                 \
	"  started_s INTEGER NOT NULL, -- seconds since 1970\n"                                    \
	"  outcome INTEGER NOT NULL REFERENCES outcomes, -- 0: measured, has samples\n"            \
	"  status INTEGER NOT NULL, -- exit status or signal\n"                                    \
	"  log TEXT, -- of a failure: the end of its output\n"                                     \
	"  CHECK (key >> 32 = benchmark),\n"                                                       \
	"  UNIQUE (benchmark, revision, window, kind, round),\n"                                   \
	"  FOREIGN KEY (window, revision, benchmark) REFERENCES window_cells\n"                    \
	") STRICT;\n"                                                                              \
	"CREATE INDEX runs_that_failed ON runs (benchmark, revision, kind) WHERE outcome <> 0;\n"

#define SAMPLES                                                                                    \
	"CREATE TABLE samples (\n"                                                                 \
	"  -- One measured value. Measuring again adds runs; nothing is ever changed.\n"           \
	"  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,\n"                              \
	"  metric INTEGER NOT NULL REFERENCES metrics,\n"                                          \
	"  value REAL NOT NULL, -- in the metric's unit: times are nanoseconds\n"                  \
	"  PRIMARY KEY (run, metric)\n"                                                            \
	") STRICT, WITHOUT ROWID;\n"                                                               \
	"CREATE TRIGGER samples_are_immutable BEFORE UPDATE ON samples BEGIN\n"                    \
	"  SELECT RAISE (ABORT, 'samples are immutable: measure again to add runs');\n"            \
	"END;\n"                                                                                   \
	"CREATE TABLE profiles (\n"                                                                \
	"  run INTEGER NOT NULL REFERENCES runs ON DELETE CASCADE,\n"                              \
	"  format TEXT NOT NULL,\n"                                                                \
	"  data BLOB NOT NULL,\n"                                                                  \
	"  PRIMARY KEY (run, format)\n"                                                            \
	") STRICT;\n"                                                                              \
	"CREATE TABLE series (\n"                                                                  \
	"  -- Which metrics a benchmark has values of on a machine.\n"                             \
	"  machine INTEGER NOT NULL REFERENCES machines,\n"                                        \
	"  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,\n"                  \
	"  metric INTEGER NOT NULL REFERENCES metrics,\n"                                          \
	"  PRIMARY KEY (machine, benchmark, metric)\n"                                             \
	") STRICT, WITHOUT ROWID;\n"                                                               \
	"CREATE INDEX series_by_benchmark ON series (benchmark);\n"                                \
	"CREATE TABLE jumps (\n"                                                                   \
	"  -- Where a series moved to another level, as judged last.\n"                            \
	"  machine INTEGER NOT NULL, benchmark INTEGER NOT NULL, metric INTEGER NOT NULL,\n"       \
	"  before INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE, -- last of the old\n"   \
	"  after INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE, -- first of the new\n"   \
	"  relative REAL, -- change; 0.05 is +5 %; NULL: undefined (from zero)\n"                  \
	"  low REAL, high REAL, -- its 95 % interval\n"                                            \
	"  strength REAL,\n"                                                                       \
	"  regression INTEGER NOT NULL, -- 1: to the worse\n"                                      \
	"  PRIMARY KEY (machine, benchmark, metric, before, after),\n"                             \
	"  FOREIGN KEY (machine, benchmark, metric) REFERENCES series ON DELETE CASCADE\n"         \
	") STRICT, WITHOUT ROWID;\n"                                                               \
	"CREATE INDEX jumps_by_before ON jumps (before);\n"                                        \
	"CREATE INDEX jumps_by_after ON jumps (after);\n"

/*
 * For people. A filter on the columns of the partition reaches through window functions down to the tables,
 * which it does not through GROUP BY: 0.1 s instead of 24 s for one benchmark of 20 among 200,000 runs.
 */
#define VIEWS                                                                                      \
	"CREATE VIEW measurements AS\n"                                                            \
	"  -- One row a sample, with names in place of keys.\n"                                    \
	"  SELECT v.id AS revision, b.name AS benchmark, b.version AS version, m.name AS "         \
	"metric,\n"                                                                                \
	"    m.unit AS unit, h.fingerprint AS machine, r.window AS window, r.round AS round,\n"    \
	"    r.started_s AS started_s, s.value AS value\n"                                         \
	"  FROM benchmarks b JOIN runs r ON r.benchmark = b.key\n"                                 \
	"    JOIN revisions v ON v.key = r.revision JOIN windows w ON w.key = r.window\n"          \
	"    JOIN machines h ON h.key = w.machine JOIN samples s ON s.run = r.key\n"               \
	"    JOIN metrics m ON m.key = s.metric;\n"                                                \
	"CREATE VIEW figures AS\n"                                                                 \
	"  -- One row per (revision, benchmark, metric, machine): n values, their median, "        \
	"median\n"                                                                                 \
	"  -- absolute deviation from it, least and greatest, in the unit. Fast when it is "       \
	"asked\n"                                                                                  \
	"  -- for one benchmark: SELECT * FROM figures WHERE benchmark = 'x' AND metric = "        \
	"'wall';\n"                                                                                \
	"  WITH ranked AS (\n"                                                                     \
	"    SELECT revision, benchmark, version, metric, unit, machine, value,\n"                 \
	"      row_number() OVER cell_by_value AS rank, count(*) OVER cell AS n\n"                 \
	"    FROM measurements\n"                                                                  \
	"    WINDOW cell AS (PARTITION BY revision, benchmark, version, metric, unit, machine),\n" \
	"      cell_by_value AS (cell ORDER BY value)),\n"                                         \
	"  centred AS (\n"                                                                         \
	"    SELECT *, min(value) OVER cell AS min, max(value) OVER cell AS max,\n"                \
	"      avg(CASE WHEN rank IN ((n + 1) / 2, (n + 2) / 2) THEN value END) OVER cell AS "     \
	"median\n"                                                                                 \
	"    FROM ranked\n"                                                                        \
	"    WINDOW cell AS (PARTITION BY revision, benchmark, version, metric, unit, "            \
	"machine)),\n"                                                                             \
	"  spread AS (\n"                                                                          \
	"    SELECT *, row_number() OVER cell_by_distance AS far FROM centred\n"                   \
	"    WINDOW cell_by_distance AS (\n"                                                       \
	"      PARTITION BY revision, benchmark, version, metric, unit, machine\n"                 \
	"      ORDER BY abs(value - median))),\n"                                                  \
	"  summed AS (\n"                                                                          \
	"    SELECT *, avg(CASE WHEN far IN ((n + 1) / 2, (n + 2) / 2) THEN abs(value - median) "  \
	"END)\n"                                                                                   \
	"      OVER cell AS mad FROM spread\n"                                                     \
	"    WINDOW cell AS (PARTITION BY revision, benchmark, version, metric, unit, machine))\n" \
	"  SELECT revision, benchmark, version, metric, unit, machine, n, median, mad, min, max\n" \
	"  FROM summed WHERE rank = 1;\n"                                                          \
	"CREATE VIEW runs_failed AS\n"                                                             \
	"  -- One row per run that was not measured, with the end of its output.\n"                \
	"  SELECT v.id AS revision, v.subject AS subject, b.name AS benchmark, b.version AS "      \
	"version,\n"                                                                               \
	"    h.fingerprint AS machine, CASE r.kind WHEN 0 THEN 'timed' ELSE 'allocations' END AS " \
	"kind,\n"                                                                                  \
	"    o.name AS outcome, r.status AS status, r.started_s AS started_s, r.log AS log\n"      \
	"  FROM runs r JOIN revisions v ON v.key = r.revision JOIN benchmarks b ON b.key = "       \
	"r.benchmark\n"                                                                            \
	"    JOIN windows w ON w.key = r.window JOIN machines h ON h.key = w.machine\n"            \
	"    JOIN outcomes o ON o.key = r.outcome WHERE r.outcome <> 0;\n"                         \
	"CREATE VIEW jumps_named AS\n"                                                             \
	"  -- One row per jump, with names in place of keys; relative 0.05 is +5 %.\n"             \
	"  SELECT b.name AS benchmark, b.version AS version, m.name AS metric, m.unit AS unit,\n"  \
	"    h.fingerprint AS machine, o.id AS before, n.id AS after, n.subject AS subject,\n"     \
	"    j.relative AS relative, j.low AS low, j.high AS high, j.strength AS strength,\n"      \
	"    j.regression AS regression\n"                                                         \
	"  FROM jumps j JOIN benchmarks b ON b.key = j.benchmark JOIN metrics m ON m.key = "       \
	"j.metric\n"                                                                               \
	"    JOIN machines h ON h.key = j.machine JOIN revisions o ON o.key = j.before\n"          \
	"    JOIN revisions n ON n.key = j.after;\n"

/*
 * Schema 2. What is known of changed methods stands by the commit's id, not by a key of revisions: any commit
 * may be asked about, and to be in revisions means to be in the line of what was measured. The table that
 * schema 1 had for it was never written.
 */
#define CHANGED_METHODS                                                                            \
	"DROP TABLE changed_methods;\n"                                                            \
	"CREATE TABLE compared (\n"                                                                \
	"  -- Commits whose changed methods are known, also those that have none.\n"               \
	"  key INTEGER PRIMARY KEY,\n"                                                             \
	"  revision TEXT NOT NULL UNIQUE, -- id of the commit; it need not be in revisions\n"      \
	"  before TEXT NOT NULL, -- id of its first parent; '' for an empty tree\n"                \
	"  rules TEXT NOT NULL, -- hash of the extraction's version and of the config's paths\n"   \
	"  files INTEGER NOT NULL, -- read, on either side\n"                                      \
	"  unread INTEGER NOT NULL, -- parts of them that could not be parsed\n"                   \
	"  mc INTEGER NOT NULL -- methods added, deleted and modified\n"                           \
	") STRICT;\n"                                                                              \
	"CREATE TABLE changed_methods (\n"                                                         \
	"  -- Methods that differ between a commit and its first parent.\n"                        \
	"  compared INTEGER NOT NULL REFERENCES compared ON DELETE CASCADE,\n"                     \
	"  position INTEGER NOT NULL, -- in the list, from 0\n"                                    \
	"  kind TEXT NOT NULL\n"                                                                   \
	"    CHECK (kind IN ('added', 'deleted', 'modified', 'renamed', 'moved')),\n"              \
	"  component TEXT, name TEXT, -- of the newer side; NULL where it was deleted\n"           \
	"  signature TEXT, -- '' where the language does not overload\n"                           \
	"  first_line INTEGER, last_line INTEGER,\n"                                               \
	"  old_component TEXT, old_name TEXT, -- of the older side; NULL where it was added\n"     \
	"  old_signature TEXT, old_first_line INTEGER, old_last_line INTEGER,\n"                   \
	"  likeness REAL NOT NULL, -- of the bodies, 0 to 1\n"                                     \
	"  uncertain INTEGER NOT NULL, -- 1: it lies in or holds what could not be parsed\n"       \
	"  PRIMARY KEY (compared, position)\n"                                                     \
	") STRICT, WITHOUT ROWID;\n"                                                               \
	"CREATE VIEW methods_changed AS\n"                                                         \
	"  -- One row a changed method, with the commit's id.\n"                                   \
	"  SELECT c.revision AS revision, m.kind AS kind,\n"                                       \
	"    coalesce(m.component, m.old_component) AS component,\n"                               \
	"    coalesce(m.name, m.old_name) AS name,\n"                                              \
	"    coalesce(m.signature, m.old_signature) AS signature,\n"                               \
	"    m.old_component AS old_component, m.old_name AS old_name,\n"                          \
	"    m.old_first_line AS old_line, m.first_line AS line, m.likeness AS likeness\n"         \
	"  FROM compared c JOIN changed_methods m ON m.compared = c.key;\n"

#define EXTRACTIONS                                                                                \
	"CREATE TABLE extractions (\n"                                                             \
	"  -- The methods of one content of a file: a cache that may be emptied.\n"                \
	"  key INTEGER PRIMARY KEY,\n"                                                             \
	"  blob TEXT NOT NULL, -- id of the content in git\n"                                      \
	"  language TEXT NOT NULL, -- that it was read as\n"                                       \
	"  version INTEGER NOT NULL, -- of the extraction; another one is void\n"                  \
	"  data BLOB NOT NULL,\n"                                                                  \
	"  UNIQUE (blob, language)\n"                                                              \
	") STRICT;\n"

#define EXECUTIONS                                                                                 \
	"CREATE TABLE executions (\n"                                                              \
	"  -- What a benchmark executed and read at a revision, and the identity of all of it.\n"  \
	"  machine INTEGER NOT NULL REFERENCES machines,\n"                                        \
	"  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,\n"                  \
	"  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,\n"                    \
	"  touched TEXT NOT NULL, -- a line each: P program, F file, D folder\n"                   \
	"  identity TEXT NOT NULL, -- hash, normalised\n"                                          \
	"  PRIMARY KEY (machine, benchmark, revision)\n"                                           \
	") STRICT, WITHOUT ROWID;\n"                                                               \
	"CREATE INDEX executions_by_revision ON executions (revision);\n"                          \
	"CREATE TABLE carried (\n"                                                                 \
	"  -- Cells that were not run because all that they execute is that of another.\n"         \
	"  machine INTEGER NOT NULL REFERENCES machines,\n"                                        \
	"  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,\n"                  \
	"  revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,\n"                    \
	"  source INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE, -- whose results "      \
	"they are\n"                                                                               \
	"  PRIMARY KEY (machine, benchmark, revision)\n"                                           \
	") STRICT, WITHOUT ROWID;\n"                                                               \
	"CREATE INDEX carried_by_revision ON carried (revision);\n"                                \
	"CREATE INDEX carried_by_source ON carried (source);\n"

/*
 * Schema 4. Profiles stand by the commit's id, as changed methods do: any commit may be profiled, and to be in
 * revisions means to be in the line of what was measured. The table that schema 1 had for it was never
 * written.
 *
 * What a frame refers to in strings is not declared as a reference: to drop a text would look through all
 * frames. Both are dropped by gc alone, which drops texts after the frames (store/frames.c).
 */
#define PROFILES                                                                                   \
	"DROP TABLE profiles;\n"                                                                   \
	"CREATE TABLE strings (\n"                                                                 \
	"  -- Texts of frames, each once.\n"                                                       \
	"  key INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE\n"                                   \
	") STRICT;\n"                                                                              \
	"CREATE TABLE frames (\n"                                                                  \
	"  -- The methods that profiles speak of, each once; frames_named has their names.\n"      \
	"  key INTEGER PRIMARY KEY,\n"                                                             \
	"  name INTEGER NOT NULL, component INTEGER NOT NULL, signature INTEGER NOT NULL, -- in "  \
	"strings\n"                                                                                \
	"  kind INTEGER NOT NULL, -- 0: method, 1: root, 2: process, 3: thread, 4: unknown code\n" \
	"  UNIQUE (name, component, signature, kind)\n"                                            \
	") STRICT;\n"                                                                              \
	"CREATE TABLE profiles (\n"                                                                \
	"  -- Calling context trees of a revision and benchmark that were taken together.\n"       \
	"  key INTEGER PRIMARY KEY AUTOINCREMENT,\n"                                               \
	"  machine INTEGER NOT NULL REFERENCES machines,\n"                                        \
	"  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,\n"                  \
	"  revision TEXT NOT NULL, -- id of the commit; it need not be in revisions\n"             \
	"  kind TEXT NOT NULL, -- how it was collected, or the format it was imported from\n"      \
	"  settings TEXT NOT NULL, -- hash of what else decides the trees; '' where nothing "      \
	"does\n"                                                                                   \
	"  tool TEXT NOT NULL, -- that took it; '': unknown\n"                                     \
	"  file TEXT NOT NULL, -- that it was imported from; '': perfevo collected it\n"           \
	"  note TEXT NOT NULL, -- what is to be known about it; '': nothing\n"                     \
	"  taken_s INTEGER NOT NULL, -- seconds since 1970\n"                                      \
	"  UNIQUE (benchmark, revision, machine, kind, settings, file)\n"                          \
	") STRICT;\n"                                                                              \
	"CREATE INDEX profiles_by_revision ON profiles (revision);\n"

#define TREES                                                                                      \
	"CREATE TABLE trees (\n"                                                                   \
	"  -- The trees of a profile. `perfevo profile` shows one, `perfevo export` writes one.\n" \
	"  profile INTEGER NOT NULL REFERENCES profiles ON DELETE CASCADE,\n"                      \
	"  repetition INTEGER NOT NULL, -- from 0; 0 is the one that is shown\n"                   \
	"  nodes INTEGER NOT NULL,\n"                                                              \
	"  known INTEGER NOT NULL, -- sum of 1: calls, 2: call sites, 4: times, 8: deviations,\n"  \
	"    -- 16: allocations, 32: samples\n"                                                    \
	"  duration_ns INTEGER NOT NULL, -- of the execution; 0 is unknown, also below\n"          \
	"  samples INTEGER NOT NULL, -- taken\n"                                                   \
	"  samples_lost INTEGER NOT NULL, -- of these: found no path in the tree\n"                \
	"  interval_ns INTEGER NOT NULL, -- between samples\n"                                     \
	"  processes INTEGER NOT NULL, threads INTEGER NOT NULL,\n"                                \
	"  peak_bytes INTEGER NOT NULL, -- most in use at once, summed over processes\n"           \
	"  frames BLOB NOT NULL, -- the frames that it needs, packed (profile/archive.h)\n"        \
	"  data BLOB NOT NULL, -- the tree, packed\n"                                              \
	"  PRIMARY KEY (profile, repetition)\n"                                                    \
	") STRICT;\n"                                                                              \
	"CREATE VIEW frames_named AS\n"                                                            \
	"  -- One row a frame, with texts in place of keys.\n"                                     \
	"  SELECT f.key AS key, CASE f.kind WHEN 0 THEN 'method' WHEN 1 THEN 'root' WHEN 2 THEN\n" \
	"    'process' WHEN 3 THEN 'thread' ELSE 'unknown' END AS kind, n.text AS name,\n"         \
	"    s.text AS signature, c.text AS component\n"                                           \
	"  FROM frames f JOIN strings n ON n.key = f.name JOIN strings s ON s.key = f.signature\n" \
	"    JOIN strings c ON c.key = f.component;\n"                                             \
	"CREATE VIEW profiles_named AS\n"                                                          \
	"  -- One row a tree, with names in place of keys; shares and times are NULL where they\n" \
	"  -- are unknown.\n"                                                                      \
	"  SELECT p.revision AS revision, v.subject AS subject, b.name AS benchmark,\n"            \
	"    b.version AS version, h.fingerprint AS machine, p.kind AS kind,\n"                    \
	"    t.repetition AS repetition, p.tool AS tool, p.file AS file, p.note AS note,\n"        \
	"    p.taken_s AS taken_s, t.nodes AS nodes, nullif(t.duration_ns, 0) AS duration_ns,\n"   \
	"    nullif(t.samples, 0) AS samples,\n"                                                   \
	"    CAST(t.samples_lost AS REAL) / nullif(t.samples, 0) AS lost,\n"                       \
	"    nullif(t.peak_bytes, 0) AS peak_bytes, length(t.frames) + length(t.data) AS bytes\n"  \
	"  FROM profiles p JOIN trees t ON t.profile = p.key\n"                                    \
	"    JOIN benchmarks b ON b.key = p.benchmark JOIN machines h ON h.key = p.machine\n"      \
	"    LEFT JOIN revisions v ON v.id = p.revision;\n"

/*
 * Schema 5. Suspected changes and the fresh runs that confirm or refute them. Those runs are in windows that
 * stand aside: the search for changes does not see them, for they would be asked to bear witness twice.
 */
#define CONFIRMATIONS                                                                              \
	"ALTER TABLE windows ADD COLUMN aside INTEGER NOT NULL DEFAULT 0; -- 1: not in series\n"   \
	"CREATE TABLE confirmations (\n"                                                           \
	"  -- A change of one metric that was suspected, and what fresh pairs of runs say.\n"      \
	"  key INTEGER PRIMARY KEY AUTOINCREMENT,\n"                                               \
	"  machine INTEGER NOT NULL REFERENCES machines,\n"                                        \
	"  benchmark INTEGER NOT NULL REFERENCES benchmarks ON DELETE CASCADE,\n"                  \
	"  metric INTEGER NOT NULL REFERENCES metrics,\n"                                          \
	"  before INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,\n"                      \
	"  after INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,\n"                       \
	"  first INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,\n"                       \
	"  last INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE,\n"                        \
	"    -- 95 % of the probability lie on first..last\n"                                      \
	"  window INTEGER REFERENCES windows ON DELETE SET NULL, -- of the pairs\n"                \
	"  number INTEGER NOT NULL, -- in the order of beginning, on this machine, from 1\n"       \
	"  direction INTEGER NOT NULL, -- 1: up, -1: down\n"                                       \
	"  accept REAL NOT NULL, give_up REAL NOT NULL, suspected REAL NOT NULL,\n"                \
	"  min_effect REAL NOT NULL, margin REAL NOT NULL, unit REAL NOT NULL,\n"                  \
	"    -- what the test is of, see core/stats/confirm.h\n"                                   \
	"  begun_s INTEGER NOT NULL,\n"                                                            \
	"  answer INTEGER NOT NULL, -- 0: none yet, 1: confirmed, 2: refuted, 3: undecided\n"      \
	"  pairs INTEGER NOT NULL, relative REAL, low REAL, high REAL, confidence REAL, p REAL,\n" \
	"  least REAL, -- smallest change that as many pairs would have confirmed\n"               \
	"  more INTEGER NOT NULL, -- undecided: about how many more pairs decide it\n"             \
	"  known_after INTEGER NOT NULL, -- how many had begun when the answer came in\n"          \
	"  pinned_before INTEGER REFERENCES revisions ON DELETE CASCADE,\n"                        \
	"  pinned_after INTEGER REFERENCES revisions ON DELETE CASCADE,\n"                         \
	"  pinned_first INTEGER REFERENCES revisions ON DELETE CASCADE,\n"                         \
	"  pinned_last INTEGER REFERENCES revisions ON DELETE CASCADE,\n"                          \
	"  sure REAL, -- probability of the place that it was pinned to\n"                         \
	"  settled INTEGER NOT NULL -- 1: nothing more is to be measured\n"                        \
	") STRICT;\n"                                                                              \
	"CREATE INDEX confirmations_by_benchmark ON confirmations (benchmark);\n"                  \
	"CREATE INDEX confirmations_by_before ON confirmations (before);\n"                        \
	"CREATE INDEX confirmations_by_after ON confirmations (after);\n"                          \
	"CREATE INDEX confirmations_by_first ON confirmations (first);\n"                          \
	"CREATE INDEX confirmations_by_last ON confirmations (last);\n"                            \
	"CREATE INDEX confirmations_by_window ON confirmations (window);\n"                        \
	"CREATE INDEX confirmations_by_pinned_before ON confirmations (pinned_before);\n"          \
	"CREATE INDEX confirmations_by_pinned_after ON confirmations (pinned_after);\n"            \
	"CREATE INDEX confirmations_by_pinned_first ON confirmations (pinned_first);\n"            \
	"CREATE INDEX confirmations_by_pinned_last ON confirmations (pinned_last);\n"              \
	"CREATE TABLE pins (\n"                                                                    \
	"  -- Windows in which the surroundings of a confirmed change were measured again.\n"      \
	"  window INTEGER PRIMARY KEY REFERENCES windows ON DELETE CASCADE,\n"                     \
	"  confirmed_by INTEGER NOT NULL REFERENCES windows ON DELETE CASCADE\n"                   \
	") STRICT;\n"                                                                              \
	"CREATE INDEX pins_by_confirmed ON pins (confirmed_by);\n"

#define CONFIRMATION_VIEWS                                                                         \
	"DROP VIEW measurements;\n"                                                                \
	"CREATE VIEW measurements AS\n"                                                            \
	"  -- One row a sample, with names in place of keys. Fresh runs of confirmations are "     \
	"not\n"                                                                                    \
	"  -- among them: they are in fresh_measurements.\n"                                       \
	"  SELECT v.id AS revision, b.name AS benchmark, b.version AS version, m.name AS "         \
	"metric,\n"                                                                                \
	"    m.unit AS unit, h.fingerprint AS machine, r.window AS window, r.round AS round,\n"    \
	"    r.started_s AS started_s, s.value AS value\n"                                         \
	"  FROM benchmarks b JOIN runs r ON r.benchmark = b.key\n"                                 \
	"    JOIN revisions v ON v.key = r.revision JOIN windows w ON w.key = r.window\n"          \
	"    JOIN machines h ON h.key = w.machine JOIN samples s ON s.run = r.key\n"               \
	"    JOIN metrics m ON m.key = s.metric WHERE NOT w.aside;\n"                              \
	"CREATE VIEW fresh_measurements AS\n"                                                      \
	"  -- One row a sample of a window that confirms or pins a change.\n"                      \
	"  SELECT v.id AS revision, b.name AS benchmark, b.version AS version, m.name AS "         \
	"metric,\n"                                                                                \
	"    m.unit AS unit, h.fingerprint AS machine, r.window AS window, r.round AS round,\n"    \
	"    r.started_s AS started_s, s.value AS value\n"                                         \
	"  FROM windows w JOIN window_cells c ON c.window = w.key JOIN runs r ON\n"                \
	"    r.benchmark = c.benchmark AND r.revision = c.revision AND r.window = c.window\n"      \
	"    JOIN revisions v ON v.key = r.revision JOIN benchmarks b ON b.key = r.benchmark\n"    \
	"    JOIN machines h ON h.key = w.machine JOIN samples s ON s.run = r.key\n"               \
	"    JOIN metrics m ON m.key = s.metric WHERE w.aside;\n"                                  \
	"CREATE VIEW confirmations_named AS\n"                                                     \
	"  -- One row a suspected change, with names in place of keys; relative 0.05 is +5 %.\n"   \
	"  SELECT b.name AS benchmark, b.version AS version, m.name AS metric,\n"                  \
	"    h.fingerprint AS machine, o.id AS before, n.id AS after, n.subject AS subject,\n"     \
	"    CASE c.answer WHEN 0 THEN 'going on' WHEN 1 THEN 'confirmed' WHEN 2 THEN 'refuted'\n" \
	"    ELSE 'undecided' END AS answer, c.suspected AS suspected, c.pairs AS pairs,\n"        \
	"    c.relative AS relative, c.low AS low, c.high AS high, c.p AS p, c.least AS least,\n"  \
	"    c.more AS more, a.id AS pinned, c.sure AS sure, c.window AS window\n"                 \
	"  FROM confirmations c JOIN benchmarks b ON b.key = c.benchmark\n"                        \
	"    JOIN metrics m ON m.key = c.metric JOIN machines h ON h.key = c.machine\n"            \
	"    JOIN revisions o ON o.key = c.before JOIN revisions n ON n.key = c.after\n"           \
	"    LEFT JOIN revisions a ON a.key = c.pinned_after;\n"

/* Schema 6. What left for other stores, and the bundles that were looked at. */
#define SHARING                                                                                    \
	"ALTER TABLE windows ADD COLUMN shared INTEGER NOT NULL DEFAULT 0; -- 1: sent, or from "   \
	"elsewhere\n"                                                                              \
	"ALTER TABLE builds ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;\n"                       \
	"ALTER TABLE carried ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;\n"                      \
	"ALTER TABLE confirmations ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;\n"                \
	"CREATE TABLE parcels (\n"                                                                 \
	"  -- Bundles of results that were sent or taken in, by their name outside.\n"             \
	"  name TEXT PRIMARY KEY\n"                                                                \
	") STRICT, WITHOUT ROWID;\n"

/* Schema 7. `repeats` is an upper bound: a cell's runs end when its value is known well enough. */
#define ENOUGH                                                                                     \
	"ALTER TABLE window_cells ADD COLUMN enough INTEGER NOT NULL DEFAULT 0;"                   \
	" -- 1: its value was known well enough before `rounds` as planned; rounds are those "     \
	"made\n"

/* Schema 8. Whether a confirmed change is one of layout: what runs is the same, and lies elsewhere. */
#define LAYOUT                                                                                     \
	"ALTER TABLE confirmations ADD COLUMN layout INTEGER NOT NULL DEFAULT 0;"                  \
	" -- 0: not looked, 1: what runs differs, 2: layout, 3: cannot be told\n"                  \
	"DROP VIEW confirmations_named;\n"                                                         \
	"CREATE VIEW confirmations_named AS\n"                                                     \
	"  -- One row a suspected change, with names in place of keys; relative 0.05 is +5 %.\n"   \
	"  -- layout: 1 where only the place of things in memory differs, 0 where it is the\n"     \
	"  -- work; NULL: not looked at, or it cannot be told.\n"                                  \
	"  SELECT b.name AS benchmark, b.version AS version, m.name AS metric,\n"                  \
	"    h.fingerprint AS machine, o.id AS before, n.id AS after, n.subject AS subject,\n"     \
	"    CASE c.answer WHEN 0 THEN 'going on' WHEN 1 THEN 'confirmed' WHEN 2 THEN 'refuted'\n" \
	"    ELSE 'undecided' END AS answer, c.suspected AS suspected, c.pairs AS pairs,\n"        \
	"    c.relative AS relative, c.low AS low, c.high AS high, c.p AS p, c.least AS least,\n"  \
	"    c.more AS more, a.id AS pinned, c.sure AS sure, c.window AS window,\n"                \
	"    CASE c.layout WHEN 1 THEN 0 WHEN 2 THEN 1 END AS layout\n"                            \
	"  FROM confirmations c JOIN benchmarks b ON b.key = c.benchmark\n"                        \
	"    JOIN metrics m ON m.key = c.metric JOIN machines h ON h.key = c.machine\n"            \
	"    JOIN revisions o ON o.key = c.before JOIN revisions n ON n.key = c.after\n"           \
	"    LEFT JOIN revisions a ON a.key = c.pinned_after;\n"

/* Schema 9. What the machine code of two revisions says of their methods. */
#define CROSSINGS                                                                                  \
	"CREATE TABLE crossings (\n"                                                               \
	"  -- Pairs of revisions whose programs were compared.\n"                                  \
	"  key INTEGER PRIMARY KEY AUTOINCREMENT,\n"                                               \
	"  machine INTEGER NOT NULL REFERENCES machines,\n"                                        \
	"  before TEXT NOT NULL, after TEXT NOT NULL, -- ids of the commits\n"                     \
	"  recipe TEXT NOT NULL, -- hash of what decides the builds\n"                             \
	"  benchmarks TEXT NOT NULL, -- whose programs: a name a line, sorted\n"                   \
	"  UNIQUE (before, after, machine, recipe, benchmarks)\n"                                  \
	") STRICT;\n"                                                                              \
	"CREATE TABLE recompiled (\n"                                                              \
	"  -- Methods of either side whose code differs, or was looked for; all others are the\n"  \
	"  -- same.\n"                                                                             \
	"  crossing INTEGER NOT NULL REFERENCES crossings ON DELETE CASCADE,\n"                    \
	"  position INTEGER NOT NULL, -- in the list, from 0\n"                                    \
	"  in_new INTEGER NOT NULL, -- 1: of the newer revision\n"                                 \
	"  component TEXT NOT NULL, name TEXT NOT NULL, signature TEXT NOT NULL,\n"                \
	"  first_line INTEGER NOT NULL, last_line INTEGER NOT NULL,\n"                             \
	"  recompiled INTEGER NOT NULL, -- 1: it differs, 0: it is the same, -1: unknown\n"        \
	"  PRIMARY KEY (crossing, position)\n"                                                     \
	") STRICT, WITHOUT ROWID;\n"

const struct pe_migration pe_migrations[] = {
	{{SUBJECTS, BUILDS, RUNS, SAMPLES, VIEWS}},
	{{CHANGED_METHODS, EXTRACTIONS}},
	{{EXECUTIONS}},
	{{PROFILES, TREES}},
	{{CONFIRMATIONS, CONFIRMATION_VIEWS}},
	{{SHARING}},
	{{ENOUGH}},
	{{LAYOUT}},
	{{CROSSINGS}},
};
const size_t pe_n_migrations = sizeof(pe_migrations) / sizeof(pe_migrations[0]);

static int read_state(struct pe_schema_state *out, struct pe_store *store, struct pe_err *err)
{
	int rc = pe_sql_integer(&out->application_id, store, "PRAGMA application_id", NULL, err);

	if (rc == PE_OK)
		rc = pe_sql_integer(&out->version, store, "PRAGMA user_version", NULL, err);
	if (rc == PE_OK)
		rc = pe_sql_integer(&out->objects, store, "SELECT count(*) FROM sqlite_schema",
				    NULL, err);
	return rc;
}

/* As one snapshot: another process may be creating the file between one question and the next. */
int pe_schema_read(struct pe_schema_state *out, struct pe_store *store, struct pe_err *err)
{
	int rc = pe_sql_run(store, "SAVEPOINT state", NULL, err);

	if (rc != PE_OK)
		return rc;
	rc = read_state(out, store, err);
	if (rc == PE_OK)
		return pe_sql_run(store, "RELEASE state", NULL, err);
	sqlite3_exec(store->db, "ROLLBACK TO state; RELEASE state", NULL, NULL, NULL);
	return rc;
}

int pe_schema_check(const struct pe_store *store, const struct pe_schema_state *state, size_t known,
		    struct pe_err *err)
{
	if (state->application_id == 0 && state->version == 0 && state->objects == 0)
		return PE_OK;
	if (state->application_id != PE_STORE_APPLICATION_ID)
		return pe_fail(
			err, PE_ESTORE,
			"%s is the database of another program: use --store FILE for another file",
			store->path);
	if (state->version > (int64_t)known)
		return pe_fail(
			err, PE_ESTORE,
			"%s was written by a newer perfevo (schema %" PRId64
			", this one knows %zu): upgrade perfevo, or use --store FILE for another",
			store->path, state->version, known);
	return PE_OK;
}

static int migrate_from(struct pe_store *store, size_t version,
			const struct pe_migration *migrations, size_t n, struct pe_err *err)
{
	char stamp[96];
	int rc = PE_OK;

	for (size_t i = version; rc == PE_OK && i < n; i++)
		for (size_t part = 0; rc == PE_OK && migrations[i].sql[part] != NULL; part++)
			rc = pe_sql_script(store, migrations[i].sql[part], err);
	if (rc != PE_OK)
		return rc;
	snprintf(stamp, sizeof(stamp), "PRAGMA application_id = %d; PRAGMA user_version = %zu",
		 PE_STORE_APPLICATION_ID, n);
	return pe_sql_script(store, stamp, err);
}

int pe_schema_migrate(struct pe_store *store, const struct pe_migration *migrations, size_t n,
		      struct pe_err *err)
{
	struct pe_schema_state state;
	int rc = pe_scope_begin(store, err);

	if (rc != PE_OK)
		return rc;
	rc = pe_schema_read(&state, store, err); /* again: another process may have been faster */
	if (rc == PE_OK)
		rc = pe_schema_check(store, &state, n, err);
	if (rc == PE_OK && state.version < (int64_t)n)
		rc = migrate_from(store, (size_t)state.version, migrations, n, err);
	return pe_scope_end(store, rc, err);
}
