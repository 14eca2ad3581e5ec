-- The document that was read last, into the store: all but what C has to see. Rows of commits that are not here are left out,
-- and rows that exist stay as they are.

DELETE FROM doc_keys;
DELETE FROM doc_metric_keys;

-- A fingerprint that is none: no machine that is identified here is ever found by it.
INSERT INTO machines (fingerprint, hostname, cpu, cores, memory_bytes, kernel, compilers, origin, claimed, remote, public_key)
  SELECT 'x' || substr(lower(hex(randomblob(16))), 2), d.hostname, d.cpu, d.cores, d.memory_bytes, d.kernel, d.compilers,
    s.origin, d.fingerprint, s.remote, s.public_key FROM doc_machine d, doc_source s
  WHERE s.node IS NULL AND d.fingerprint NOT IN (SELECT claimed FROM machines WHERE origin = s.origin);
UPDATE doc_source SET machine = (SELECT m.key FROM machines m JOIN doc_machine d
  ON d.fingerprint = iif(m.origin = '', m.fingerprint, m.claimed) WHERE m.origin = doc_source.origin);

-- The version that is used here stays the newest of its name.
INSERT INTO benchmarks (name, version, generation, definition, is_test, suite)
  SELECT name, version, coalesce((SELECT min(b.generation) FROM benchmarks b WHERE b.name = d.name), 2)
    - row_number() OVER (PARTITION BY name ORDER BY row), definition, is_test,
    CASE WHEN json_valid(definition) THEN json_extract(definition, '$.suite') END
  FROM doc_benchmarks d WHERE row NOT IN (SELECT row FROM doc_known) ON CONFLICT DO NOTHING;

-- A batch may come in several documents, or again, once a commit of it is here.
INSERT INTO batches (machine, created_s, seed, is_open, governor, turbo, load, env_bytes, cpu, nice, fixed_layout, aside)
  SELECT s.machine, d.created_s, d.seed, 0, d.governor, d.turbo, d.load, d.env_bytes, d.cpu, d.nice, d.fixed_layout, d.aside
  FROM doc_batch d, doc_source s WHERE EXISTS (SELECT 1 FROM doc_cells c JOIN doc_here v ON v.row = c.revision)
    AND NOT EXISTS (SELECT 1 FROM batches b WHERE b.machine = s.machine AND b.created_s = d.created_s AND b.seed = d.seed);
UPDATE doc_source SET batches = changes(), batch = (SELECT b.key FROM batches b JOIN doc_batch d
  ON d.created_s = b.created_s AND d.seed = b.seed WHERE b.machine = doc_source.machine);
-- A part of it may have left for others already: it leaves again.
UPDATE batches SET node = s.node, shared = 0 FROM doc_source s WHERE s.node IS NOT NULL AND batches.key = s.batch;
INSERT INTO batch_cells (batch, revision, benchmark, position, role, rounds, enough)
  SELECT s.batch, v.key, b.key, c.row, c.role, c.rounds, c.enough FROM doc_source s, doc_cells c
    JOIN doc_here v ON v.row = c.revision JOIN doc_known b ON b.row = c.benchmark WHERE s.batch IS NOT NULL
  ON CONFLICT DO UPDATE SET rounds = excluded.rounds, enough = 1 WHERE excluded.enough AND NOT enough;

INSERT INTO doc_keys (row, key, revision, benchmark)
  SELECT r.row, (SELECT coalesce(max(o.key), b.key << 32) FROM runs o
      WHERE o.key BETWEEN b.key << 32 AND (b.key << 32) + 4294967295)
    + row_number() OVER (PARTITION BY b.key ORDER BY r.sequence, r.row), v.key, b.key
  FROM doc_source s, doc_runs r JOIN doc_here v ON v.row = r.revision JOIN doc_known b ON b.row = r.benchmark
  WHERE NOT EXISTS (SELECT 1 FROM runs o WHERE o.benchmark = b.key AND o.revision = v.key AND o.batch = s.batch
    AND o.kind = r.kind AND o.round = r.round);
INSERT INTO call_sets (digest, calls)
  SELECT DISTINCT digest(r.calls), r.calls FROM doc_keys k JOIN doc_runs r ON r.row = k.row WHERE r.calls IS NOT NULL
  ON CONFLICT DO NOTHING;
INSERT INTO runs (key, batch, revision, benchmark, kind, round, sequence, started_s, outcome, status, log, calls)
  SELECT k.key, s.batch, k.revision, k.benchmark, r.kind, r.round, r.sequence, r.started_s, o.key, r.status,
    iif(o.key = 0, NULL, r.log), (SELECT c.key FROM call_sets c WHERE c.digest = digest(r.calls) AND r.calls IS NOT NULL)
  FROM doc_source s, doc_keys k JOIN doc_runs r ON r.row = k.row JOIN outcomes o ON o.name = r.outcome;
UPDATE doc_source SET runs = changes();

-- The store has an attempt when it has one by the same recipe that began at the same time. Others' programs are not here: of
-- a good build only the duration matters, and that of a worker alone.
INSERT INTO recipes (hash) SELECT DISTINCT recipe FROM doc_builds WHERE true ON CONFLICT DO NOTHING;
INSERT INTO builds (revision, machine, recipe, outcome, status, started_s, duration_ns, step, log)
  SELECT v.key, s.machine, c.key, o.key, d.status, d.started_s, d.duration_ns, d.step, d.log
  FROM doc_source s, doc_builds d JOIN doc_here v ON v.row = d.revision JOIN recipes c ON c.hash = d.recipe
    JOIN outcomes o ON o.name = d.outcome
  WHERE (o.key <> 0 OR s.node IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM builds b WHERE b.revision = v.key
    AND b.machine = s.machine AND b.recipe = c.key AND b.started_s = d.started_s);
UPDATE doc_source SET builds = changes();
INSERT INTO reused (machine, benchmark, revision, source)
  SELECT s.machine, b.key, v.key, f.key FROM doc_source s, doc_reused d JOIN doc_here v ON v.row = d.revision
    JOIN doc_here f ON f.row = d.source JOIN doc_known b ON b.row = d.benchmark WHERE true
  ON CONFLICT DO NOTHING;
UPDATE doc_source SET reused = changes();
