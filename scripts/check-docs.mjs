/*
 * Every relative link of the documentation leads to a file that exists and to a heading of it, and every path of the
 * source tree that it names in `code` exists.
 *
 *   node check-docs.mjs [TOP]    the *.md of a tree; of this one by default. Prints what is wrong; exit status 1 then.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const top = process.argv[2] ?? path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const leftOut = new Set(['.git', 'build', 'node_modules', 'tests']);

function* pagesOf(dir) {
	for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
		const file = path.join(dir, entry.name);

		if (entry.isDirectory() && !leftOut.has(entry.name)) yield* pagesOf(file);
		else if (entry.isFile() && entry.name.endsWith('.md')) yield file;
	}
}

/** The lines outside of code blocks, with their numbers. */
function* linesOf(file) {
	let fenced = false;
	let number = 0;

	for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
		number++;
		if (line.startsWith('```')) fenced = !fenced;
		else if (!fenced) yield [number, line];
	}
}

/** As GitHub forms them: lower case, spaces to hyphens, without other punctuation; a second one of a name ends in -1. */
function anchorsOf(file) {
	const anchors = new Map();

	for (const [, line] of linesOf(file)) {
		const heading = /^#+ (.*)$/.exec(line);

		if (heading) {
			const name = heading[1]
				.toLowerCase()
				.replace(/[^\p{L}\p{N} _-]/gu, '')
				.replaceAll(' ', '-');
			const n = [...anchors.values()].filter((other) => other === name).length;

			anchors.set(n > 0 ? `${name}-${n}` : name, name);
		}
	}
	return anchors;
}

function checkLink(file, target) {
	const [to, anchor] = target.split('#');
	const page = to === '' ? file : path.join(path.dirname(file), to);

	if (/^[a-z]+:/.test(target)) return null;
	if (!fs.existsSync(page)) return `link to '${target}': there is no such file`;
	if (anchor !== undefined && !anchorsOf(page).has(anchor)) return `link to '${target}': there is no such heading`;
	return null;
}

/**
 * The first word of a piece of code, where it is a path below a folder of this tree; not a pattern, nor an example
 * named x, nor a program that a build makes.
 */
function checkCode(code) {
	const [word] = code.split(' ');
	const [folder, ...rest] = word.split('/');
	const known = /^[a-z]/.test(word) && rest.length > 0 && fs.existsSync(path.join(top, folder));

	if (!known || /[*<>{}$]/.test(word) || /[/_]x([./]|$)/.test(word) || /^bench\/pe_bench_/.test(word)) return null;
	return fs.existsSync(path.join(top, word)) ? null : `there is no '${word}'`;
}

let wrong = 0;
for (const file of [...pagesOf(top)].sort()) {
	for (const [number, line] of linesOf(file)) {
		const found = [
			...[...line.matchAll(/\]\(([^)]*)\)/g)].map(([, target]) => checkLink(file, target)),
			...[...line.matchAll(/`([^`]*)`/g)].map(([, code]) => checkCode(code)),
		];
		for (const message of found.filter((one) => one !== null)) {
			console.log(`${path.relative(top, file)}:${number}: ${message}`);
			wrong++;
		}
	}
}
process.exitCode = wrong > 0 ? 1 : 0;
