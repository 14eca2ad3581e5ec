-- Schema 11. What the promises of docs/security.md need. Append here; what is added stands as it would be in a new store.

INSERT INTO outcomes VALUES (12, 'inconclusive');
