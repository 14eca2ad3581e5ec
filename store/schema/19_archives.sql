-- Schema 19. Values of trees are archived as numbers of variable length (version 5). Trees of version 4 are dropped: profiles
-- are taken again where they are asked for.

DELETE FROM trees;
DELETE FROM profiles;
