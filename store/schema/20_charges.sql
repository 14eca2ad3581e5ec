-- Schema 20. A charge has the function that its callee is called in place of, and what its other callees execute. Charges
-- without are counted again.

DELETE FROM chargings;
ALTER TABLE charges ADD COLUMN replaced TEXT NOT NULL DEFAULT ''; -- '': none
ALTER TABLE charges ADD COLUMN old_others INTEGER NOT NULL DEFAULT 0; -- instructions of its other callees in no profile
ALTER TABLE charges ADD COLUMN new_others INTEGER NOT NULL DEFAULT 0;
