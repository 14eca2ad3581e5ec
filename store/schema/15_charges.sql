-- Schema 15. A charge has the variation between runs of the functions that its method's code is in, and the function in no
-- profile whose calls make most of its difference. Charges without these are counted again.

DELETE FROM chargings;
ALTER TABLE charges ADD COLUMN varies INTEGER NOT NULL DEFAULT 0; -- instructions, at most
ALTER TABLE charges ADD COLUMN callee TEXT NOT NULL DEFAULT ''; -- '': none
ALTER TABLE charges ADD COLUMN old_calls INTEGER NOT NULL DEFAULT 0; -- of callee
ALTER TABLE charges ADD COLUMN new_calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE charges ADD COLUMN old_cost INTEGER NOT NULL DEFAULT 0; -- instructions of these calls, with all below
ALTER TABLE charges ADD COLUMN new_cost INTEGER NOT NULL DEFAULT 0;
