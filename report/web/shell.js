/*
 * Shell: which view is shown, by the address: #/evolution, #/commits/<id>, #/compare, and
 * #/compare/<number>/<pair>/<view>?key=value. Themes, keys that hold everywhere, and the start.
 */
import { $, el, reachable } from './dom.js';
import { Commits } from './commits.js';
import { Compare } from './compare.js';
import { Evolution } from './evolution.js';
import { block, formatDate, load, plural, read, shortId } from './model.js';
import { jumpLink } from './details.js';

const root = document.documentElement;
const KEYS = [
	['g e', 'evolution'],
	['g c', 'commits'],
	['g d', 'comparisons'],
	['t', 'light or dark'],
	['?', 'these keys'],
];
const VIEW_KEYS = {
	evolution: [
		['← →', 'walk along a line (in the chart)'],
		['↑ ↓', 'the next line'],
		['Shift ← →', 'pan'],
		['+ − 0', 'zoom in, out, everything'],
		['Enter', 'the commit'],
	],
	commits: [
		['↑ ↓ Page Home End', 'walk (in the list)'],
		['Enter', 'details'],
		['n N', 'next, previous jump'],
		['p', 'first parent'],
		['/', 'filter'],
		['Esc', 'close details'],
	],
	list: [],
};
/** What the tests and a browser's console can reach: the model, and the views as they are made. */
export const page = {};
let model;
let evolution = null;
let commits = null;
let compare;
let showing = Promise.resolve();

/* ---- addresses ---- */

function parse(hash) {
	const [path, query = ''] = hash.replace(/^#\/?/, '').split('?');
	const [name, ...rest] = path.split('/').map((part) => {
		try {
			return decodeURIComponent(part);
		} catch {
			return part;
		}
	});
	const state = Object.fromEntries(new URLSearchParams(query));
	const number = Number(rest[0]);
	if (name === 'compare' && rest[0] !== undefined && rest[0] !== '' && model.comparisons[number])
		return { name: 'comparison', number, pair: Number(rest[1]) || 0, view: rest[2] || null, state };
	if (name === 'compare') return { name: 'list' };
	if (name === 'commits' && model.history) return { name: 'commits', id: rest[0] || null };
	if (name === 'evolution' && hasEvolution()) return { name: 'evolution', id: state.commit || null };
	return first();
}

const hasEvolution = () => model.revisions.length > 0 || model.comparisons.length === 0;

/** What a page opens with. */
function first() {
	if (hasEvolution()) return { name: 'evolution', id: null };
	return model.comparisons.length === 1 ? { name: 'comparison', number: 0, pair: 0, view: null, state: {} } : { name: 'list' };
}

function href(number, pair, view, state = {}) {
	const query = new URLSearchParams(Object.entries(state).filter(([, value]) => value !== null && value !== undefined)).toString();
	return `#/compare/${number}/${pair}${view ? `/${view}` : ''}${query ? `?${query}` : ''}`;
}

/** Change the address; `replace` makes no step to go back to. */
function setAddress(hash, replace) {
	if (location.hash === hash) return;
	if (replace) history.replaceState(null, '', hash);
	else history.pushState(null, '', hash);
	shown = location.hash;
}

let shown = null; /* the address that is on the screen */

/* ---- views ---- */

const SECTIONS = { evolution: 'view-evolution', commits: 'view-commits', list: 'view-list', comparison: 'view-compare' };
let current = null;

function switchTo(name) {
	if (current === name) return;
	if (current === 'comparison') compare.leave();
	for (const [key, id] of Object.entries(SECTIONS)) $(id).hidden = key !== name;
	for (const link of document.querySelectorAll('#tabs a'))
		link.setAttribute('aria-current', link.dataset.view === (name === 'comparison' ? 'list' : name) ? 'page' : 'false');
	$('skip-jumps').hidden = name !== 'evolution';
	const title = { evolution: 'performance over its history', commits: 'commits', list: 'comparisons', comparison: 'comparison' }[name];
	if (current !== null) {
		document.title = `${model.project || 'perfevo'}: ${title}`;
		scrollTo(0, 0);
	}
	$('trouble').hidden = true;
	$('footer').hidden = false;
	current = name;
}

/** Unpack what a view begins with: it stands whole at once, and nothing in it moves. */
async function unpack({ name, number }) {
	if (name === 'evolution') await load(model, (evolution ??= startEvolution()).shownLines());
	else if (name === 'commits') await (commits ??= startCommits()).unpack();
	else if (name === 'comparison') await compare.block(number);
}

async function showRoute(wanted) {
	await unpack(wanted);
	switchTo(wanted.name);
	if (wanted.name === 'evolution') {
		await evolution.mount(wanted.id);
	} else if (wanted.name === 'commits') {
		commits.mount(wanted.id);
	} else if (wanted.name === 'comparison') {
		await compare.show(wanted);
	} else {
		compare.drawList();
	}
}

/** Show what the address says; one after the other, so that a slow view does not come last. */
function route() {
	shown = location.hash;
	root.dataset.ready = 'false';
	const wanted = parse(location.hash);
	const mine = showing.then(() => showRoute(wanted)).catch(failed);
	showing = mine;
	return mine.then(() => {
		if (showing === mine) root.dataset.ready = 'true';
	});
}

function startEvolution() {
	const made = new Evolution(model, {
		open: (id) => {
			setAddress(id ? `#/evolution?commit=${id}` : '#/evolution', Boolean(id) && /commit=/.test(location.hash));
			made.update(id);
		},
	});
	Object.assign(page, { evolution: made, chart: made.chart, state: made.state });
	return made;
}

function startCommits() {
	const made = new Commits(model, {
		open: (commit) => {
			setAddress(commit ? `#/commits/${commit.id}` : '#/commits', Boolean(commit) && /^#\/commits\/./.test(location.hash));
			made.showDetails(commit);
			made.mark();
		},
		compare: (jump) => jumpLink(model, jump),
		comparisonsOf: (commit) =>
			model.comparisons
				.map((entry, number) => ({ entry, number }))
				.filter(({ entry }) => (entry.new.id || '') === commit.id || (commit.revision !== null && entry.new.revision === commit.revision))
				.map(({ entry, number }) =>
					el('p', el('a.to-comparison', { href: href(number, 0, null) }, `Compared with ${entry.old.name || shortId(entry.old.id || '')}`)),
				),
	});
	page.commits = made;
	return made;
}

/* ---- themes ---- */

const wantsDark = matchMedia('(prefers-color-scheme: dark)');
let theme = null; /* what was chosen: "light" or "dark" */
let darkRules = null;

const isDark = () => (theme ? theme === 'dark' : wantsDark.matches);

/** The style sheets' dark colours have a condition on what the system asks for: a choice takes its place. */
function themeChanged() {
	$('theme').textContent = isDark() ? '☀ Light' : '☾ Dark';
	const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
	darkRules ??= rules.filter((rule) => rule.media?.mediaText.includes('prefers-color-scheme'));
	if (theme) for (const { media } of darkRules) media.mediaText = isDark() ? 'screen' : 'not all';
}

function toggleTheme() {
	theme = isDark() ? 'light' : 'dark';
	try {
		localStorage.setItem('perfevo-theme', theme);
	} catch {
		/* pages from a file may have no storage: the choice lasts as long as the page */
	}
	themeChanged();
}

function recall() {
	try {
		theme = ['dark', 'light'].find((one) => one === localStorage.getItem('perfevo-theme')) ?? null;
	} catch {
		/* as above */
	}
}

/* ---- keys ---- */

function showKeys() {
	const own = current === 'comparison' ? compare.shown.keys : VIEW_KEYS[current] || [];
	const rows = [...KEYS.filter(([keys]) => keys !== 'g c' || model.history), ...own];
	const list = rows.flatMap(([keys, what]) => [el('dt', el('kbd', keys)), el('dd', what)]);
	$('keys-body').replaceChildren(el('dl.keys', list));
	$('keys').showModal();
}

function bindKeys() {
	let prefix = -Infinity; /* when g was pressed last */
	const places = { e: hasEvolution() ? '#/evolution' : null, c: model.history ? '#/commits' : null, d: '#/compare' };
	document.addEventListener('keydown', (event) => {
		const typing = event.target.closest('input, select, textarea, [contenteditable]');
		if (event.defaultPrevented || typing || event.ctrlKey || event.metaKey || event.altKey || $('keys').open) return;
		const after = performance.now() - prefix < 1500;
		prefix = event.key === 'g' ? performance.now() : -Infinity;
		if (after && places[event.key]) location.hash = places[event.key];
		else if (event.key === '?') showKeys();
		else if (event.key === 't') toggleTheme();
		else if (event.key === '/' && (current === 'commits' || current === 'evolution')) $(current === 'commits' ? 'commit-filter' : 'filter').focus();
		else return;
		event.preventDefault();
	});
}

/* ---- the start ---- */

function drawFrame() {
	const { revisions } = model;
	const n = revisions.length;
	$('project').textContent = model.project || 'perfevo';
	const span = () =>
		`${plural(n, 'revision')}, ${shortId(revisions[0].id)} to ${shortId(revisions[n - 1].id)}, ` +
		`${formatDate(revisions[0].time)} to ${formatDate(revisions[n - 1].time)}`;
	$('subtitle').textContent = n > 0 ? span() : hasEvolution() ? 'No revision was measured' : plural(model.comparisons.length, 'comparison');
	$('reused').textContent = model.reused || '';
	$('reused').hidden = !model.reused;
	const tabs = [
		['evolution', '#/evolution', 'Evolution', hasEvolution()],
		['commits', '#/commits', 'Commits', model.history !== null],
		['list', '#/compare', 'Comparisons', model.comparisons.length > 0 || n > 0],
	];
	const there = tabs.filter(([, , , wanted]) => wanted);
	$('tabs').hidden = there.length < 2;
	const count = model.comparisons.length > 0 ? el('span.count', model.comparisons.length) : '';
	const link = ([view, address, text]) => el('a.tab', { href: address, dataset: { view } }, text, view === 'list' ? count : '');
	$('tabs').replaceChildren(...there.map(link));
	const recorded = [...new Set(model.lines.filter((line) => !line.judged).map((line) => model.metrics[line.metric].label))];
	$('footer').replaceChildren(
		model.machine || n > 0
			? el('p', `Measured on ${model.machine || 'an unknown machine'}.` + (recorded.length > 0 ? ` Recorded only: ${recorded.join(', ')}.` : ''))
			: '',
		el('p', `${model.generated ? `Written on ${formatDate(model.generated)} by perfevo` : 'Written by perfevo'} ${model.version || ''}.`),
	);
}

function failed(error) {
	for (const id of Object.values(SECTIONS)) $(id).hidden = true;
	$('trouble').hidden = false;
	$('trouble').textContent = `This page cannot be shown: ${error.message}.`;
	current = null;
	console.error(error);
}

/** A skip link moves the focus; it is no address of a view. */
function bindSkips() {
	for (const link of document.querySelectorAll('a.skip'))
		link.onclick = (event) => {
			const target = $(link.dataset.to);
			event.preventDefault();
			target.scrollIntoView();
			target.focus({ preventScroll: true });
		};
}

async function start() {
	recall();
	if (typeof DecompressionStream === 'undefined')
		throw new Error('this browser is too old to unpack its data. Browsers since 2023 can (Chromium 80, Firefox 113, Safari 16.4)');
	model = read(await block('index'));
	compare = new Compare(model, { href, remember: (...place) => setAddress(href(...place), true) });
	Object.assign(page, { model, compare });
	drawFrame();
	document.querySelectorAll('.scroll').forEach(reachable);
	bindSkips();
	bindKeys();
	themeChanged();
	$('tools').hidden = false;
	$('theme').onclick = toggleTheme;
	wantsDark.addEventListener('change', themeChanged);
	$('keys-open').onclick = showKeys;
	$('keys-close').onclick = () => $('keys').close();
	/* going back and a link both change the address; one of them is enough */
	for (const event of ['hashchange', 'popstate']) addEventListener(event, () => location.hash !== shown && route());
	await route();
}

start().catch((error) => {
	failed(error);
	root.dataset.ready = 'true';
});
