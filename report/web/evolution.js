/*
 * Evolution: benchmarks over the revisions. Controls, legend and small charts around the chart; the table of
 * jumps, the details of a revision and the failures below it.
 */
import { $, el, fileName, placeTip, svg } from './dom.js';
import { Chart } from './chart.js';
import { JumpTable } from './jumps.js';
import { reusedText, changeText, Details, jumpBadge, logOf } from './details.js';
import { comparisonOf, formatChange, formatDate, formatValue, jumpSize, load, plural, relativeChange, shortId } from './model.js';
import { colourOf } from './chart_line.js';
import { miniChart } from './chart_strips.js';
import { jumpStateText, LINE_COLOURS } from './graph.js';

const MOST_SHOWN = 8; /* lines at first, where there are more benchmarks than that */
const MOST_LEGEND = 400;
const MOST_CARDS = 48;
const LINE_STYLES = ['solid', 'dashed', 'dotted', 'dashed'];

/** A line's name, and where a farm measured it. */
const placed = (line) => (line.nodes ? `${line.name}, measured on ${line.nodes}` : line.name);

export class Evolution {
	/** on: { open(commit id | null) } says which revision's details the address should name */
	constructor(model, on) {
		Object.assign(this, { model, on });
		this.index = new Map(model.lines.map((line) => [`${line.metric} ${line.name}`, line]));
		this.rank();
		this.state = { metric: this.firstMetric(), scale: 'fit', band: true, visible: this.firstVisible(), filter: '', allCards: false };
		this.state.scale = this.fittingScale();
		/* few benchmarks keep their colours for good */
		this.slots = new Map(this.many ? [] : model.benchmarks.map((name, i) => [name, i]));
		this.assignSlots();
		this.tip = el('div.tip', { hidden: true, id: 'tip' });
		$('chart').parentElement.append(this.tip);
		this.details = new Details($('details'), model, {
			close: () => {
				this.on.open(null);
				$('chart').focus();
			},
		});
		this.jumps = new JumpTable(model, { show: (jump) => this.goTo(jump) });
		this.chart = new Chart($('chart'), $('rail'), $('overview'), model, {
			hover: (line, r, place) => this.hover(line, r, place),
			failed: (r, whats, place) => this.failed(r, whats, place),
			leave: () => {
				this.tip.hidden = true;
			},
			pick: (line, r) => this.pick(line, r),
			jump: (jump) => this.openJump(jump),
		});
		this.cardLines = new Map();
		this.seen = new IntersectionObserver((entries) => entries.filter((entry) => entry.isIntersecting).forEach((entry) => this.drawCard(entry.target)), {
			rootMargin: '200px',
		});
		this.bind();
	}

	/** Benchmarks by how much they moved, those with regressions first. */
	rank() {
		this.sizes = new Map(this.model.benchmarks.map((name) => [name, 0]));
		for (const jump of this.model.jumps) {
			const { name } = this.model.lines[jump.line];
			this.sizes.set(name, Math.max(this.sizes.get(name), jumpSize(jump) + (jump.regression ? 100 : 0)));
		}
		this.ranked = [...this.model.benchmarks].sort((a, b) => this.sizes.get(b) - this.sizes.get(a) || (a < b ? -1 : 1));
		this.many = this.model.benchmarks.length > MOST_SHOWN;
	}

	/** That of the leading jump; without any, the time. */
	firstMetric() {
		const [worst] = this.model.events;
		if (worst) return this.model.lines[worst.jumps[0].line].metric;
		const wall = this.model.metrics.findIndex((metric) => metric.name === 'wall');
		const judged = this.model.lines.find((line) => line.judged);
		return wall >= 0 ? wall : judged ? judged.metric : 0;
	}

	firstVisible() {
		if (!this.many) return new Set(this.model.benchmarks);
		const moved = this.ranked.filter((name) => this.sizes.get(name) > 0);
		return new Set((moved.length > 0 ? moved : this.ranked).slice(0, MOST_SHOWN));
	}

	lineOf(name) {
		return this.index.get(`${this.state.metric} ${name}`);
	}

	unitOf(line) {
		return this.model.metrics[line.metric].unit;
	}

	/**
	 * Colour and dash of a benchmark: of many, those that are shown take the first that are free, so that
	 * neighbours differ.
	 */
	assignSlots() {
		const { slots, state } = this;
		for (const name of this.many ? [...slots.keys()] : []) if (!state.visible.has(name)) slots.delete(name);
		const taken = new Set(slots.values());
		let free = 0;
		for (const name of state.visible) {
			if (slots.has(name)) continue;
			while (taken.has(free)) free++;
			taken.add(free);
			slots.set(name, free);
		}
		for (const line of this.model.lines) line.slot = slots.has(line.name) ? slots.get(line.name) : null;
	}

	shownLines() {
		return this.model.lines.filter((line) => line.metric === this.state.metric && line.first !== null && this.state.visible.has(line.name));
	}

	/** Lines of one size share their scale; else only their course can be compared. */
	fittingScale() {
		const lines = this.shownLines();
		const low = Math.min(...lines.map((line) => line.low));
		const high = Math.max(...lines.map((line) => line.high));
		const hasShare = lines.every((line) => line.firstValue > 0);
		return lines.length > 1 && hasShare && high / low > 4 ? 'percent' : 'fit';
	}

	/* ---- tooltip ---- */

	commitLines(r) {
		const revision = this.model.revisions[r];
		return [
			el('div', el('code', shortId(revision.id)), ' ', el('span.subject', revision.subject)),
			el('div.dim', `${revision.author}, ${formatDate(revision.time)}`),
		];
	}

	swatch(line) {
		const mark = el('span.swatch');
		mark.style.borderTopColor = line.slot === null ? 'var(--line)' : colourOf(line);
		if (line.slot !== null) mark.style.borderTopStyle = LINE_STYLES[Math.floor(line.slot / LINE_COLOURS) % LINE_STYLES.length];
		return mark;
	}

	hover(line, r, place) {
		const unit = this.unitOf(line);
		const change = changeText(line, r);
		const jump = line.jumps.find((j) => j.after === r);
		const reused = reusedText(this.model, line, r);
		this.tip.replaceChildren(
			el('div.name', this.swatch(line), placed(line)),
			el(
				'div',
				el('span.value', formatValue(line.value[r], unit)),
				change ? el('span.dim', `  ${change}${jump ? ' at this jump' : ' against the one before'}`) : '',
			),
			jump ? el('div', jumpBadge(jump), el('span.dim', ` ${jumpStateText(jump)}`)) : '',
			reused ? el('div', `◇ ${reused}`) : '',
			...this.commitLines(r),
			el(
				'div.dim',
				`${plural(line.n(r), 'run')}, MAD ${formatValue(line.mad[r], unit)}, ` +
					`middle 50 % ${formatValue(line.q25[r], unit)} to ${formatValue(line.q75[r], unit)}`,
			),
		);
		placeTip(this.tip, place);
		$('spoken').textContent = `${line.name}, ${shortId(this.model.revisions[r].id)}: ${formatValue(line.value[r], unit)} ${change} ${reused}`.trimEnd();
	}

	failed(r, whats, place) {
		this.tip.replaceChildren(...whats.map((what) => el('div.name', what.text)), ...this.commitLines(r));
		placeTip(this.tip, { x: place.x, y: place.y - this.tip.offsetHeight / 2 - 14 });
	}

	/* ---- details ---- */

	pick(line, r) {
		this.picked = line;
		this.on.open(this.model.revisions[r].id);
	}

	/** A jump leads to its comparison, where there is one. */
	openJump(jump) {
		const found = comparisonOf(this.model, jump);
		if (found !== null) {
			location.hash = `#/compare/${found.number}/${found.pair}`;
			return;
		}
		this.pick(this.model.lines[jump.line], jump.after);
		$('details').scrollIntoView({ block: 'nearest' });
	}

	/** The details of the revision with this id; without one, none. */
	update(id) {
		const r = id ? this.model.revisions.findIndex((revision) => revision.id.startsWith(id)) : -1;
		if (r < 0) $('details').hidden = true;
		else this.details.show(this.picked || null, r, this.state.metric, this.state.visible);
	}

	/* ---- chart ---- */

	unitText(metric) {
		if (this.state.scale === 'percent') return `, percent of the first value${this.chart.isLogarithmic() ? ' (logarithmic)' : ''}`;
		return ['ns', 'bytes', '1'].includes(metric.unit) ? '' : `, ${metric.unit}`;
	}

	axisText() {
		const metric = this.model.metrics[this.state.metric];
		return metric ? `${metric.label}${this.unitText(metric)}; ${metric.better} is better` : '';
	}

	/** At once where the lines are unpacked; else as soon as they are, unless others are wanted by then. */
	drawChart() {
		const lines = this.shownLines();
		this.drawing = lines;
		if (lines.every((line) => line.ready)) {
			this.showLines(lines);
			return null;
		}
		return load(this.model, lines).then(() => {
			if (this.drawing === lines) this.showLines(lines);
		});
	}

	showLines(lines) {
		const { state, chart } = this;
		$('scale').value = state.scale;
		chart.show(lines, { metric: state.metric, scale: state.scale, band: state.band });
		const jumps = lines.reduce((sum, line) => sum + line.jumps.length, 0);
		const metric = this.model.metrics[state.metric];
		$('axis').textContent = this.axisText();
		$('chart').setAttribute(
			'aria-label',
			metric
				? `${metric.label} of ${plural(lines.length, 'benchmark')} over ` +
						`${plural(this.model.revisions.length, 'revision')}, ${plural(jumps, 'jump')}`
				: 'Nothing was measured',
		);
		$('chart-svg').disabled = lines.length === 0;
	}

	/* ---- legend ---- */

	matches(name) {
		return name.toLowerCase().includes(this.state.filter.toLowerCase());
	}

	toggle(line, entry) {
		const { visible } = this.state;
		if (visible.has(line.name)) visible.delete(line.name);
		else visible.add(line.name);
		entry.setAttribute('aria-pressed', String(visible.has(line.name)));
		this.assignSlots();
		entry.replaceChild(this.swatch(line), entry.firstChild);
		this.drawChart();
		this.markCards();
	}

	legendEntry(line) {
		const { visible } = this.state;
		const worse = line.jumps.filter((jump) => jump.regression).length;
		const better = line.jumps.length - worse;
		const marks = (n, sign, kind, noun) => (n === 0 ? '' : el('span', { className: `marks ${kind}`, title: plural(n, noun) }, sign.repeat(Math.min(n, 3))));
		const latest = line.last === null ? 'not measured' : formatValue(line.lastValue, this.unitOf(line));
		const moved = [marks(worse, '▲', 'bad', 'regression'), marks(better, '▼', 'good', 'improvement')];
		const label = [this.swatch(line), el('span.label', line.name), el('span.latest', latest, moved)];
		const entry = el('button.entry', { title: placed(line), 'aria-pressed': String(visible.has(line.name)) }, label);
		entry.onclick = () => this.toggle(line, entry);
		const only = el('button.quiet.only', { 'aria-label': `Only ${line.name}` }, 'only');
		only.onclick = () => this.choose([line.name]);
		const enter = () => visible.has(line.name) && this.chart.highlight(line.index);
		return el('li', { onmouseenter: enter, onmouseleave: () => this.chart.highlight(null) }, entry, only);
	}

	drawLegend() {
		const lines = this.ranked.map((name) => this.lineOf(name)).filter((line) => line && this.matches(line.name));
		const ordered = this.many ? lines : [...lines].sort((a, b) => a.slot - b.slot);
		$('legend').replaceChildren(...ordered.slice(0, MOST_LEGEND).map((line) => this.legendEntry(line)));
		if (ordered.length > MOST_LEGEND) $('legend').append(el('li.dim', `and ${ordered.length - MOST_LEGEND} more: filter by name`));
		if (ordered.length === 0) $('legend').append(el('li.dim', 'No benchmark has that name.'));
	}

	/** Show these benchmarks and no others. */
	choose(names) {
		this.state.visible = new Set(names);
		this.state.scale = this.fittingScale();
		this.assignSlots();
		this.drawLegend();
		this.markCards();
		return this.drawChart();
	}

	/** Put a jump into the middle of the chart. */
	async goTo(jump) {
		const line = this.model.lines[jump.line];
		this.state.metric = line.metric;
		$('metric').value = String(line.metric);
		const pending = this.choose([line.name]);
		if (pending) await pending;
		const around = Math.max(12, Math.min(60, Math.round(this.model.revisions.length / 8)));
		this.chart.setView({ min: jump.before - around, max: jump.after + around });
		this.pick(line, jump.after);
		$('chart').scrollIntoView({ block: 'center' });
		$('chart').focus({ preventScroll: true });
		this.chart.point(line, jump.after);
	}

	/* ---- small multiples ---- */

	/** At once where the line is unpacked, else when it comes into view. */
	async drawCard(picture) {
		const line = this.cardLines.get(picture);
		this.seen.unobserve(picture);
		await load(this.model, [line]);
		picture.replaceChildren(...miniChart(line, this.model.revisions.length));
	}

	card(line) {
		const picture = svg('svg', { viewBox: '0 0 220 54', 'aria-hidden': 'true' });
		const whole = relativeChange(line.firstValue, line.lastValue);
		const kind = line.jumps.length === 0 ? 'dim' : line.jumps.some((jump) => jump.regression) ? 'bad' : 'good';
		const unit = this.unitOf(line);
		const change = line.jumps.length > 0 ? `${formatChange(whole)} in all` : `${whole ? '~' : ''}${formatChange(whole)}`;
		const button = el(
			'button.mini',
			{ title: line.name, 'aria-pressed': 'false', dataset: { name: line.name } },
			el('span.row', el('span.label', line.name), el('span', { className: kind }, change)),
			picture,
			el('span.row.dim', `${formatValue(line.firstValue, unit)} → ${formatValue(line.lastValue, unit)}`),
		);
		button.onclick = async () => {
			await this.choose([line.name]);
			this.chart.setView(this.chart.whole());
			$('chart').scrollIntoView({ block: 'center' });
		};
		this.cardLines.set(picture, line);
		if (line.ready) this.drawCard(picture);
		else this.seen.observe(picture);
		return button;
	}

	drawCards() {
		const all = this.state.allCards;
		this.seen.disconnect();
		this.cardLines.clear();
		$('multiples').hidden = !this.many;
		if (!this.many) return;
		const lines = this.ranked.map((name) => this.lineOf(name)).filter((line) => line && line.first !== null && this.matches(line.name));
		$('cards').replaceChildren(...(all ? lines : lines.slice(0, MOST_CARDS)).map((line) => this.card(line)));
		$('cards-more').hidden = all || lines.length <= MOST_CARDS;
		$('cards-more').textContent = `Show all ${lines.length}`;
		this.markCards();
	}

	markCards() {
		for (const button of $('cards').children) button.setAttribute('aria-pressed', String(this.state.visible.has(button.dataset.name)));
	}

	/* ---- the rest ---- */

	drawTiles() {
		const { model } = this;
		const tile = (n, text, mark = '', kind = '') => el('div.tile', el('b', { className: kind }, `${mark}${n.toLocaleString('en')}`), el('span', text));
		const events = (standing, kind) => model.events.filter((event) => event.standing === standing && (!kind || event.class === kind)).length;
		const moved = (n, ...rest) => (n > 0 ? tile(n, ...rest) : '');
		const confirmed = (kind, ...rest) => moved(events('confirmed', kind), ...rest) || (rest[1] ? tile(0, rest[0]) : '');
		const count = ({ length }, noun) => tile(length, length === 1 ? noun : `${noun}s`);
		$('tiles').title = model.headline;
		$('tiles').replaceChildren(
			confirmed('slower', 'slower', '▲ ', 'bad'),
			confirmed('faster', 'faster', '▼ ', 'good'),
			confirmed('mixed', 'mixed'),
			confirmed('counts', 'memory or counts'),
			confirmed('layout', 'layout alone'),
			moved(events('suspected'), 'suspected'),
			moved(events('accepted'), 'accepted'),
			count(model.benchmarks, 'benchmark'),
			count(model.revisions, 'commit'),
			tile(new Set(model.failures.map((failure) => failure.revision)).size, 'with failures'),
		);
	}

	drawFailures() {
		const { model } = this;
		$('failures').hidden = model.failures.length === 0;
		const rows = model.failures.map((failure) => {
			const { subject, id } = model.revisions[failure.revision];
			const go = el('button.quiet.mono', shortId(id));
			go.onclick = () => {
				this.pick(null, failure.revision);
				$('details').focus();
			};
			const status = failure.status ? ` (${failure.outcome === 'crashed' ? 'signal' : 'status'} ${failure.status})` : '';
			const what = failure.benchmark === null ? 'the build' : failure.benchmark;
			return el('tr', el('td.name', go, el('div.dim', subject)), el('td.name', what), el('td', failure.outcome + status), el('td', logOf(failure)));
		});
		$('failure-rows').replaceChildren(...rows);
		$('left-out').hidden = model.left_out.length === 0;
		$('left-out-rows').replaceChildren(...model.left_out.map((test) => el('li', el('strong', test.name), `: ${test.reason}`)));
	}

	drawHelp() {
		const { model } = this;
		$('chart-help').textContent =
			'Drag to zoom, double-click for everything; Ctrl + wheel zooms, Shift + drag or the strip above pans. ' +
			'Click a point for its commit, a jump for what changed. Keys: arrows, + − 0, Enter. ▲ regression, ▼ improvement, △ ▽ suspected, ' +
			`over a bar: accepted; ✕ build failed, ○ benchmark failed${model.reused ? ', ◇ reused from an identical build' : ''}.`;
	}

	bind() {
		const { state, chart } = this;
		$('metric').replaceChildren(...this.model.metrics.map((metric, i) => el('option', { value: String(i) }, metric.label)));
		$('metric').value = String(state.metric);
		$('metric').onchange = () => {
			state.metric = Number($('metric').value);
			state.scale = this.fittingScale();
			this.redraw();
		};
		$('scale').onchange = () => {
			state.scale = $('scale').value;
			this.drawChart();
		};
		$('band').onchange = () => {
			state.band = $('band').checked;
			this.drawChart();
		};
		$('filter').oninput = () => {
			state.filter = $('filter').value;
			this.drawLegend();
			this.jumps.draw((name) => this.matches(name));
			this.drawCards();
		};
		$('show-all').onclick = () => this.choose(this.model.benchmarks.filter((name) => this.matches(name)));
		$('show-jumps').onclick = () => this.choose(this.model.benchmarks.filter((name) => this.sizes.get(name) > 0));
		$('zoom-in').onclick = () => chart.zoom(0.6);
		$('zoom-out').onclick = () => chart.zoom(1 / 0.6);
		$('zoom-all').onclick = () => chart.setView(chart.whole());
		$('cards-more').onclick = () => {
			state.allCards = true;
			this.drawCards();
		};
		$('chart-svg').onclick = () => this.download();
	}

	download() {
		const project = this.model.project || 'perfevo';
		const metric = this.model.metrics[this.state.metric];
		this.chart.save(fileName([project, 'evolution', metric.name], 'svg'), `${project}: evolution`, this.axisText());
	}

	redraw() {
		this.drawLegend();
		this.drawCards();
		return this.drawChart();
	}

	async mount(id) {
		if (!this.mounted) {
			this.mounted = true;
			this.drawTiles();
			this.drawHelp();
			this.jumps.draw((name) => this.matches(name));
			this.drawFailures();
			await this.redraw();
		}
		this.update(id);
	}
}
