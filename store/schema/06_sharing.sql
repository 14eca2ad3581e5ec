-- Schema 6. What left for other stores, and the bundles that were looked at.

ALTER TABLE windows ADD COLUMN shared INTEGER NOT NULL DEFAULT 0; -- 1: sent, or from elsewhere
ALTER TABLE builds ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
ALTER TABLE carried ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
ALTER TABLE confirmations ADD COLUMN shared INTEGER NOT NULL DEFAULT 0;
CREATE TABLE parcels (
  -- Bundles of results that were sent or taken in, by their name outside.
  name TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
