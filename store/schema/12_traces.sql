-- Schema 12. Traces have one form: the items that builds read are written as those of runs are, with the number of bytes that
-- a path has in common with the one before it right behind the kind.

UPDATE read_sets SET paths = substr(replace(replace(replace(replace(char(10) || paths, char(10) || 'F ', char(10) || 'F'),
  char(10) || 'D ', char(10) || 'D'), char(10) || 'M ', char(10) || 'M'), char(10) || 'N ', char(10) || 'N'), 2);

-- Members of a suite are not traced by themselves any more: what their suite enters is not known there.
UPDATE executions SET functions = NULL, executed = NULL WHERE alone;
ALTER TABLE executions DROP COLUMN alone;
