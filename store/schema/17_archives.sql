-- Schema 17. Trees are archived as columns (version 4). Those of version 3 are dropped: profiles are taken again where they
-- are asked for.

DELETE FROM trees;
DELETE FROM profiles;
