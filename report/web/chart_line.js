/* Chart line: a line over the revisions as a path, for the chart, the strip below it and small charts. */
import { LINE_COLOURS } from './graph.js';
import { thin } from './model.js';

export const colourOf = (line) => `var(--l${line.slot % LINE_COLOURS})`;

/** The revisions of a line that are drawn, in runs that nothing breaks, and no more of them than so many buckets can show. */
export function runsOf(line, from, to, buckets, isDrawn = () => true) {
	const runs = [];
	let last = null;
	for (const r of thin(line.value, from, to, buckets).filter(isDrawn)) {
		if (line.runs[r] !== last) runs.push([]);
		last = line.runs[r];
		runs.at(-1).push(r);
	}
	return runs;
}

const points = (run, x, y) => run.map((r) => `${x(r).toFixed(1)} ${y(r).toFixed(1)}`).join('L');

/** A run of one revision is a dot where the ends of lines are round. */
export const pathOf = (runs, x, y) => runs.map((run) => `M${points(run, x, y)}h0`).join('');

/** The area between two heights. */
export const areaOf = (runs, x, high, low) => runs.map((run) => `M${points(run, x, high)}L${points([...run].reverse(), x, low)}Z`).join('');

/** A line between two heights on its own scale: its path, and where a value stands. */
export function smallLine(line, last, x, top, bottom) {
	const least = Math.abs(line.high) * 0.05; /* so that noise stays flat */
	const span = Math.max(line.high - line.low, least) || 1;
	const base = line.low - Math.max(0, least - (line.high - line.low)) / 2;
	const y = (v) => bottom - ((v - base) / span) * (bottom - top);
	return { y, path: pathOf(runsOf(line, 0, last, Math.max(50, x(last) - x(0))), x, (r) => y(line.value[r])) };
}
