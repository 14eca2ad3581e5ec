-- Schema 8. Whether a confirmed change is one of layout: what runs is the same, and lies elsewhere.

ALTER TABLE confirmations ADD COLUMN layout INTEGER NOT NULL DEFAULT 0; -- 0: not looked, 1: what runs differs, 2: layout, 3: cannot be told
DROP VIEW confirmations_named;
CREATE VIEW confirmations_named AS
  -- One row a suspected change, with names in place of keys; relative 0.05 is +5 %.
  -- layout: 1 where only the place of things in memory differs, 0 where it is the
  -- work; NULL: not looked at, or it cannot be told.
  SELECT b.name AS benchmark, b.version AS version, m.name AS metric,
    h.fingerprint AS machine, o.id AS before, n.id AS after, n.subject AS subject,
    CASE c.answer WHEN 0 THEN 'going on' WHEN 1 THEN 'confirmed' WHEN 2 THEN 'refuted'
    ELSE 'undecided' END AS answer, c.suspected AS suspected, c.pairs AS pairs,
    c.relative AS relative, c.low AS low, c.high AS high, c.p AS p, c.least AS least,
    c.more AS more, a.id AS pinned, c.sure AS sure, c.window AS window,
    CASE c.layout WHEN 1 THEN 0 WHEN 2 THEN 1 END AS layout
  FROM confirmations c JOIN benchmarks b ON b.key = c.benchmark
    JOIN metrics m ON m.key = c.metric JOIN machines h ON h.key = c.machine
    JOIN revisions o ON o.key = c.before JOIN revisions n ON n.key = c.after
    LEFT JOIN revisions a ON a.key = c.pinned_after;
