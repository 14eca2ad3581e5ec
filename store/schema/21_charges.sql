-- Schema 21. A charge has the instructions of its other callees. Charges without are counted again.

DELETE FROM chargings;
ALTER TABLE charges ADD COLUMN old_others INTEGER NOT NULL DEFAULT 0;
ALTER TABLE charges ADD COLUMN new_others INTEGER NOT NULL DEFAULT 0;
