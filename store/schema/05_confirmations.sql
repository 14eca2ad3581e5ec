-- Schema 5. Suspected changes and the fresh runs that confirm or refute them. Those runs are in windows that
-- stand aside: the search for changes does not see them, for they would be asked to bear witness twice.

ALTER TABLE windows ADD COLUMN aside INTEGER NOT NULL DEFAULT 0; -- 1: not in series
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
  window INTEGER REFERENCES windows ON DELETE SET NULL, -- of the pairs
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
  settled INTEGER NOT NULL -- 1: nothing more is to be measured
) STRICT;
CREATE INDEX confirmations_by_benchmark ON confirmations (benchmark);
CREATE INDEX confirmations_by_before ON confirmations (before);
CREATE INDEX confirmations_by_after ON confirmations (after);
CREATE INDEX confirmations_by_first ON confirmations (first);
CREATE INDEX confirmations_by_last ON confirmations (last);
CREATE INDEX confirmations_by_window ON confirmations (window);
CREATE INDEX confirmations_by_pinned_before ON confirmations (pinned_before);
CREATE INDEX confirmations_by_pinned_after ON confirmations (pinned_after);
CREATE INDEX confirmations_by_pinned_first ON confirmations (pinned_first);
CREATE INDEX confirmations_by_pinned_last ON confirmations (pinned_last);
CREATE TABLE pins (
  -- Windows in which the surroundings of a confirmed change were measured again.
  window INTEGER PRIMARY KEY REFERENCES windows ON DELETE CASCADE,
  confirmed_by INTEGER NOT NULL REFERENCES windows ON DELETE CASCADE
) STRICT;
CREATE INDEX pins_by_confirmed ON pins (confirmed_by);
DROP VIEW measurements;
CREATE VIEW measurements AS
  -- One row a sample, with names in place of keys. Fresh runs of confirmations are not
  -- among them: they are in fresh_measurements.
  SELECT v.id AS revision, b.name AS benchmark, b.version AS version, m.name AS metric,
    m.unit AS unit, h.fingerprint AS machine, r.window AS window, r.round AS round,
    r.started_s AS started_s, s.value AS value
  FROM benchmarks b JOIN runs r ON r.benchmark = b.key
    JOIN revisions v ON v.key = r.revision JOIN windows w ON w.key = r.window
    JOIN machines h ON h.key = w.machine JOIN samples s ON s.run = r.key
    JOIN metrics m ON m.key = s.metric WHERE NOT w.aside;
CREATE VIEW fresh_measurements AS
  -- One row a sample of a window that confirms or pins a change.
  SELECT v.id AS revision, b.name AS benchmark, b.version AS version, m.name AS metric,
    m.unit AS unit, h.fingerprint AS machine, r.window AS window, r.round AS round,
    r.started_s AS started_s, s.value AS value
  FROM windows w JOIN window_cells c ON c.window = w.key JOIN runs r ON
    r.benchmark = c.benchmark AND r.revision = c.revision AND r.window = c.window
    JOIN revisions v ON v.key = r.revision JOIN benchmarks b ON b.key = r.benchmark
    JOIN machines h ON h.key = w.machine JOIN samples s ON s.run = r.key
    JOIN metrics m ON m.key = s.metric WHERE w.aside;
CREATE VIEW confirmations_named AS
  -- One row a suspected change, with names in place of keys; relative 0.05 is +5 %.
  SELECT b.name AS benchmark, b.version AS version, m.name AS metric,
    h.fingerprint AS machine, o.id AS before, n.id AS after, n.subject AS subject,
    CASE c.answer WHEN 0 THEN 'going on' WHEN 1 THEN 'confirmed' WHEN 2 THEN 'refuted'
    ELSE 'undecided' END AS answer, c.suspected AS suspected, c.pairs AS pairs,
    c.relative AS relative, c.low AS low, c.high AS high, c.p AS p, c.least AS least,
    c.more AS more, a.id AS pinned, c.sure AS sure, c.window AS window
  FROM confirmations c JOIN benchmarks b ON b.key = c.benchmark
    JOIN metrics m ON m.key = c.metric JOIN machines h ON h.key = c.machine
    JOIN revisions o ON o.key = c.before JOIN revisions n ON n.key = c.after
    LEFT JOIN revisions a ON a.key = c.pinned_after;
