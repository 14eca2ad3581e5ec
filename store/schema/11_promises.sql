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
