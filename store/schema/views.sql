-- The views, for people; they are dropped and made anew with every migration.
--
-- A filter on the columns of the partition reaches through window functions down to the tables, which it does not
-- through GROUP BY: 0.1 s instead of 24 s for one benchmark of 20 among 200,000 runs.

CREATE VIEW jumps_named AS
  -- One row per jump, with names in place of keys; relative 0.05 is +5 %.
  SELECT b.name AS benchmark, b.version AS version, m.name AS metric, m.unit AS unit,
    h.fingerprint AS machine, o.id AS before, n.id AS after, n.subject AS subject,
    j.relative AS relative, j.low AS low, j.high AS high, j.strength AS strength,
    j.regression AS regression
  FROM jumps j JOIN benchmarks b ON b.key = j.benchmark JOIN metrics m ON m.key = j.metric
    JOIN machines h ON h.key = j.machine JOIN revisions o ON o.key = j.before
    JOIN revisions n ON n.key = j.after;
CREATE VIEW events AS
  -- One row per commit that moved benchmarks on a machine, with its class as every output has it: the jump that leads,
  -- and how many benchmarks it made worse, and how many better and none worse.
  WITH named AS (
    SELECT *, coalesce(event, after) AS cause,
      max(regression) OVER (PARTITION BY machine, coalesce(event, after), benchmark) AS worse,
      row_number() OVER (PARTITION BY machine, coalesce(event, after), benchmark ORDER BY metric) AS of_benchmark
    FROM jumps)
  SELECT h.fingerprint AS machine, v.id AS "commit", v.subject AS subject, max(r.class) AS class,
    max(r.standing) AS standing, max(r.summary) AS summary,
    sum(r.of_benchmark = 1 AND r.worse = 1) AS worse,
    sum(r.of_benchmark = 1 AND r.worse = 0) AS better,
    max(CASE WHEN r.class IS NOT NULL THEN b.name END) AS benchmark,
    max(CASE WHEN r.class IS NOT NULL THEN m.name END) AS metric,
    max(CASE WHEN r.class IS NOT NULL THEN r.relative END) AS relative
  FROM named r JOIN revisions v ON v.key = r.cause JOIN machines h ON h.key = r.machine
    JOIN benchmarks b ON b.key = r.benchmark JOIN metrics m ON m.key = r.metric
  GROUP BY r.machine, r.cause;
CREATE VIEW methods_changed AS
  -- One row a changed method, with the commit's id.
  SELECT c.revision AS revision, m.kind AS kind,
    coalesce(m.component, m.old_component) AS component,
    coalesce(m.name, m.old_name) AS name,
    coalesce(m.signature, m.old_signature) AS signature,
    m.old_component AS old_component, m.old_name AS old_name,
    m.old_first_line AS old_line, m.first_line AS line, m.likeness AS likeness
  FROM compared c JOIN changed_methods m ON m.compared = c.key;
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
CREATE VIEW measurements AS
  -- One row a sample, with names in place of keys. Fresh runs of confirmations are not
  -- among them: they are in fresh_measurements.
  SELECT v.id AS revision, b.name AS benchmark, b.version AS version, m.name AS metric,
    m.unit AS unit, h.fingerprint AS machine, r.batch AS batch, r.round AS round,
    r.started_s AS started_s, s.value AS value
  FROM benchmarks b JOIN runs r ON r.benchmark = b.key
    JOIN revisions v ON v.key = r.revision JOIN batches w ON w.key = r.batch
    JOIN machines h ON h.key = w.machine JOIN samples s ON s.run = r.key
    JOIN metrics m ON m.key = s.metric WHERE NOT w.aside;
CREATE VIEW fresh_measurements AS
  -- One row a sample of a batch that confirms or pins a change.
  SELECT v.id AS revision, b.name AS benchmark, b.version AS version, m.name AS metric,
    m.unit AS unit, h.fingerprint AS machine, r.batch AS batch, r.round AS round,
    r.started_s AS started_s, s.value AS value
  FROM batches w JOIN batch_cells c ON c.batch = w.key JOIN runs r ON
    r.benchmark = c.benchmark AND r.revision = c.revision AND r.batch = c.batch
    JOIN revisions v ON v.key = r.revision JOIN benchmarks b ON b.key = r.benchmark
    JOIN machines h ON h.key = w.machine JOIN samples s ON s.run = r.key
    JOIN metrics m ON m.key = s.metric WHERE w.aside;
CREATE VIEW confirmations_named AS
  -- One row a suspected change, with names in place of keys; relative 0.05 is +5 %.
  -- layout: 1 where only the place of things in memory differs, 0 where it is the
  -- work; NULL: not looked at, or it cannot be told.
  SELECT b.name AS benchmark, b.version AS version, m.name AS metric,
    h.fingerprint AS machine, o.id AS before, n.id AS after, n.subject AS subject,
    CASE c.answer WHEN 0 THEN 'going on' WHEN 1 THEN 'confirmed' WHEN 2 THEN 'refuted'
    ELSE 'undecided' END AS answer, c.suspected AS suspected, c.pairs AS pairs,
    c.relative AS relative, c.low AS low, c.high AS high, c.p AS p, c.least AS min_detectable_effect,
    c.more AS more, a.id AS pinned, c.sure AS sure, c.batch AS batch,
    CASE c.layout WHEN 1 THEN 0 WHEN 2 THEN 1 END AS layout
  FROM confirmations c JOIN benchmarks b ON b.key = c.benchmark
    JOIN metrics m ON m.key = c.metric JOIN machines h ON h.key = c.machine
    JOIN revisions o ON o.key = c.before JOIN revisions n ON n.key = c.after
    LEFT JOIN revisions a ON a.key = c.pinned_after;
CREATE VIEW runs_failed AS
  -- One row per run that failed, with the end of its output.
  SELECT v.id AS revision, v.subject AS subject, b.name AS benchmark, b.version AS version,
    h.fingerprint AS machine, CASE r.kind WHEN 0 THEN 'timed' ELSE 'allocations' END AS kind,
    o.name AS outcome, r.status AS status, r.started_s AS started_s, r.log AS log
  FROM runs r JOIN revisions v ON v.key = r.revision JOIN benchmarks b ON b.key = r.benchmark
    JOIN batches w ON w.key = r.batch JOIN machines h ON h.key = w.machine
    JOIN outcomes o ON o.key = r.outcome WHERE r.outcome NOT IN (0, 13);
CREATE VIEW summaries AS
  -- One row per (revision, benchmark, metric, machine): n values, their median, median
  -- absolute deviation from it, least and greatest, in the unit. Fast when it is asked
  -- for one benchmark: SELECT * FROM summaries WHERE benchmark = 'x' AND metric = 'wall';
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
CREATE VIEW inner_measurements AS
  -- One row a value within a process of a suite: what measurements has the median of.
  SELECT v.id AS revision, b.name AS benchmark, b.version AS version, b.suite AS suite,
    m.name AS metric, m.unit AS unit, h.fingerprint AS machine, r.batch AS batch,
    r.round AS round, i.key AS position, i.value AS value
  FROM benchmarks b JOIN runs r ON r.benchmark = b.key
    JOIN revisions v ON v.key = r.revision JOIN batches w ON w.key = r.batch
    JOIN machines h ON h.key = w.machine JOIN inner_samples s ON s.run = r.key
    JOIN metrics m ON m.key = s.metric, json_each(s.samples) i;
