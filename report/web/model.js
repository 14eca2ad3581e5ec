/*
 * Model: the data that the page carries, and how values read. Nothing here touches the document but its
 * blocks of data. Their layout is described in report/page.h and report/evolution_data.c.
 */

/** What a block holds: "index", or the name of another. Base64 of JSON that zlib deflated. */
export async function block(name) {
	const packed = atob(document.getElementById(`block-${name}`).textContent);
	const bytes = new Uint8Array(packed.length);
	for (let i = 0; i < packed.length; i++) bytes[i] = packed.charCodeAt(i);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
	return JSON.parse(await new Response(stream).text());
}

/* [factor, name], ascending */
const prefixes = (base, names) => names.map((name, i) => [base ** i, name]);
const SECONDS = prefixes(1000, ['ns', 'µs', 'ms', 's']);
const TIME = [...SECONDS, [60e9, 'min'], [3600e9, 'h']];
const BYTES = prefixes(1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
const COUNT = prefixes(1000, ['', 'k', 'M', 'G', 'T', 'P']);
const LARGE = COUNT.slice(3); /* of smaller counts all digits are shown */
const TIME_UNITS = { ns: 1, us: 1e3, µs: 1e3, ms: 1e6, s: 1e9 };

const grouped = (v) => v.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');
const significant = (v) => String(Number(v.toPrecision(3)));

function prefixed(v, table) {
	let best = 0;
	for (let i = 1; i < table.length; i++) {
		const least = table[i][0] / table[i - 1][0] === 60 ? 2.5 : 0.9995;
		if (v / table[i][0] >= least) best = i;
	}
	const [factor, name] = table[best];
	const scaled = v / factor;
	if (factor === 1 && Number.isInteger(scaled)) return `${scaled} ${name}`;
	if (scaled < 0.9995) return `${significant(scaled)} ${name}`;
	return `${scaled.toFixed(scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0)} ${name}`;
}

/** Three significant digits and a fitting prefix, like pe_format_value(). */
export function formatValue(value, unit) {
	if (value === null || !Number.isFinite(value)) return '–';
	const sign = value < 0 ? '−' : '';
	const v = Math.abs(value);
	if (unit in TIME_UNITS) return sign + prefixed(v * TIME_UNITS[unit], TIME);
	if (unit === 'bytes' || unit === 'B') return sign + prefixed(v, BYTES);
	const text = v >= 999.5e6 ? prefixed(v, LARGE) : v >= 999.5 ? grouped(v) : significant(v);
	return sign + text + (unit === '1' || unit === '' ? '' : ` ${unit}`);
}

/** A round number of at least so much. */
export function roundStep(least, binary = false) {
	if (binary) return 2 ** Math.ceil(Math.log2(least));
	const power = 10 ** Math.floor(Math.log10(least));
	return [1, 2, 5, 10].map((n) => n * power).find((step) => step >= least) ?? 10 * power;
}

/** The multiples of a step between two values. */
export function ticks(low, high, step) {
	const first = Math.ceil(low / step);
	return Array.from({ length: Math.max(0, Math.floor(high / step) - first + 1) }, (_, i) => (first + i) * step);
}

/** Labels for the ticks of a value axis: one prefix, as many decimals as the step needs. */
export function tickLabels(splits, unit) {
	const table = unit === 'ns' ? SECONDS : unit === 'bytes' ? BYTES : COUNT;
	const most = Math.max(...splits.map(Math.abs), 0);
	const [factor, name] = table.findLast(([f]) => most >= f) || table[0];
	const step = splits.length > 1 ? Math.abs(splits[1] - splits[0]) / factor : 1;
	let decimals = 0;
	while (decimals < 6 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6) decimals++;
	const suffix = unit === 'ns' || unit === 'bytes' ? ` ${name}` : name;
	return splits.map((v) => (v / factor).toFixed(decimals) + suffix);
}

/** "+12.3 %", "×3.4" from a factor of 3 on, "new" when undefined, like pe_format_change(). */
export function formatChange(relative) {
	if (relative === null || !Number.isFinite(relative)) return 'new';
	if (relative >= 2) return `×${(relative + 1).toFixed(relative + 1 < 9.95 ? 1 : 0)}`;
	const percent = Math.abs(relative) * 100;
	if (relative < -0.9995 && relative > -1) return `−${Math.min(percent, 99.99).toFixed(2)} %`;
	const sign = percent < 0.005 ? '' : relative < 0 ? '−' : '+';
	return `${sign}${Number(percent.toFixed(percent < 0.0995 ? 2 : percent < 99.95 ? 1 : 0))} %`;
}

export const formatDate = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);
export const shortId = (id) => id.slice(0, 8);

/** "3 regressions" */
export const plural = (n, noun) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

/** (to - from) / from; null where that is undefined. */
export const relativeChange = (from, to) => (from === null || to === null || !from ? null : (to - from) / from);

/* ---- lines ---- */

/** Spread a column over all revisions: null where there is a point without a value, undefined without one. */
function spread(column, at, n) {
	if (!at) return column;
	const out = new Array(n);
	for (let i = 0; i < at.length; i++) out[at[i]] = column[i];
	return out;
}

/** Runs of one level as { from, to, level }, which end at a value. */
function readLevels(levels, values) {
	const runs = [];
	values.forEach((value, r) => {
		if (value == null) return;
		if (runs.length > 0 && runs.at(-1).level === levels[r]) runs.at(-1).to = r;
		else runs.push({ from: r, to: r, level: levels[r] });
	});
	return runs.filter((run) => run.level !== null);
}

/** By revision the number of its run, which a missing value ends, or an epoch whose values cannot be compared with those before. */
function numberRuns(epochs, values) {
	let run = 0;
	let epoch;
	return values.map((value, r) => {
		if (value === null || (epoch !== undefined && epochs[r] !== epoch)) run++;
		if (value !== null) epoch = epochs[r];
		return run;
	});
}

/** The level of a line at a revision; `otherwise` where it has none, or its values are not loaded. */
export const levelAt = (line, r, otherwise) => line.levels?.find((run) => r >= run.from && r <= run.to)?.level ?? otherwise;

/** A line's values by index of revision, into the line; a build that failed is a gap in every line, as a benchmark that failed is in its own. */
function readColumns(line, raw, { revisions: { length: n }, failures }) {
	const values = spread(raw.value, raw.at, n);
	const column = (key) => (raw[key] ? spread(raw[key], raw.at, n) : values);
	const counts = spread(raw.n, raw.at, n);
	const columns = { value: values, q25: column('q25'), q75: column('q75'), mad: spread(raw.mad, raw.at, n) };
	for (const failure of failures) if (failure.benchmark === null) for (const one of new Set(Object.values(columns))) one[failure.revision] ??= null;
	return Object.assign(line, columns, {
		ready: true,
		n: (r) => counts[r] || 0,
		levels: readLevels(spread(raw.level, raw.at, n), values),
		runs: numberRuns(spread(raw.epoch, raw.at, n), values),
		reused: new Map(raw.reused) /* revision: the one whose values it has */,
		skipped: new Set(raw.reused.filter((one) => one[2]).map((one) => one[0])),
	});
}

/** A jump of a line; `revision` makes of an id what it stands at. */
function readJump(line, raw, revision) {
	const [before, after] = [raw.before, raw.after].map(revision);
	const [oldLevel, newLevel] = [raw.old_level, raw.new_level];
	return { ...raw, line, before, after, oldLevel, newLevel, up: newLevel >= oldLevel, layout: raw.layout === true, generic: null };
}

/** A line; the values of one with a block of its own come with load(). */
function readLine(raw, index, model, revision) {
	const position = (i) => (raw.at ? raw.at[i] : i);
	const [first, firstValue] = raw.first || [null, null];
	const [last, lastValue] = raw.last || [null, null];
	const line = {
		...{ index, first, firstValue, last, lastValue },
		low: raw.low ?? Infinity,
		high: raw.high ?? -Infinity,
		name: raw.benchmark,
		metric: model.metrics.findIndex(({ name }) => name === raw.metric.name),
		judged: raw.judged,
		nodes: raw.nodes || null,
		block: raw.block || null,
		ready: false,
		misses: raw.misses.map(([i, outcome]) => ({ revision: raw.block ? i : position(i), outcome })),
		jumps: raw.jumps.map((jump) => ({ ...readJump(index, jump, revision), functions: null })),
	};
	if (line.block === null) readColumns(line, raw, model);
	return line;
}

/** Unpack the values of those lines that have not been unpacked yet. */
export async function load(model, lines) {
	for (const line of lines.filter((l) => !l.ready)) readColumns(line, await block(line.block), model);
	return lines;
}

/* ---- the whole ---- */

/**
 * The commit graph; `parents` are rows, null where one is not shown. `beside` has by line what is known of a commit
 * that was measured but is no revision of the evolution; its jumps have ids in place of revisions.
 */
function readHistory(raw, revision) {
	if (!raw) return null;
	const rows = new Map(raw.commits.map(({ id }, row) => [id, row]));
	const commits = raw.commits.map((commit, row) => ({
		...commit,
		row,
		time: seconds(commit.time),
		mc: commit.changed_methods,
		revision: commit.measured ? revision(commit.id) : null,
		parents: commit.parents.map((id) => rows.get(id) ?? null),
		beside: new Map(
			(commit.beside || []).map(([line, from, to, before, judged, jump]) => [
				line,
				{ from, to, before, judged: judged === 1, jump: jump && { ...readJump(line, jump, (id) => id), beside: true } },
			]),
		),
	}));
	const rowOf = new Map(commits.map((commit) => [commit.revision, commit.row]));
	return { ...raw, commits, rowOf: (r) => rowOf.get(r) };
}

const seconds = (time) => Date.parse(time) / 1000;

export function read(raw) {
	if (raw.format !== 4) throw new Error(`the data have layout ${raw.format}, and the page reads layout 4`);
	const index = new Map(raw.revisions.map(({ id }, r) => [id, r]));
	const revision = (id) => index.get(id) ?? null;
	const model = {
		...raw,
		generated: seconds(raw.generated),
		revisions: raw.revisions.map((one) => ({ ...one, time: seconds(one.time), mc: one.changed_methods })),
		metrics: [...new Map(raw.lines.map(({ metric }) => [metric.name, metric])).values()],
		failures: raw.failures.map((failure) => ({ ...failure, revision: revision(failure.revision) })),
		history: readHistory(raw.history, revision),
	};
	model.lines = raw.lines.map((line, i) => readLine(line, i, model, revision));
	model.benchmarks = [...new Set(model.lines.map((line) => line.name))];
	model.events = raw.events.map((event, i) => ({
		...event,
		commit: revision(event.commit),
		jumps: raw.event_jumps[i].map(([line, at, levels, functions, generic]) =>
			Object.assign(model.lines[line].jumps[at], { event: i, levels, functions, generic }),
		),
	}));
	model.jumps = model.events.flatMap((event) => event.jumps);
	return model;
}

/** The comparison that a jump leads to, as { number, pair }; null: there is none. */
export function comparisonOf(model, jump) {
	const { name } = model.lines[jump.line];
	for (const [number, entry] of model.comparisons.entries()) {
		const pair = entry.benchmarks.indexOf(name);
		if (entry.old.revision === jump.before && entry.new.revision === jump.after && (pair >= 0 || entry.benchmarks.length === 0))
			return { number, pair: Math.max(0, pair) };
	}
	return null;
}

/** The command that makes the comparison of a jump. */
export function compareCommand(model, jump) {
	const { name } = model.lines[jump.line];
	const quoted = /^[\w@%+=:,./-]+$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;
	const ids = [jump.before, jump.after].map((r) => (jump.beside ? r : model.revisions[r].id));
	return `perfevo compare ${ids.map(shortId).join(' ')} -b ${quoted}`;
}

/** Larger is worse or better by more; doubling and halving are equal, undefined is largest. */
export const jumpSize = (jump) => (jump.relative === null ? Infinity : Math.abs(Math.log1p(jump.relative)));

/** The last value of a line before a revision, as its index; null when there is none. */
export function previous(line, revision) {
	for (let r = revision - 1; r >= 0; r--) if (line.value[r] != null) return r;
	return null;
}

/**
 * The revisions to draw between two, in so many buckets: the lowest and the highest of each, so that no extreme is lost.
 * Ascending indices that have a value.
 */
export function thin(values, from, to, buckets) {
	const out = [];
	const size = Math.max(1, (to - from + 1) / buckets);
	let r = from;
	for (let end = from + size; r <= to; end += size) {
		const last = Math.min(to, Math.ceil(end) - 1);
		let low = -1;
		let high = -1;
		for (; r <= last; r++) {
			const v = values[r];
			if (v == null) continue;
			if (low < 0 || v < values[low]) low = r;
			if (high < 0 || v > values[high]) high = r;
		}
		if (low >= 0) out.push(Math.min(low, high));
		if (low !== high) out.push(Math.max(low, high));
	}
	return out;
}
