/*
 * The evolution chart as a picture that stands alone: what the screen shows, from the same scales, as shapes.
 */
import { svg, svgDocument } from './dom.js';
import { jumpMark, jumpStateText, LINE_COLOURS } from './graph.js';
import { formatChange, thin } from './model.js';

const LEGEND_ROW = 18;
const MOST_NAMED = 40; /* lines in the legend */
const SIDE = 260; /* of the legend */

/** Runs of values as one path: gaps break it, points that were reused do not. */
function pathOf(values, from, to, x, y) {
	let d = '';
	let pen = 'M';
	for (let r = from; r <= to; r++) {
		if (values[r] === null) pen = 'M';
		if (values[r] == null) continue;
		d += `${pen}${x(r).toFixed(1)} ${y(values[r]).toFixed(1)}`;
		pen = 'L';
	}
	return d;
}

/** No more points than there are pixels to show them; gaps stay where they are. */
function thinned(values, from, to, width) {
	if (to - from < 3 * width) return values;
	const out = new Array(values.length);
	for (const r of thin(values, from, to, width)) out[r] = values[r];
	for (let r = from; r <= to; r++) if (values[r] === null) out[r] = null;
	return out;
}

function axes(chart, u, frame) {
	const parts = [];
	const [, axis] = u.axes;
	const labels = axis._values || [];
	(axis._splits || []).forEach((v, i) => {
		const at = u.valToPos(v, 'y') + frame.top;
		if (labels[i] == null || at < frame.top - 1 || at > frame.top + frame.height + 1) return;
		parts.push(
			svg('path', { d: `M${frame.left} ${at}h${frame.width}`, stroke: 'var(--line)' }),
			svg('text', { x: frame.left - 8, y: at + 4, 'text-anchor': 'end', fill: 'var(--dim)' }, String(labels[i])),
		);
	});
	(u.axes[0]._splits || []).forEach((r) => {
		const at = u.valToPos(r, 'x') + frame.left;
		if (at < frame.left || at > frame.left + frame.width) return;
		chart
			.revisionLabel(r)
			.split('\n')
			.forEach((text, i) =>
				parts.push(svg('text', { x: at, y: frame.top + frame.height + 18 + 14 * i, 'text-anchor': 'middle', fill: 'var(--dim)' }, text)),
			);
	});
	return parts;
}

function lineShapes(chart, u, line, frame) {
	const from = Math.max(0, Math.floor(chart.view.min) - 1);
	const to = Math.min(chart.last, Math.ceil(chart.view.max) + 1);
	const x = (r) => u.valToPos(r, 'x') + frame.left;
	const y = (v) => u.valToPos(chart.transform(line, v), 'y') + frame.top;
	const values = line.value;
	const colour = `var(--l${line.slot % LINE_COLOURS})`;
	const path = pathOf(thinned(values, from, to, frame.width), from, to, x, y);
	const parts = [svg('path', { d: path, fill: 'none', 'stroke-width': 1.8, 'stroke-linejoin': 'round', ...strokeOf(chart, line) })];
	if (chart.hasBands() && line.q75 !== line.value && to - from < 3 * frame.width)
		for (const key of ['q25', 'q75'])
			parts.push(svg('path', { d: pathOf(line[key], from, to, x, y), fill: 'none', stroke: colour, 'stroke-width': 0.8, 'stroke-opacity': 0.45 }));
	for (let r = Math.max(0, from); to - from < frame.width / 6 && r <= to; r++)
		if (values[r] != null)
			parts.push(
				line.reused.has(r)
					? svg('path', { d: `M${x(r)} ${y(values[r]) - 4}l4 4l-4 4l-4 -4Z`, fill: 'var(--card)', stroke: colour })
					: svg('circle', { cx: x(r), cy: y(values[r]), r: 2.5, fill: colour }),
			);
	return parts;
}

function jumpShapes(chart, frame) {
	return chart.places.map(({ jump, x, y }) => {
		const title = `${chart.model.lines[jump.line].name}: ${formatChange(jump.relative)}, ${jumpStateText(jump)}`;
		const at = `translate(${(x + frame.left).toFixed(1)} ${(y + frame.top).toFixed(1)})`;
		return svg('g', { transform: at }, svg('title', title), jumpMark(jump, 7.5));
	});
}

/** How a line is drawn. */
const strokeOf = (chart, line) => ({ stroke: `var(--l${line.slot % LINE_COLOURS})`, 'stroke-dasharray': chart.dashOf(line).join(' ') || null });

function legend(chart, left, top) {
	const rest = chart.lines.length - MOST_NAMED;
	const entries = chart.lines.slice(0, MOST_NAMED).map((line, i) => {
		const name = line.name.length > 34 ? `${line.name.slice(0, 33)}…` : line.name;
		const sample = svg('path', { d: 'M0 0h22', 'stroke-width': 3, ...strokeOf(chart, line) });
		return svg('g', { transform: `translate(${left} ${top + i * LEGEND_ROW})` }, sample, svg('text', { x: 30, y: 4, fill: 'var(--ink)' }, name));
	});
	const more = () => svg('text', { x: left, y: top + MOST_NAMED * LEGEND_ROW + 4, fill: 'var(--dim)' }, `and ${rest} more`);
	return [entries, rest > 0 ? more() : ''];
}

/** @param title  of the picture; heading: what the axis shows */
export function chartSvg(chart, title, heading) {
	const u = chart.plot;
	const ratio = window.devicePixelRatio || 1;
	const frame = { left: u.bbox.left / ratio, top: u.bbox.top / ratio + 34, width: u.bbox.width / ratio, height: u.bbox.height / ratio };
	const width = frame.left + frame.width + SIDE;
	const height = Math.max(frame.top + frame.height + 44, 60 + Math.min(MOST_NAMED + 1, chart.lines.length) * LEGEND_ROW);
	const clip = svg('clipPath', { id: 'plot' }, svg('rect', { x: frame.left, y: frame.top - 20, width: frame.width, height: frame.height + 24 }));
	const lines = chart.lines.map((line) => lineShapes(chart, u, line, frame));
	const parts = [
		clip,
		svg('text', { x: frame.left, y: 18, 'font-size': 14, 'font-weight': 600, fill: 'var(--ink)' }, title),
		svg('text', { x: frame.left, y: 36, fill: 'var(--dim)' }, heading),
		axes(chart, u, frame),
		svg('g', { 'clip-path': 'url(#plot)' }, lines, jumpShapes(chart, frame)),
		legend(chart, frame.left + frame.width + 20, frame.top + 8),
	];
	return svgDocument(width, height, parts, title);
}
