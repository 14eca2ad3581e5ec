/*
 * Holds what --format json prints against its schemas: node documents.mjs PERFEVO PE_FIXTURE_GATE PE_FIXTURE_REPORT SOURCE_DIR.
 * Documents of the tool itself (documents.sh), of the fixtures, and those that the report's tests compare with.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [perfevo, gate, report, source] = process.argv.slice(2);
const require = createRequire(path.join(process.env.PERFEVO_NODE_DIR, 'package.json'));
const Ajv = require('ajv/dist/2020');
const addFormats = require('ajv-formats');
const dir = mkdtempSync(path.join(tmpdir(), 'perfevo-documents-'));
let failures = 0;

const read = (file) => JSON.parse(readFileSync(file, 'utf8'));
const run = (program, ...words) => JSON.parse(execFileSync(program, words, { encoding: 'utf8', maxBuffer: 1 << 28 }));

function say(what, problem) {
	failures += problem ? 1 : 0;
	process.stdout.write(`${problem ? 'FAIL' : 'ok  '}  ${what}${problem ? `\n      ${problem}` : ''}\n`);
}

/* In strict mode a misspelt keyword is refused. */
const ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true });
addFormats(ajv);
const schemas = path.join(source, 'report/schema');
for (const file of readdirSync(schemas)) ajv.addSchema(read(path.join(schemas, file)));

function hold(name, what, document) {
	const validate = ajv.getSchema(`${name}.schema.json`);
	say(`${name}: ${what}`, validate(document) ? null : JSON.stringify(validate.errors));
	return document;
}

/* A document with one member more, or one less, is refused: a schema that lets anything through proves nothing. */
function checkTeeth(name, document) {
	const validate = ajv.getSchema(`${name}.schema.json`);
	say(`${name}: refuses an unknown member`, validate({ ...document, nonsense: 1 }) ? 'it does not' : null);
	const missing = Object.keys(document).filter((key) => validate(Object.fromEntries(Object.entries(document).filter(([other]) => other !== key))));
	say(`${name}: refuses a missing member`, missing.length > 0 ? `not ${missing.join()}` : null);
}

mkdirSync(path.join(dir, 'home'));
execFileSync('sh', [path.join(source, 'tests/schemas/documents.sh')], {
	cwd: dir,
	stdio: ['ignore', 'ignore', 'pipe'],
	env: {
		HOME: path.join(dir, 'home'),
		PATH: `${path.dirname(perfevo)}:/usr/local/bin:/usr/bin:/bin`,
		LC_ALL: 'C.UTF-8',
		GIT_CONFIG_NOSYSTEM: '1',
		PERFEVO_VALGRIND: '',
		SOURCE_DIR: source,
	},
});

const of = { diff: 'compare' };
for (const file of readdirSync(dir).filter((name) => name.endsWith('.json'))) {
	const name = file.replace(/[-.].*/, '');
	const document = hold(of[name] ?? name, file, read(path.join(dir, file)));
	if (file === `${name}.json`) checkTeeth(of[name] ?? name, document);
}
for (const kind of ['every', 'hostile', 'quiet', 'broken']) hold('ci', `fixture ${kind}`, run(gate, kind, 'json'));
for (const kind of ['small', 'hostile', 'quiet', 'events', 'hundred', 'empty']) hold('track', `fixture ${kind}`, run(report, kind, 'json'));
const golden = { compare: 'compare.json', stages: 'parcs.json', profile: 'profile-hostile.json' };
for (const [name, file] of Object.entries(golden)) hold(name, `tests/golden/report/${file}`, read(path.join(source, 'tests/golden/report', file)));

const { steps } = read(path.join(dir, 'bisect-steps.json'));
say('bisect: the documents have steps with comparisons', steps.length === 2 && steps.every((step) => step.comparison) ? null : JSON.stringify(steps));
rmSync(dir, { recursive: true });
process.exit(failures === 0 ? 0 : 1);
