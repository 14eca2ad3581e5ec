-- Schema 7. `repeats` is an upper bound: a cell's runs end when its value is known well enough. 1: it was known well
-- enough before `rounds` as planned; rounds are those made.
ALTER TABLE window_cells ADD COLUMN enough INTEGER NOT NULL DEFAULT 0;
