-- A document of results of another store (docs/sharing.md), row by row in temporary tables, whose constraints are what is
-- asked of it. The members of a row are named where it is taken apart; those that came later may be missing.
--
-- { "format": "perfevo results", "version": 2, "machine": { ... }, "batch": { ... },
--   "cells": [[...], ...], ..., "revisions": ..., "benchmarks": ... }
--
-- The batch, and tables without rows, may be missing. Rows refer to those of other tables by index. Functions:
-- store/sql_functions.c. Results that a confirmation claims, and where its members may be anything, have no column: they are
-- found again from its runs.

-- Its members, each parsed once; of two of one name, the first.
CREATE TEMP TABLE IF NOT EXISTS doc_members (name TEXT PRIMARY KEY, type TEXT, json TEXT) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_machine (
  row INTEGER PRIMARY KEY CHECK (row = 0), json TEXT NOT NULL,
  fingerprint TEXT NOT NULL AS (json->>'fingerprint') STORED CHECK (is_hex(fingerprint, 32)),
  hostname TEXT AS (json->>'hostname') STORED CHECK (is_words(hostname)),
  cpu TEXT AS (json->>'cpu') STORED CHECK (is_words(cpu)),
  cores INTEGER NOT NULL AS (json->>'cores') STORED CHECK (cores BETWEEN 0 AND 1048576),
  memory_bytes INTEGER NOT NULL AS (json->>'memory_bytes') STORED CHECK (memory_bytes >= 0),
  kernel TEXT AS (json->>'kernel') STORED CHECK (is_words(kernel)),
  compilers TEXT AS (json->>'compilers') STORED CHECK (length(compilers) <= 4096)
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_batch (
  row INTEGER PRIMARY KEY CHECK (row = 0), json TEXT NOT NULL,
  created_s INTEGER NOT NULL AS (json->>'created') STORED CHECK (created_s >= 0),
  seed INTEGER NOT NULL AS (from_hex(json->>'seed')) STORED,
  governor TEXT AS (json->>'governor') STORED CHECK (is_words(governor)),
  turbo TEXT AS (json->>'turbo') STORED CHECK (is_words(turbo)),
  load REAL NOT NULL AS (number(json->'load')) STORED,
  env_bytes INTEGER NOT NULL AS (json->>'env_bytes') STORED CHECK (env_bytes BETWEEN 0 AND 4294967295),
  cpu INTEGER NOT NULL AS (json->>'cpu') STORED CHECK (cpu BETWEEN -1 AND 1048576),
  nice INTEGER NOT NULL AS (json->>'nice') STORED CHECK (nice BETWEEN -20 AND 19),
  fixed_layout INTEGER NOT NULL AS (json->>'fixed_layout') STORED CHECK (fixed_layout IN (0, 1)),
  aside INTEGER NOT NULL AS (json->>'aside') STORED CHECK (aside IN (0, 1))
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_revisions (
  row INTEGER PRIMARY KEY, json TEXT NOT NULL,
  id TEXT NOT NULL AS (json->>'$[0]') STORED CHECK (is_hex(id, 40))
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_benchmarks (
  row INTEGER PRIMARY KEY, json TEXT NOT NULL,
  name TEXT NOT NULL AS (json->>'$[0]') STORED CHECK (is_words(name) AND name <> ''),
  version TEXT NOT NULL AS (json->>'$[1]') STORED CHECK (is_hex(version, 32)),
  definition TEXT NOT NULL AS (json->>'$[2]') STORED CHECK (length(definition) <= 1048576),
  is_test INTEGER NOT NULL AS (json->>'$[3]') STORED CHECK (is_test IN (0, 1))
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_metrics (
  row INTEGER PRIMARY KEY, json TEXT NOT NULL,
  name TEXT NOT NULL AS (json->>'$[0]') STORED CHECK (is_words(name) AND name <> ''),
  unit TEXT NOT NULL AS (json->>'$[1]') STORED CHECK (is_words(unit)),
  label TEXT NOT NULL AS (json->>'$[2]') STORED CHECK (is_words(label)),
  better INTEGER NOT NULL AS (json->>'$[3]') STORED CHECK (better IN (0, 1)),
  kind INTEGER NOT NULL AS (json->>'$[4]') STORED CHECK (kind IN (0, 1, 2)),
  min_relative REAL NOT NULL AS (number(json->'$[5]')) STORED
    CHECK (min_relative = 0 OR min_relative BETWEEN 1e-12 AND 1e18),
  min_absolute REAL NOT NULL AS (number(json->'$[6]')) STORED
    CHECK (min_absolute = 0 OR min_absolute BETWEEN 1e-12 AND 1e18)
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_module_sets (
  row INTEGER PRIMARY KEY, json TEXT NOT NULL,
  lines TEXT NOT NULL AS (json->>'$[0]') STORED,
  n INTEGER NOT NULL AS (count_modules(json->>'$[0]')) STORED
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_cells (
  row INTEGER PRIMARY KEY, json TEXT NOT NULL,
  revision INTEGER NOT NULL AS (json->>'$[0]') STORED REFERENCES doc_revisions,
  benchmark INTEGER NOT NULL AS (json->>'$[1]') STORED REFERENCES doc_benchmarks,
  role INTEGER NOT NULL AS (json->>'$[2]') STORED CHECK (role BETWEEN 0 AND 4),
  rounds INTEGER NOT NULL AS (json->>'$[3]') STORED CHECK (rounds BETWEEN 0 AND 100000),
  enough INTEGER NOT NULL AS (json->>'$[4]') STORED CHECK (enough IN (0, 1)),
  UNIQUE (benchmark, revision)
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_runs (
  row INTEGER PRIMARY KEY, json TEXT NOT NULL,
  revision INTEGER NOT NULL AS (json->>'$[0]') STORED REFERENCES doc_revisions,
  benchmark INTEGER NOT NULL AS (json->>'$[1]') STORED REFERENCES doc_benchmarks,
  kind INTEGER NOT NULL AS (json->>'$[2]') STORED CHECK (kind IN (0, 1)),
  round INTEGER NOT NULL AS (json->>'$[3]') STORED CHECK (round BETWEEN 0 AND 100000),
  sequence INTEGER NOT NULL AS (json->>'$[4]') STORED CHECK (sequence >= 0),
  started_s INTEGER NOT NULL AS (json->>'$[5]') STORED,
  outcome TEXT NOT NULL AS (json->>'$[6]') STORED,
  status INTEGER NOT NULL AS (json->>'$[7]') STORED CHECK (status BETWEEN -2147483648 AND 2147483647),
  log TEXT AS (json->>'$[8]') STORED CHECK (length(log) <= 1048576),
  samples TEXT NOT NULL AS (json->'$[9]') STORED CONSTRAINT "its samples are pairs of a measured run"
    CHECK (json_type(samples) = 'array' AND json_array_length(samples) % 2 = 0
      AND json_array_length(samples) <= 96 AND (outcome = 'measured' OR samples = '[]')),
  modules INTEGER AS (json->>'$[10][0]') STORED REFERENCES doc_module_sets,
  since_s INTEGER AS (json->>'$[10][1]') STORED,
  calls TEXT AS (json->>'$[11]') STORED CHECK (is_calls(calls)),
  CHECK (json_type(json, '$[10]') IN ('array', 'null') AND (modules IS NULL) = (since_s IS NULL)),
  FOREIGN KEY (benchmark, revision) REFERENCES doc_cells (benchmark, revision),
  UNIQUE (benchmark, revision, kind, round)
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_samples (
  run INTEGER NOT NULL REFERENCES doc_runs,
  metric INTEGER NOT NULL REFERENCES doc_metrics,
  value REAL NOT NULL CHECK (value = 0 OR abs(value) BETWEEN 1e-12 AND 1e18),
  PRIMARY KEY (run, metric)
) STRICT, WITHOUT ROWID;
CREATE TEMP TRIGGER IF NOT EXISTS doc_run_has_samples AFTER INSERT ON doc_runs BEGIN
  INSERT INTO doc_samples (run, metric, value)
    SELECT new.row, value, number(new.samples->(key + 1)) FROM json_each(new.samples) WHERE key % 2 = 0;
END;
CREATE TEMP TABLE IF NOT EXISTS doc_builds (
  row INTEGER PRIMARY KEY, json TEXT NOT NULL,
  revision INTEGER NOT NULL AS (json->>'$[0]') STORED REFERENCES doc_revisions,
  recipe TEXT NOT NULL AS (json->>'$[1]') STORED CHECK (is_hex(recipe, 32)),
  outcome TEXT NOT NULL AS (json->>'$[2]') STORED,
  status INTEGER NOT NULL AS (json->>'$[3]') STORED CHECK (status BETWEEN -2147483648 AND 2147483647),
  started_s INTEGER NOT NULL AS (json->>'$[4]') STORED,
  duration_ns INTEGER NOT NULL AS (json->>'$[5]') STORED CHECK (duration_ns >= 0),
  step TEXT AS (json->>'$[6]') STORED CHECK (length(step) <= 1048576),
  log TEXT AS (json->>'$[7]') STORED CHECK (length(log) <= 1048576)
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_reused (
  row INTEGER PRIMARY KEY, json TEXT NOT NULL,
  revision INTEGER NOT NULL AS (json->>'$[0]') STORED REFERENCES doc_revisions,
  benchmark INTEGER NOT NULL AS (json->>'$[1]') STORED REFERENCES doc_benchmarks,
  source INTEGER NOT NULL AS (json->>'$[2]') STORED REFERENCES doc_revisions
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_confirmations (
  row INTEGER PRIMARY KEY, json TEXT NOT NULL,
  benchmark INTEGER NOT NULL AS (json->>'$[0]') STORED REFERENCES doc_benchmarks,
  metric INTEGER NOT NULL AS (json->>'$[1]') STORED REFERENCES doc_metrics,
  before INTEGER NOT NULL AS (json->>'$[2]') STORED REFERENCES doc_revisions,
  after INTEGER NOT NULL AS (json->>'$[3]') STORED REFERENCES doc_revisions,
  first INTEGER NOT NULL AS (json->>'$[4]') STORED REFERENCES doc_revisions,
  last INTEGER NOT NULL AS (json->>'$[5]') STORED REFERENCES doc_revisions,
  created_s INTEGER AS (json->>'$[6][0]') STORED,
  seed INTEGER AS (from_hex(json->>'$[6][1]')) STORED,
  direction INTEGER NOT NULL AS (json->>'$[7]') STORED CHECK (direction IN (-1, 1)),
  begun_s INTEGER NOT NULL AS (json->>'$[8]') STORED,
  answer INTEGER NOT NULL AS (CASE json->>'$[9]' WHEN 'confirmed' THEN 1 WHEN 'refuted' THEN 2
    WHEN 'undecided' THEN 3 END) STORED,
  -- What perfevo itself asks for (PE_CONFIRM_DEFAULTS), or more.
  accept REAL NOT NULL AS (number(json->'$[10][0]')) STORED CHECK (accept > 0 AND accept <= 0.004),
  give_up REAL NOT NULL AS (number(json->'$[10][1]')) STORED CHECK (give_up BETWEEN 0.3 AND 1),
  suspected REAL NOT NULL AS (number(json->'$[10][2]')) STORED
    CHECK (suspected = 0 OR abs(suspected) BETWEEN 1e-12 AND 1e18),
  min_effect REAL NOT NULL AS (number(json->'$[10][3]')) STORED CHECK (min_effect BETWEEN 0 AND 1),
  margin REAL NOT NULL AS (number(json->'$[10][4]')) STORED CHECK (margin BETWEEN 0 AND 0.1),
  unit REAL NOT NULL AS (number(json->'$[10][5]')) STORED CHECK (unit = 0 OR unit BETWEEN 1e-12 AND 1e18),
  known_after INTEGER NOT NULL AS (json->>'$[12]') STORED CHECK (known_after BETWEEN 0 AND 2147483647),
  pinned_before INTEGER AS (json->>'$[13][0]') STORED REFERENCES doc_revisions,
  pinned_after INTEGER AS (json->>'$[13][1]') STORED REFERENCES doc_revisions,
  pinned_first INTEGER AS (json->>'$[13][2]') STORED REFERENCES doc_revisions,
  pinned_last INTEGER AS (json->>'$[13][3]') STORED REFERENCES doc_revisions,
  sure REAL AS (number(json->'$[14]')) STORED,
  layout INTEGER NOT NULL AS (json->>'$[15]') STORED CHECK (layout BETWEEN 0 AND 3),
  CHECK ((created_s IS NULL) = (seed IS NULL)),
  CONSTRAINT "its place has four commits" CHECK ((pinned_before IS NULL) + (pinned_after IS NULL)
    + (pinned_first IS NULL) + (pinned_last IS NULL) IN (0, 4))
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_frames (
  row INTEGER PRIMARY KEY, json TEXT NOT NULL,
  name TEXT NOT NULL AS (json->>'$[0]') STORED CHECK (length(name) BETWEEN 1 AND 1048576),
  component TEXT NOT NULL AS (json->>'$[1]') STORED CHECK (length(component) <= 1048576),
  signature TEXT NOT NULL AS (json->>'$[2]') STORED CHECK (length(signature) <= 1048576),
  module TEXT NOT NULL AS (json->>'$[3]') STORED CHECK (length(module) <= 1048576),
  line INTEGER NOT NULL AS (json->>'$[4]') STORED CHECK (line BETWEEN 0 AND 4294967295),
  kind INTEGER NOT NULL AS (json->>'$[5]') STORED CHECK (kind BETWEEN 0 AND 5)
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_profiles (
  row INTEGER PRIMARY KEY, json TEXT NOT NULL,
  revision INTEGER NOT NULL AS (json->>'$[0]') STORED REFERENCES doc_revisions,
  benchmark INTEGER NOT NULL AS (json->>'$[1]') STORED REFERENCES doc_benchmarks,
  kind TEXT NOT NULL AS (json->>'$[2]') STORED CHECK (is_words(kind) AND kind <> ''),
  settings TEXT NOT NULL AS (json->>'$[3]') STORED CHECK (is_words(settings)),
  tool TEXT NOT NULL AS (json->>'$[4]') STORED CHECK (is_words(tool)),
  file TEXT NOT NULL AS (json->>'$[5]') STORED CHECK (is_words(file)),
  note TEXT NOT NULL AS (json->>'$[6]') STORED CHECK (length(note) <= 1048576),
  taken_s INTEGER NOT NULL AS (json->>'$[7]') STORED
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_trees (
  row INTEGER PRIMARY KEY, json TEXT NOT NULL,
  profile INTEGER NOT NULL AS (json->>'$[0]') STORED REFERENCES doc_profiles,
  frames BLOB NOT NULL AS (from_base64(json->>'$[1]')) STORED, -- 32 bits each, lowest byte first: rows of doc_frames
  data BLOB NOT NULL AS (from_base64(json->>'$[2]')) STORED -- packed (analysis/profile/archive.h)
) STRICT;

-- What of a document is in this store, and the keys that new runs get.
CREATE TEMP VIEW IF NOT EXISTS doc_here AS
  SELECT d.row AS row, v.key AS key, v.time_s AS time_s FROM doc_revisions d JOIN revisions v ON v.id = d.id;
CREATE TEMP VIEW IF NOT EXISTS doc_known AS
  SELECT d.row AS row, b.key AS key FROM doc_benchmarks d JOIN benchmarks b ON b.name = d.name AND b.version = d.version;
CREATE TEMP TABLE IF NOT EXISTS doc_keys (
  row INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE,
  revision INTEGER NOT NULL, benchmark INTEGER NOT NULL
) STRICT;
CREATE TEMP TABLE IF NOT EXISTS doc_metric_keys (
  benchmark INTEGER NOT NULL, metric INTEGER NOT NULL, key INTEGER NOT NULL,
  PRIMARY KEY (benchmark, metric)
) STRICT, WITHOUT ROWID;
CREATE TEMP TABLE IF NOT EXISTS doc_source (
  -- Where the document is from (struct pe_results_source), what it belongs to here, and how much was new.
  row INTEGER PRIMARY KEY CHECK (row = 0),
  origin TEXT, remote TEXT, public_key TEXT, node TEXT, now_s INTEGER NOT NULL,
  machine INTEGER, batch INTEGER,
  batches INTEGER NOT NULL DEFAULT 0, runs INTEGER NOT NULL DEFAULT 0,
  builds INTEGER NOT NULL DEFAULT 0, reused INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Rows that break a rule which no row shows by itself.
CREATE TEMP VIEW IF NOT EXISTS doc_faults (name, row, rule) AS
  SELECT 'machine', 0, 'it is missing' WHERE NOT EXISTS (SELECT 1 FROM doc_machine)
  UNION ALL SELECT 'module_sets', max(row), 'all sets have more than 32768 modules'
    FROM doc_module_sets HAVING sum(n) > 32768
  UNION ALL SELECT 'runs', row, 'there is no batch' FROM doc_runs WHERE NOT EXISTS (SELECT 1 FROM doc_batch)
  UNION ALL SELECT 'runs', row, 'its outcome is unknown' FROM doc_runs
    WHERE outcome NOT IN (SELECT name FROM outcomes)
  UNION ALL SELECT 'builds', row, 'its outcome is unknown' FROM doc_builds
    WHERE outcome NOT IN (SELECT name FROM outcomes)
  UNION ALL SELECT 'trees', row, 'it is out of the order of its profiles' FROM (SELECT row, profile,
    lag(profile) OVER (ORDER BY row) AS before FROM doc_trees) WHERE profile < before;

-- Rows that cannot be true. A git server checks nothing of what is pushed to it: what was measured, was so neither in the
-- future nor before its commit was made. A day more is allowed, since clocks differ; a commit dated in the future is no
-- lower bound.
CREATE TEMP VIEW IF NOT EXISTS doc_untrue (name, row, rule) AS
  WITH times (name, row, revision, time_s) AS (
    SELECT 'runs', row, revision, started_s FROM doc_runs
    UNION ALL SELECT 'builds', row, revision, started_s FROM doc_builds
    UNION ALL SELECT 'profiles', row, revision, taken_s FROM doc_profiles
    UNION ALL SELECT 'confirmations', row, after, begun_s FROM doc_confirmations)
  SELECT t.name, t.row, 'its time cannot be' FROM times t JOIN doc_here v ON v.row = t.revision, doc_source s
    WHERE t.time_s NOT BETWEEN min(v.time_s, s.now_s) - 86400 AND s.now_s + 86400
  UNION ALL SELECT 'runs', row, 'its modules are younger than itself' FROM doc_runs WHERE since_s > started_s
  UNION ALL SELECT 'batch', b.row, 'its time cannot be' FROM doc_batch b, doc_source s
    WHERE b.created_s > s.now_s + 86400;
