/*
 * Model: the data that the page carries, and how figures read. Nothing here touches the document.
 * The layout of the data is described in report/evolution_html.c.
 */
'use strict';

const perfevo = {};

/** Three significant digits and a fitting prefix, like pe_format_value(). */
perfevo.formatValue = (() => {
	const TIME = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's'], [60e9, 'min'], [3600e9, 'h']];
	const BYTES = [[1, 'B'], [1024, 'KiB'], [1048576, 'MiB'], [1073741824, 'GiB'], [1099511627776, 'TiB']];
	const COUNT = [[1e9, 'G'], [1e12, 'T'], [1e15, 'P']];
	const TIME_UNITS = new Map([['ns', 1], ['us', 1e3], ['µs', 1e3], ['ms', 1e6], ['s', 1e9]]);

	const grouped = (v) => v.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ',');
	const significant = (v) => String(Number(v.toPrecision(3)));

	function prefixed(v, table) {
		let best = 0;
		for (let i = 1; i < table.length; i++) {
			const least = table[i][0] / table[i - 1][0] === 60 ? 2.5 : 0.9995;
			if (v / table[i][0] >= least)
				best = i;
		}
		const [factor, name] = table[best];
		const scaled = v / factor;
		if (factor === 1 && Number.isInteger(scaled))
			return `${scaled} ${name}`;
		if (scaled < 0.9995)
			return `${significant(scaled)} ${name}`;
		return `${scaled.toFixed(scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0)} ${name}`;
	}

	return (value, unit) => {
		if (value === null || !Number.isFinite(value))
			return '–';
		const sign = value < 0 ? '−' : '';
		const v = Math.abs(value);
		if (TIME_UNITS.has(unit))
			return sign + prefixed(v * TIME_UNITS.get(unit), TIME);
		if (unit === 'bytes' || unit === 'B')
			return sign + prefixed(v, BYTES);
		const text = v >= 999.5e6 ? prefixed(v, COUNT) : v >= 999.5 ? grouped(v) : significant(v);
		return sign + text + (unit === '1' || unit === '' ? '' : ` ${unit}`);
	};
})();

/** "+12.3 %", "×3.4" from a factor of 3 on, "new" when undefined, like pe_format_change(). */
perfevo.formatChange = (relative) => {
	if (relative === null || !Number.isFinite(relative))
		return 'new';
	if (relative >= 2)
		return `×${(relative + 1).toFixed(relative + 1 < 9.95 ? 1 : 0)}`;
	const percent = Math.abs(relative) * 100;
	if (relative < -0.9995 && relative > -1)
		return `−${Math.min(percent, 99.99).toFixed(2)} %`;
	const sign = percent < 0.005 ? '' : relative < 0 ? '−' : '+';
	return `${sign}${Number(percent.toFixed(percent < 0.0995 ? 2 : percent < 99.95 ? 1 : 0))} %`;
};

perfevo.formatDate = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);
perfevo.shortId = (id) => id.slice(0, 8);

/** "3 regressions" */
perfevo.plural = (n, noun) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;

/** (to - from) / from; null where that is undefined. */
perfevo.relative = (from, to) => (from === null || to === null || !from ? null : (to - from) / from);

/** Spread a column over all revisions: null where there is a point without a figure, undefined without one. */
function spread(column, at, n) {
	if (!at)
		return column;
	const out = new Array(n);
	for (let i = 0; i < at.length; i++)
		out[at[i]] = column[i];
	return out;
}

/** A line with its figures by index of revision. */
function readLine(raw, index, n) {
	const at = raw.at;
	const position = (i) => (at ? at[i] : i);
	const count = raw.median.length;
	const median = spread(raw.median, at, n);
	const column = (key) => (raw[key] ? spread(raw[key], at, n) : median);
	const levels = raw.levels.map(([from, level], i) => ({
		from: position(from),
		to: position(i + 1 < raw.levels.length ? raw.levels[i + 1][0] - 1 : Math.max(0, count - 1)),
		level,
	})).filter((run) => run.level !== null);
	for (const run of levels)
		while (run.to > run.from && median[run.to] == null)
			run.to--;
	return {
		index, name: raw.name, metric: raw.metric, judged: raw.judged,
		median, q25: column('q25'), q75: column('q75'), min: column('min'), max: column('max'),
		mad: spread(raw.mad, at, n),
		n: typeof raw.n === 'number' ? (r) => (median[r] == null ? 0 : raw.n)
			: ((counts) => (r) => counts[r] || 0)(spread(raw.n, at, n)),
		levels,
		carried: new Map(raw.carried), /* revision: the one whose figures it has */
		misses: raw.misses.map(([i, outcome]) => ({ revision: position(i), outcome })),
		jumps: raw.jumps.map(([before, after, commits, oldLevel, newLevel, relative, low, high, regression]) => ({
			line: index, before, after, commits, oldLevel, newLevel, relative, low, high,
			regression: regression === 1, up: newLevel >= oldLevel,
		})),
	};
}

/** The first and last figure of a line, the extremes of its medians. */
function measureLine(line) {
	line.first = null;
	line.last = null;
	line.low = Infinity;
	line.high = -Infinity;
	for (let r = 0; r < line.median.length; r++) {
		const v = line.median[r];
		if (v == null)
			continue;
		if (line.first === null)
			line.first = r;
		line.last = r;
		line.low = Math.min(line.low, v);
		line.high = Math.max(line.high, v);
	}
	return line;
}

perfevo.read = (text) => {
	const raw = JSON.parse(text);
	const n = raw.revisions.length;
	const model = {
		version: raw.version, project: raw.project, machine: raw.machine, generated: raw.generated,
		carried: raw.carried,
		revisions: raw.revisions.map(([id, time, author, subject, decoration]) => (
			{ id, time, author, subject, decoration })),
		metrics: raw.metrics,
		lines: raw.lines.map((line, i) => measureLine(readLine(line, i, n))),
		failures: raw.failures, leftOut: raw.left_out,
	};
	/* a build that failed is a gap in every line, as a benchmark that failed is in its own */
	for (const failure of model.failures)
		for (const line of failure.benchmark === null ? model.lines : [])
			for (const column of new Set([line.median, line.q25, line.q75, line.min, line.max, line.mad]))
				column[failure.revision] ??= null;
	model.benchmarks = [...new Set(model.lines.map((line) => line.name))];
	model.jumps = model.lines.flatMap((line) => line.jumps);
	return model;
};

/** Larger is worse or better by more; doubling and halving are equal, undefined is largest. */
perfevo.jumpSize = (jump) => (jump.relative === null ? Infinity : Math.abs(Math.log1p(jump.relative)));

/** The last figure of a line before a revision, as its index; null when there is none. */
perfevo.previous = (line, revision) => {
	for (let r = revision - 1; r >= 0; r--)
		if (line.median[r] != null)
			return r;
	return null;
};

/**
 * The revisions to draw between two: all of them while they are few, else the lowest and the highest of each
 * bucket, so that no extreme is lost. Returns ascending indices that have a figure.
 */
perfevo.thin = (values, from, to, buckets) => {
	const out = [];
	const size = Math.max(1, (to - from + 1) / buckets);
	for (let start = from; start <= to; start += size) {
		let low = -1;
		let high = -1;
		const end = Math.min(to, Math.ceil(start + size) - 1);
		for (let r = Math.ceil(start); r <= end; r++) {
			if (values[r] == null)
				continue;
			if (low < 0 || values[r] < values[low])
				low = r;
			if (high < 0 || values[r] > values[high])
				high = r;
		}
		if (low < 0)
			continue;
		out.push(Math.min(low, high));
		if (low !== high)
			out.push(Math.max(low, high));
	}
	return out;
};
