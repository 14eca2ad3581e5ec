-- Schema 18. Lists of functions are JSON, as zstd compresses it: [[key in frames, instructions], ...]. base is the list that
-- compresses it well, which is whole. Lists of the old form are dropped: they are counted again where they are asked for.

DELETE FROM run_functions;
DELETE FROM function_counts;
