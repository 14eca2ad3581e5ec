-- Schema 20. A charge has the function that its callee is called in place of. Charges without are counted again.

DELETE FROM chargings;
ALTER TABLE charges ADD COLUMN replaced TEXT NOT NULL DEFAULT ''; -- '': none
