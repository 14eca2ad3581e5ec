-- Schema 13. Why a method was recompiled whose source is the same is kept with what was found of it.

ALTER TABLE recompiled ADD COLUMN reason TEXT NOT NULL DEFAULT ''; -- '': not known
