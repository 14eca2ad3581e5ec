/*
 * The report's pages in a browser: node pages.mjs PE_FIXTURE_REPORT TEST... runs each test_TEST.mjs, one after the other in
 * one browser, which takes as long to start as ten checks. CHECK=WORDS in the environment: only checks with these words.
 */
import { finish } from './harness.mjs';

for (const name of process.argv.slice(3)) await import(`./test_${name}.mjs`);
await finish();
