-- Schema 14. Trees and lists of functions are archived as one frame of zstd. Those that were archived as blocks are dropped:
-- profiles are taken again where they are asked for.

DELETE FROM trees;
DELETE FROM profiles;
DELETE FROM run_functions;
DELETE FROM function_counts;
