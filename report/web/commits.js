/*
 * Commits: the commit graph, newest on top, with a spark circle in place of the dot. Only the rows that are on
 * the screen are in the document, so that ten thousand commits scroll like ten.
 */
import * as spark from './graph.js';
import { $, copyButton, el, fact, fileName, icon, placeTip, savePicture, svg } from './dom.js';
import { drawEdges, jumpMark, jumpSign, jumpSource, jumpStanding, jumpStateText, laneScale, LINE_COLOURS } from './graph.js';
import { formatChange, formatDate, formatValue, jumpSize, load, plural, shortId } from './model.js';

const ROW = 32; /* pixels */
const RADIUS = 13; /* of a spark circle */
const HOLE = 3.4;
const BEYOND = 12; /* rows kept above and below what is shown */
const MOST_TOLD = 6; /* jumps beside the pointer */
const FIRST_KINDS = ['methods', 'allocations', 'wall'];

/** "+33.6 %" of a jump, "~+1.8 %" of a difference that is none. */
const changeText = (s) => (s.noise ? '~' : '') + formatChange(s.value);

function chip(fill, border, style = 'solid') {
	const mark = el('span.chip');
	Object.assign(mark.style, { background: fill, borderColor: border, borderStyle: style });
	return mark;
}

/** What a sector says, in words. */
function sectorText(s, unit) {
	if (s.kind.metric === null) return s.known ? plural(s.value, 'changed method').replace(/^0 /, 'no ') : 'changed methods unknown';
	if (s.jump) return `${s.kind.label} ${formatChange(s.value)}, ${jumpStanding(s.jump)}, ${jumpSource(s.jump)}`;
	if (s.known)
		return `${s.kind.label} ${changeText(s)} (${formatValue(s.from, unit)} → ${formatValue(s.to, unit)}${s.noise ? ' as measured' : ''}, against ${shortId(s.before)})`;
	if (s.to === null || s.to === undefined) return `${s.kind.label} not measured`;
	return s.before
		? `${s.kind.label} ${formatValue(s.to, unit)}, after ${formatValue(s.from, unit)}`
		: `${s.kind.label} ${formatValue(s.to, unit)}, nothing measured before it`;
}

export class Commits {
	/** on: { compare(jump) } leads to the comparison of a jump or says how to get it, as an element */
	constructor(model, on) {
		this.model = model;
		this.on = on;
		this.history = model.history;
		this.kinds = spark.sectorKinds(model);
		this.chosen = new Set(FIRST_KINDS.filter((key) => this.kinds.some((kind) => kind.key === key)));
		this.benchmark = this.firstBenchmark();
		this.filter = '';
		this.which = 'all';
		this.active = 0; /* index into this.shown */
		this.rows = new Map();
		this.scale = laneScale(this.history.width);
		this.jumpsOf = new Map();
		for (const jump of model.jumps) this.jumpsOf.set(jump.after, [...(this.jumpsOf.get(jump.after) || []), jump]);
		this.bind();
	}

	/** The one that moved most; the first without a jump. */
	firstBenchmark() {
		const worst = [...this.model.jumps].sort((a, b) => b.regression - a.regression || jumpSize(b) - jumpSize(a))[0];
		return worst ? this.model.lines[worst.line].name : this.model.benchmarks[0] || null;
	}

	lineOf(kind) {
		return this.model.lines.find((line) => line.name === this.benchmark && line.metric === kind.metric) || null;
	}

	/** Unpack and compare what the glyphs show, then draw. */
	async prepare() {
		this.sectorsShown = this.kinds.filter((kind) => this.chosen.has(kind.key));
		this.lines = new Map(this.kinds.filter((kind) => kind.metric !== null && this.chosen.has(kind.key)).map((kind) => [kind.key, this.lineOf(kind)]));
		const lines = [...this.lines.values()].filter((line) => line !== null);
		await load(this.model, lines);
		this.bases = new Map(lines.map((line) => [line.index, spark.bases(this.history, line)]));
		this.cache = new Map();
	}

	/** The sectors of a commit; null where nothing at all is known of it. */
	sectors(commit) {
		if (!this.cache.has(commit.row)) {
			const found = this.sectorsShown.map((kind) => {
				const line = this.lines.get(kind.key) || null;
				return spark.sector(kind, commit, this.model, line, line ? this.bases.get(line.index) : null);
			});
			const nothing = found.every((s) => !s.known && (s.to === null || s.to === undefined));
			this.cache.set(commit.row, nothing ? null : found);
		}
		return this.cache.get(commit.row);
	}

	unitOf(kind) {
		return kind.metric === null ? '1' : this.model.metrics[kind.metric].unit;
	}

	/** Jumps at a commit: those of the benchmark first. */
	jumpsAt(commit) {
		const jumps = commit.revision !== null ? this.jumpsOf.get(commit.revision) || [] : [...commit.beside.values()].flatMap((one) => one.jump || []);
		const own = (jump) => this.model.lines[jump.line].name === this.benchmark;
		return [...jumps].sort((a, b) => own(b) - own(a) || b.regression - a.regression || jumpSize(b) - jumpSize(a));
	}

	/* ---- which rows ---- */

	matches(commit) {
		if (this.which === 'measured' && this.sectors(commit) === null) return false;
		if (this.which === 'jumps' && this.jumpsAt(commit).length === 0) return false;
		const text = this.filter.toLowerCase();
		return text === '' || commit.id.startsWith(text) || [commit.subject, commit.author, ...commit.refs].some((part) => part.toLowerCase().includes(text));
	}

	/** Lanes make sense only while no row is left out. */
	choose() {
		const commit = this.shown && this.shown[this.active];
		this.whole = this.filter === '' && this.which === 'all';
		this.shown = this.whole ? this.history.commits : this.history.commits.filter((c) => this.matches(c));
		this.active = Math.max(0, commit ? this.shown.findIndex((c) => c.row >= commit.row) : 0);
		$('commit-rows').style.height = $('commit-lanes').style.height = `${this.shown.length * ROW}px`;
		const width = this.whole ? this.scale.width : 2 * RADIUS + 10;
		$('commit-lanes').style.width = `${width}px`;
		$('commit-scroll').parentElement.style.setProperty('--graph', `${width}px`);
		$('commit-none').hidden = this.shown.length > 0;
		$('commit-count').textContent = this.whole
			? `${plural(this.shown.length, 'commit')}${this.history.cut ? '; older ones are not shown' : ''}`
			: `${this.shown.length.toLocaleString('en')} of ${plural(this.history.commits.length, 'commit')}`;
		this.clear();
		this.draw();
	}

	clear() {
		this.rows.clear();
		$('commit-rows').replaceChildren();
		$('commit-lanes').replaceChildren();
	}

	/* ---- drawing ---- */

	/** Bring the rows on the screen into the document, and take out those that left it. */
	draw() {
		const scroller = $('commit-scroll');
		const from = Math.max(0, Math.floor(scroller.scrollTop / ROW) - BEYOND);
		const to = Math.min(this.shown.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW) + BEYOND);
		for (const [i, row] of this.rows)
			if (i < from || i >= to) {
				row.parts.forEach((part) => part.remove());
				this.rows.delete(i);
			}
		for (let i = from; i < to; i++) if (!this.rows.has(i)) this.add(i);
		this.mark();
	}

	add(i) {
		const commit = this.shown[i];
		const element = this.rowElement(commit, i);
		const graph = this.rowGraph(commit, i * ROW + ROW / 2);
		$('commit-rows').append(element);
		/* below all glyphs, so that no line runs over one */
		$('commit-lanes').prepend(graph.edges);
		$('commit-lanes').append(graph.glyph);
		this.rows.set(i, { element, parts: [element, graph.edges, graph.glyph] });
	}

	rowGraph(commit, y) {
		const x = this.whole ? this.scale.x(commit.lane) : RADIUS + 5;
		const edges = svg('g', { transform: `translate(0 ${y})` }, this.whole ? drawEdges(commit.edges, this.scale, ROW) : []);
		const sectors = this.sectors(commit);
		const plain = () => svg('circle.plain', { r: 4, fill: 'var(--card)', stroke: `var(--l${commit.colour % LINE_COLOURS})`, 'stroke-width': 2 });
		const shape = sectors === null ? plain() : spark.glyph(sectors, RADIUS, HOLE);
		const glyph = svg('g.node', { transform: `translate(${x} ${y})`, 'data-row': commit.row }, shape);
		return { edges, glyph };
	}

	rowElement(commit, i) {
		const sectors = this.sectors(commit);
		const time = sectors && sectors.find((s) => s.kind.key === 'wall');
		const jumps = this.jumpsAt(commit);
		const badges = commit.refs.map((ref) => this.badge(ref));
		const element = el(
			'div.commit-row',
			{
				id: `commit-${commit.row}`,
				role: 'option',
				'aria-posinset': i + 1,
				'aria-setsize': this.shown.length,
				'aria-selected': 'false',
				'aria-label': this.describe(commit),
				dataset: { row: commit.row },
			},
			el('span.what', badges, el('span.subject', commit.subject || '(no subject)')),
			el('span.mark', jumps.length === 0 ? '' : this.markOf(jumps)),
			el('span', { className: `delta num ${time && time.jump ? 'much' : ''}` }, time && time.known ? changeText(time) : ''),
			el('span.author', commit.author),
			el('span.date', formatDate(commit.time)),
			el('code.id', shortId(commit.id)),
		);
		element.style.top = `${i * ROW}px`;
		return element;
	}

	badge(ref) {
		const tag = ref.startsWith('tag: ');
		const kind = ref === 'HEAD' ? 'current' : tag ? 'tagged' : ref.includes('/') ? 'remote' : 'branch';
		return el('span', { className: `ref ${kind}`, title: ref }, tag ? `⌂ ${ref.slice(5)}` : ref);
	}

	/** The mark of the first jump, and how many more there are. */
	markOf(jumps) {
		return el('span.jumps', icon(18, jumpMark(jumps[0], 5.5)), jumps.length > 1 ? el('span.dim', `${jumps.length}`) : '');
	}

	describe(commit) {
		const sectors = this.sectors(commit) || [];
		return [
			commit.subject,
			...commit.refs,
			commit.author,
			formatDate(commit.time),
			shortId(commit.id),
			...sectors.map((s) => sectorText(s, this.unitOf(s.kind))),
			...this.jumpsAt(commit).map((jump) => this.jumpText(jump)),
		].join(', ');
	}

	/** A jump that is not pinned stands at the last of its commits, which need not be the culprit. */
	jumpText(jump) {
		const line = this.model.lines[jump.line];
		const range = jump.commits > 1 ? ` in ${plural(jump.commits, 'commit')}` : '';
		return `${jump.regression ? 'regression' : 'improvement'} of ${line.name}, ${this.model.metrics[line.metric].label} ${formatChange(jump.relative)}${range}, ${jumpStateText(jump)}`;
	}

	/** Which row is active. */
	mark() {
		for (const [i, { element }] of this.rows) element.setAttribute('aria-selected', String(i === this.active));
		const commit = this.shown[this.active];
		if (commit && this.rows.has(this.active)) $('commit-scroll').setAttribute('aria-activedescendant', `commit-${commit.row}`);
		else $('commit-scroll').removeAttribute('aria-activedescendant');
	}

	/* ---- pointer and keys ---- */

	bind() {
		const scroller = $('commit-scroll');
		scroller.addEventListener(
			'scroll',
			() => {
				$('commit-tip').hidden = true;
				this.draw();
			},
			{ passive: true },
		);
		new ResizeObserver(() => {
			scroller.parentElement.style.setProperty('--scrollbar', `${scroller.offsetWidth - scroller.clientWidth - 2}px`);
			if (this.shown && scroller.clientHeight > 0) this.draw();
		}).observe(scroller);
		scroller.onkeydown = (event) => this.key(event);
		scroller.onclick = (event) => {
			const row = this.rowAt(event);
			if (row !== null) this.go(row, true);
		};
		scroller.onmousemove = (event) => this.hover(event);
		scroller.onmouseleave = scroller.onblur = () => ($('commit-tip').hidden = true);
		const choose = (changes) => {
			Object.assign(this, changes);
			this.choose();
		};
		$('commit-benchmark').onchange = () => {
			this.benchmark = $('commit-benchmark').value;
			this.refresh();
		};
		$('commit-filter').oninput = () => choose({ filter: $('commit-filter').value.trim() });
		$('commit-which').onchange = () => choose({ which: $('commit-which').value });
		$('commit-svg').onclick = () => this.download();
	}

	rowAt(event) {
		const y = event.clientY - $('commit-rows').getBoundingClientRect().top;
		const i = Math.floor(y / ROW);
		return i >= 0 && i < this.shown.length ? i : null;
	}

	hover(event) {
		const i = this.rowAt(event);
		if (i === null || event.buttons !== 0) {
			$('commit-tip').hidden = true;
			return;
		}
		const stage = $('commit-scroll').parentElement.getBoundingClientRect();
		this.tip(i, { x: event.clientX - stage.left, y: event.clientY - stage.top });
	}

	tip(i, place) {
		const commit = this.shown[i];
		const sectors = this.sectors(commit);
		const jumps = this.jumpsAt(commit);
		$('commit-tip').replaceChildren(
			el('div.subject.strong', commit.subject),
			el('div.dim', `${commit.author}, ${formatDate(commit.time)}, `, el('code', shortId(commit.id))),
			...(sectors || []).map((s) => this.tipLine(s)),
			sectors === null ? el('div.dim', commit.revision === null && commit.beside.size === 0 ? 'not measured' : `${this.benchmark}: no values here`) : '',
			...jumps.slice(0, MOST_TOLD).map((jump) => el('div', { className: jump.regression ? 'bad' : 'good' }, `${jumpSign(jump)} ${this.jumpText(jump)}`)),
			jumps.length > MOST_TOLD ? el('div.dim', `and ${jumps.length - MOST_TOLD} more: a click shows them all`) : '',
		);
		placeTip($('commit-tip'), place);
	}

	tipLine(s) {
		const swatch = s.known ? chip(s.kind.fill, spark.edgeOf(s)) : chip('none', 'var(--dim)', 'dashed');
		return el('div.chip-line', swatch, sectorText(s, this.unitOf(s.kind)));
	}

	/** Make a row the active one and bring it into view; with `open`, its details. */
	go(i, open = false) {
		this.active = Math.max(0, Math.min(this.shown.length - 1, i));
		const scroller = $('commit-scroll');
		const top = this.active * ROW;
		if (top < scroller.scrollTop + ROW) scroller.scrollTop = top - ROW;
		else if (top + 2 * ROW > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = top + 2 * ROW - scroller.clientHeight;
		this.draw();
		const commit = this.shown[this.active];
		if (commit && (open || !$('commit-details').hidden)) this.on.open(commit);
	}

	/** The next row from the active one on for which a question is answered with yes. */
	seek(direction, question) {
		for (let i = this.active + direction; i >= 0 && i < this.shown.length; i += direction) if (question(this.shown[i])) return i;
		return this.active;
	}

	key(event) {
		if (event.ctrlKey || event.metaKey || event.altKey || this.shown.length === 0) return;
		const page = Math.max(1, Math.floor($('commit-scroll').clientHeight / ROW) - 1);
		const jumped = (commit) => this.jumpsAt(commit).length > 0;
		const [parent = null] = this.shown[this.active].parents;
		const actions = {
			ArrowDown: () => this.active + 1,
			ArrowUp: () => this.active - 1,
			PageDown: () => this.active + page,
			PageUp: () => this.active - page,
			Home: () => 0,
			End: () => this.shown.length - 1,
			n: () => this.seek(1, jumped),
			N: () => this.seek(-1, jumped),
			p: () => (parent === null ? this.active : this.seek(1, (commit) => commit.row === parent)),
		};
		if (event.key === 'Enter' || event.key === ' ') this.go(this.active, true);
		else if (event.key === 'Escape') this.on.open(null);
		else if (event.key in actions) this.go(actions[event.key]());
		else return;
		event.preventDefault();
		if (event.key in actions) this.tip(this.active, { x: this.scale.width + 60, y: this.active * ROW - $('commit-scroll').scrollTop + ROW * 2 });
	}

	/* ---- around it ---- */

	/** The values of the glyph changed: another benchmark, other sectors. */
	async refresh() {
		await this.prepare();
		this.drawLegend();
		this.choose();
	}

	drawControls() {
		$('commit-benchmark').replaceChildren(...this.model.benchmarks.map((name) => el('option', { value: name }, name)));
		if (this.benchmark !== null) $('commit-benchmark').value = this.benchmark;
		$('commit-benchmark').disabled = this.model.benchmarks.length === 0;
		$('commit-kinds').replaceChildren(
			...this.kinds.map((kind) => {
				const box = el('input', { type: 'checkbox', checked: this.chosen.has(kind.key), dataset: { kind: kind.key } });
				box.onchange = () => {
					if (box.checked) this.chosen.add(kind.key);
					else if (this.chosen.size > 1) this.chosen.delete(kind.key);
					else box.checked = true; /* a circle has one sector at least */
					this.refresh();
				};
				return el('label.check', box, kind.label);
			}),
		);
	}

	/** An example of every sector, and what the rest means. */
	drawLegend() {
		const example = this.sectorsShown.map((kind, i) => ({ kind, known: true, height: [1, 0.6, 0.35][i % 3], dark: i % 2 === 0 }));
		const entry = (mark, text) => el('li', mark, el('span', text));
		const mark = (state, regression) => icon(18, jumpMark({ state, regression }, 5.5));
		const plain = icon(14, svg('circle', { r: 4, fill: 'var(--card)', stroke: 'var(--l0)', 'stroke-width': 2 }));
		$('commit-legend').replaceChildren(
			entry(icon(32, spark.glyph(example, RADIUS, HOLE)), 'clockwise:'),
			...this.sectorsShown.map((kind) => entry(chip(kind.fill, kind.dark), kind.label)),
			entry(chip('var(--soft)', 'var(--ink)'), 'strong edge: increase'),
			entry(chip('var(--soft)', 'var(--noise)'), 'grey edge: noise'),
			entry(chip('none', 'var(--dim)', 'dashed'), 'unknown'),
			entry(plain, 'not measured'),
			entry(mark('confirmed', true), 'regression'),
			entry(mark('confirmed', false), 'improvement'),
			entry(mark('suspect', true), 'suspected'),
			entry(mark('accepted', true), 'accepted'),
		);
		const steps = [0, ...(this.history.steps || spark.METHOD_STEPS)];
		$('commit-steps').textContent = `${steps.slice(0, -1).join(', ')} and ${steps.at(-1)}`;
		const time = this.sectorsShown.find((kind) => kind.key === 'wall');
		$('commit-delta').textContent = time ? 'Δ time' : '';
	}

	/** The details of a commit; null closes them. */
	showDetails(commit) {
		const host = $('commit-details');
		host.hidden = commit === null;
		if (commit === null) return;
		const close = el('button.quiet', 'close');
		close.onclick = () => {
			this.on.open(null);
			$('commit-scroll').focus();
		};
		const parents = commit.parents.filter((row) => row !== null).map((row) => this.history.commits[row]);
		const sectors = this.sectors(commit) || [];
		const jumps = this.jumpsAt(commit);
		const links = parents.flatMap((parent) => [el('a.mono', { href: `#/commits/${parent.id}`, title: parent.subject }, shortId(parent.id)), ' ']);
		const unmeasured = commit.beside.size === 0 ? 'This commit was not measured.' : 'It was measured, but is none of the commits that the evolution shows.';
		const jumpLine = (jump) => {
			const text = el('p', { className: jump.regression ? 'bad' : 'good' }, `${jumpSign(jump)} ${this.jumpText(jump)}`);
			return el('div.jump-line', text, this.on.compare(jump));
		};
		const badges = commit.refs.map((ref) => this.badge(ref));
		host.replaceChildren(
			el('div.head', el('h2', commit.subject), close),
			el('p', badges),
			el(
				'dl',
				fact('Commit', el('code', commit.id), copyButton(commit.id)),
				fact('Author', commit.author),
				fact('Date', formatDate(commit.time)),
				parents.length === 0 ? '' : fact(parents.length > 1 ? 'Parents' : 'Parent', links),
				commit.mc === null ? '' : fact('Changed methods', commit.mc.toLocaleString('en')),
			),
			commit.revision === null
				? el('p.dim', unmeasured)
				: el('p', el('a', { href: `#/evolution?commit=${commit.id}` }, 'All its values, in the evolution')),
			sectors.length === 0 ? '' : el('h3', this.benchmark || 'Changes'),
			...sectors.map((s) => this.tipLine(s)),
			jumps.length === 0 ? '' : el('h3', plural(jumps.length, 'jump')),
			...jumps.map(jumpLine),
			...this.on.comparisonsOf(commit),
		);
	}

	/* ---- the view ---- */

	/** Before it is put up for the first time. */
	async unpack() {
		if (!this.shown) await this.prepare();
	}

	mount(id) {
		if (!this.shown) {
			this.drawControls();
			this.drawLegend();
			this.choose();
		}
		this.update(id);
	}

	/** Open a commit by its id, or none. */
	update(id) {
		const commit = id ? this.history.commits.find((c) => c.id.startsWith(id)) : null;
		if (commit && !this.shown.includes(commit)) {
			this.filter = $('commit-filter').value = '';
			this.which = $('commit-which').value = 'all';
			this.choose();
		}
		this.showDetails(commit || null);
		if (commit) {
			const at = this.shown.indexOf(commit);
			const scroller = $('commit-scroll');
			this.active = at;
			if (at * ROW < scroller.scrollTop || (at + 1) * ROW > scroller.scrollTop + scroller.clientHeight)
				scroller.scrollTop = at * ROW - scroller.clientHeight / 2;
		}
		this.draw();
	}

	/** Save the rows on the screen as a picture. */
	download() {
		const scroller = $('commit-scroll');
		const from = Math.floor(scroller.scrollTop / ROW);
		const to = Math.min(this.shown.length, Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW));
		const left = this.whole ? this.scale.width : 2 * RADIUS + 10;
		const rows = this.shown.slice(from, to).map((commit, i) => {
			const y = i * ROW + ROW / 2;
			const { edges, glyph } = this.rowGraph(commit, y);
			const refs = commit.refs.length > 0 ? `[${commit.refs.join(', ')}] ` : '';
			const subject = commit.subject.length > 90 ? `${commit.subject.slice(0, 89)}…` : commit.subject;
			const [jump] = this.jumpsAt(commit);
			const text = (x, content, fill) => svg('text', { x, y: y + 4, fill }, content);
			return {
				edges,
				rest: [
					glyph,
					jump ? svg('g', { transform: `translate(${left + 8} ${y})` }, jumpMark(jump, 5.5)) : '',
					text(left + 22, refs + subject, 'var(--ink)'),
					text(left + 700, commit.author, 'var(--dim)'),
					text(left + 850, formatDate(commit.time), 'var(--dim)'),
					text(left + 930, shortId(commit.id), 'var(--dim)'),
				],
			};
		});
		const [name, size] = [fileName([this.model.project || 'perfevo', 'commits'], 'svg'), { width: left + 1010, height: rows.length * ROW + 4 }];
		savePicture(name, size, [rows.map((row) => row.edges), rows.map((row) => row.rest)], `${this.model.project}: commits`);
	}
}
