/*
 * Page: where esbuild begins to bundle the one script and the one style sheet of a report. What is exported here is
 * the global `perfevo` of a page, for its tests and for a browser's console.
 */
import './shell.css';
import './blueprint.css';

export { views } from './compare.js';
export { jumpMark, sector } from './graph.js';
export { page } from './shell.js';
