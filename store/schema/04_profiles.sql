-- Schema 4. Profiles stand by the commit's id, as changed methods do: any commit may be profiled, and to be in
-- revisions means to be in the line of what was measured. The table that schema 1 had for it was never written.
--
-- What a frame refers to in strings is not declared as a reference: to drop a text would look through all
-- frames. Both are dropped by gc alone, which drops texts after the frames (store/frames.c).

DROP TABLE profiles;
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
CREATE VIEW frames_named AS
  -- One row a frame, with texts in place of keys.
  SELECT f.key AS key, CASE f.kind WHEN 0 THEN 'method' WHEN 1 THEN 'root' WHEN 2 THEN
    'process' WHEN 3 THEN 'thread' ELSE 'unknown' END AS kind, n.text AS name,
    s.text AS signature, c.text AS component
  FROM frames f JOIN strings n ON n.key = f.name JOIN strings s ON s.key = f.signature
    JOIN strings c ON c.key = f.component;
CREATE VIEW profiles_named AS
  -- One row a tree, with names in place of keys; shares and times are NULL where they
  -- are unknown.
  SELECT p.revision AS revision, v.subject AS subject, b.name AS benchmark,
    b.version AS version, h.fingerprint AS machine, p.kind AS kind,
    t.repetition AS repetition, p.tool AS tool, p.file AS file, p.note AS note,
    p.taken_s AS taken_s, t.nodes AS nodes, nullif(t.duration_ns, 0) AS duration_ns,
    nullif(t.samples, 0) AS samples,
    CAST(t.samples_lost AS REAL) / nullif(t.samples, 0) AS lost,
    nullif(t.peak_bytes, 0) AS peak_bytes, length(t.frames) + length(t.data) AS bytes
  FROM profiles p JOIN trees t ON t.profile = p.key
    JOIN benchmarks b ON b.key = p.benchmark JOIN machines h ON h.key = p.machine
    LEFT JOIN revisions v ON v.id = p.revision;
