-- Schema 10. The field's words for tables and columns: batches of runs, results that are reused, values. What stores
-- of schema 9 hold is as it was.

ALTER TABLE windows RENAME TO batches;
ALTER TABLE window_cells RENAME TO batch_cells;
ALTER TABLE batch_cells RENAME COLUMN window TO batch;
ALTER TABLE runs RENAME COLUMN window TO batch;
ALTER TABLE confirmations RENAME COLUMN window TO batch;
ALTER TABLE pins RENAME COLUMN window TO batch;
ALTER TABLE carried RENAME TO reused;
ALTER TABLE executions RENAME COLUMN touched TO dependencies;
ALTER TABLE compared RENAME COLUMN mc TO changed_methods;
ALTER TABLE parcels RENAME TO bundles;
DROP INDEX windows_by_machine;
DROP INDEX window_cells_by_revision;
DROP INDEX window_cells_by_benchmark;
DROP INDEX confirmations_by_window;
DROP INDEX carried_by_revision;
DROP INDEX carried_by_source;
CREATE INDEX batches_by_machine ON batches (machine, is_open);
CREATE INDEX batch_cells_by_revision ON batch_cells (revision);
CREATE INDEX batch_cells_by_benchmark ON batch_cells (benchmark);
CREATE INDEX confirmations_by_batch ON confirmations (batch);
CREATE INDEX reused_by_revision ON reused (revision);
CREATE INDEX reused_by_source ON reused (source);
