/*
 * Paint: what canvases of the page have in common. Colours, marks, thinned lines and small charts of one line.
 */
import { jumpPath, LINE_COLOURS } from './graph.js';
import { levelAt, thin } from './model.js';

export const MANY_LINES = 24; /* from which on not every pixel of theirs can be seen */
export const DASHES = [[], [9, 4], [2, 3], [11, 3, 2, 3]];

/** Colours of the page as it looks now. */
export function palette() {
	const style = getComputedStyle(document.documentElement);
	const get = (name) => style.getPropertyValue(name).trim();
	return {
		ink: get('--ink'),
		dim: get('--dim'),
		grid: get('--line'),
		card: get('--card'),
		accent: get('--accent'),
		bad: get('--bad'),
		good: get('--good'),
		fail: get('--fail'),
		soft: get('--soft'),
		lines: Array.from({ length: LINE_COLOURS }, (_, i) => get(`--l${i}`)),
	};
}

/** A canvas as large as it is shown, cleared; its context measures in CSS pixels. */
export function prepareCanvas(canvas) {
	const ratio = window.devicePixelRatio || 1;
	const width = canvas.clientWidth;
	const height = canvas.clientHeight;
	canvas.width = Math.round(width * ratio);
	canvas.height = Math.round(height * ratio);
	const context = canvas.getContext('2d');
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.clearRect(0, 0, width, height);
	return { context, width, height };
}

/** ▲ for a regression, ▼ for an improvement, in the shapes of jumpPath(). */
export function drawMark(context, x, y, size, jump, colours) {
	const { triangle, bar } = jumpPath(jump, size);
	const colour = jump.state === 'accepted' ? colours.dim : jump.regression ? colours.bad : colours.good;
	const shape = new Path2D(triangle);
	context.save();
	context.translate(x, y);
	context.lineJoin = 'round';
	context.strokeStyle = colours.card;
	context.lineWidth = Math.max(3, size / 2);
	context.stroke(shape);
	context.fillStyle = jump.state === 'suspect' ? colours.card : colour;
	context.strokeStyle = colour;
	context.lineWidth = Math.max(1.2, size / 5);
	context.fill(shape);
	context.stroke(shape);
	if (bar !== '') context.stroke(new Path2D(bar));
	context.restore();
}

/** ◇ for a value that was reused: measured ones are filled discs. */
export function drawCarried(context, x, y, size, stroke, colours) {
	context.beginPath();
	context.moveTo(x, y - size);
	context.lineTo(x + size, y);
	context.lineTo(x, y + size);
	context.lineTo(x - size, y);
	context.closePath();
	context.fillStyle = colours.card;
	context.strokeStyle = stroke;
	context.lineWidth = size / 3;
	context.fill();
	context.stroke();
}

/** A line between two heights on its own scale, thinned to the pixels there are. */
export function strokeLine(context, line, from, to, x, top, bottom, colour, width) {
	if (line.first === null) return;
	const least = Math.abs(line.high) * 0.05; /* so that noise stays flat */
	const span = Math.max(line.high - line.low, least) || 1;
	const base = line.low - Math.max(0, least - (line.high - line.low)) / 2;
	const y = (v) => bottom - ((v - base) / span) * (bottom - top);
	context.beginPath();
	thin(line.value, from, to, Math.max(50, x(to) - x(from))).forEach((r, i) => {
		if (i === 0) context.moveTo(x(r), y(line.value[r]));
		else context.lineTo(x(r), y(line.value[r]));
	});
	context.strokeStyle = colour;
	context.lineWidth = width;
	context.stroke();
	return y;
}

/** The small chart of one line. */
export function drawMini(canvas, line, n, colours) {
	const { context, width, height } = prepareCanvas(canvas);
	const x = (r) => 4 + (n > 1 ? r / (n - 1) : 0.5) * (width - 8);
	const y = strokeLine(context, line, 0, n - 1, x, 12, height - 12, colours.lines[0], 1.5);
	if (!y) return;
	context.fillStyle = colours.fail;
	for (const miss of line.misses) context.fillRect(x(miss.revision) - 0.75, height - 4, 1.5, 4);
	for (const jump of line.jumps) drawMark(context, x(jump.after), y(levelAt(line, jump.after, jump.newLevel)) + (jump.up ? -6 : 6), 4.5, jump, colours);
}
