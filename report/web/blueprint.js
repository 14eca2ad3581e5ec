/*
 * Blueprint: the view. A delta tree as boxes, callers above callees (Blueprint sections III and IV): at first the
 * delta hot path; from there the reader opens what matters. Its parts:
 *
 *   Boxes    one drawing: how high, how wide, which colour, and what stands beside a box
 *   View     the verdict, the bar of switches, the chart, and the selected node with its source
 */
'use strict';

(() => {
	const { el, svg } = perfevo;
	const { NONE, COLOURS, FLAG, METRICS, Shown, lay, AT_ONCE, pairOf } = perfevo.blueprint;
	const { whole, textWidth, fitName, plainName, saveSvg, fileName, choice, button, typing, empty } = perfevo.ui;
	const { SIGNS, meaning, place, sourceWords, table, sentences, spoken, label } = perfevo.figures;

	const NAME_FONT = '600 12px system-ui, "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif';
	const FIGURE_FONT = '11px system-ui, "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif';
	const LABEL_ROOM = 180;
	const LABEL_GAP = 8;
	const FIRST_LINES = 5;    /* of a verdict; the rest on demand */
	const ALL_LABELLED = 24;  /* of more boxes than that only the highest have a label, */
	const MOST_LABELLED = 60; /* so many of them, */
	const LEAST_LABELLED = 0.02; /* and none below this part of the highest */
	const LINE = 3;           /* height 0 is a visible line */
	const NARROWEST = 5;      /* width 0 (Blueprint section III) */
	const RULES = [['strict', 'Same position among siblings (PARCS, definition 1)'],
		['relaxed', 'Same order among siblings (PARCS, definition 2)'],
		['subsequence', 'Callers may have come or gone in between (Blueprint, section V)'],
		['hybrid', 'By order, or by name where order means nothing (ZAM, algorithm 3)']];

	const PATTERNS = { red: ['M-1,1l2,-2M0,6l6,-6M5,7l2,-2', 6], 'light-red': ['M-1,1l2,-2M0,6l6,-6M5,7l2,-2', 6],
		green: ['M0,2H6', 6], 'light-green': ['M0,2H6', 6], yellow: ['M1.5,1.5h1.4v1.4h-1.4zM4.5,4.5h1.4v1.4h-1.4z', 6],
		gray: ['M0,0l6,6M0,6l6,-6', 6] };

	/** What boxes look like for one delta tree, metric and basis. */
	class Boxes {
		constructor(delta, metric, basis) {
			this.delta = delta;
			this.heights = delta.heights(metric, basis);
			this.widths = delta.widths();
			this.colours = delta.colours(metric, basis);
			this.metric = metric;
			this.basis = basis;
			/* the hot path is to fit a screen: its boxes tend to be the highest, since theirs are inclusive */
			const tallest = Math.min(110, Math.max(34, 640 / delta.hotPath(0, metric).length - 34));
			const most = delta.greatest(this.heights);
			const widest = delta.greatest(this.widths);
			this.perHeight = most > 0 ? tallest / most : 0;
			this.perWidth = widest > 0 ? Math.min(12, 150 / widest) : 0;
		}

		height(node) { return Math.max(LINE, Math.abs(this.heights[node]) * this.perHeight); }
		width(node) { return Math.max(NARROWEST, this.widths[node] * this.perWidth); }
		colour(node) { return COLOURS[this.colours[node]]; }

		text(node) {
			const name = `${SIGNS[this.colour(node)]} ${fitName(this.delta.name(node), LABEL_ROOM, NAME_FONT)}`;
			return [name, label(this.delta, node, this.metric, this.basis)];
		}

		/** The nodes that have a label: all, none, or those that a reader looks for. */
		labelled(nodes, which) {
			if (which === 'none')
				return new Set();
			if (which === 'all' || nodes.length <= ALL_LABELLED)
				return new Set(nodes);
			const size = (node) => Math.abs(this.heights[node]);
			const most = nodes.reduce((high, node) => Math.max(high, size(node)), 0);
			return new Set([...nodes].filter((node) => size(node) >= most * LEAST_LABELLED && size(node) > 0)
				.sort((a, b) => size(b) - size(a)).slice(0, MOST_LABELLED));
		}

		/** For the layout. */
		size(labelled) {
			return (node, out) => {
				out.width = this.width(node);
				out.height = this.height(node);
				if (!labelled.has(node)) {
					out.label = 0;
					return;
				}
				const [name, figures] = this.text(node);
				out.label = LABEL_GAP + Math.max(textWidth(name, NAME_FONT), textWidth(figures, FIGURE_FONT));
			};
		}

		/** A box into its group. Its border lies around it, so that what is filled has the size of the figures. */
		draw(group, node, labelled, thick, reach) {
			const colour = this.colour(node);
			const width = this.width(node);
			const height = this.height(node);
			const border = thick ? 3 : 1;
			group.dataset.colour = colour;
			group.dataset.border = thick ? 'thick' : 'thin';
			group.append(svg('rect', { class: 'pic-hit-area', x: -4, y: -4, width: reach + 10, height: Math.max(height, labelled ? 30 : 0) + 8 }),
				svg('rect', { class: `pic-box c-${colour}`, width, height }));
			if (PATTERNS[colour] && height > LINE && width > NARROWEST)
				group.append(svg('rect', { class: 'pic-pattern', width, height, fill: `url(#bp-${colour})` }));
			group.append(svg('rect', { class: `pic-border ${thick ? 'thick' : 'thin'}`, x: -border / 2, y: -border / 2,
				width: width + border, height: height + border, 'stroke-width': border }));
			if (!labelled)
				return;
			const [name, figures] = this.text(node);
			group.append(svg('text', { class: 'pic-name', x: width + LABEL_GAP, y: 11 }, name),
				svg('text', { class: 'pic-figures', x: width + LABEL_GAP, y: 25 }, figures));
		}
	}

	const patterns = () => Object.entries(PATTERNS).map(([colour, [d, size]]) => svg('pattern', {
		id: `bp-${colour}`, width: size, height: size, patternUnits: 'userSpaceOnUse',
	}, svg('path', { d, class: `pic-pattern-${colour === 'yellow' ? 'dot' : 'line'}` })));

	/** Text whose names stand in backticks. */
	const withCode = (text) => text.split('`').map((part, i) => (i % 2 ? el('code', { textContent: plainName(part) }) : part));

	/** A name for Graphviz. */
	const quoted = (text) => `"${plainName(text).replace(/["\\]/g, '\\$&')}"`;

	class View {
		constructor(element, context) {
			this.element = element;
			this.context = context;
			this.pair = pairOf(context.comparison, context.pair);
			this.shownOf = new Map();
			this.boxesOf = new Map();
			this.abort = new AbortController();
			this.hits = [];
			this.hit = -1;
			this.notice = null;
			this.build();
		}

		/* ---- what is chosen ---- */

		/** The state of the address, with what the comparison was asked for where it says nothing. */
		settings() {
			const { state, comparison } = this.context;
			const first = this.pair.variants[0];
			const has = (value, values) => (values.includes(value) ? value : null);
			const match = has(state.match, this.pair.variants.map((v) => v.match)) || first.match;
			const wantsSites = state.sites === undefined ? first.call_sites : state.sites === '1';
			const sites = this.pair.variants.some((v) => v.match === match && v.call_sites === wantsSites) ? wantsSites
				: this.pair.variants.find((v) => v.match === match).call_sites;
			const delta = this.pair.delta(match, sites);
			const metric = has(state.metric, delta.metrics) || delta.metrics[0] || 'time';
			const basis = has(state.basis, ['time', 'share']) || has(comparison.basis, ['time', 'share']) || 'time';
			return { match, sites, delta, metric, basis };
		}

		remember(changes) {
			this.context.state = { ...this.context.state, ...changes };
			for (const key of Object.keys(this.context.state))
				if (this.context.state[key] === null)
					delete this.context.state[key];
			if (this.context.go)
				this.context.go(this.context.state, { replace: true });
		}

		/* ---- the page around the chart ---- */

		build() {
			this.element.replaceChildren();
			this.element.classList.add('wide');
			const problem = this.problem();
			this.element.append(this.verdict());
			if (problem) {
				this.element.append(el('section', { className: 'card' }, problem));
				return;
			}
			this.chart = new perfevo.TreeChart('Blueprint: the calls of old and new as one tree', {
				patterns, box: (group, node, i, layout) => this.box(group, node, layout.reach[i]),
				pick: (node, how) => this.select(node, how), open: (node) => this.toggle(node),
				menu: (node, x, y) => this.openMenu(node, x, y), hover: (node, x, y) => this.hover(node, x, y),
			});
			this.bar = el('div', { className: 'bar bp-bar' });
			this.actions = el('div', { className: 'bar bp-actions' });
			this.crumbs = el('nav', { className: 'bp-crumbs', 'aria-label': 'Callers of the selected node' });
			this.says = el('p', { className: 'bp-notice', hidden: true });
			this.spoken = el('p', { className: 'spoken', 'aria-live': 'polite' });
			this.tip = el('div', { className: 'tip bp-tip', hidden: true, role: 'tooltip' });
			this.menu = el('div', { className: 'bp-menu', role: 'menu', hidden: true, 'aria-label': 'Actions' });
			this.details = el('section', { className: 'card bp-details', 'aria-label': 'The selected node' });
			this.legend = el('div', { className: 'bp-legend', 'aria-label': 'Colours' });
			this.element.append(
				el('section', { className: 'card bp-card', 'aria-label': 'Blueprint' }, this.bar, this.actions, this.crumbs,
					el('div', { className: 'bp-stage' }, this.chart.element), this.says, this.legend, this.spoken),
				this.details, this.tip, this.menu);
			this.chart.element.setAttribute('aria-describedby', 'bp-help');
			this.legend.after(el('p', { id: 'bp-help', className: 'help dim', textContent: 'Arrows walk the tree, Enter shows or hides children, '
				+ 'the menu of a box shows more; the wheel zooms, dragging moves; ? lists all keys.' }));
			this.listen();
			this.start();
		}

		/** Why there is nothing to draw; null when there is. */
		problem() {
			const { raw } = this.pair;
			if (this.pair.hasTrees())
				return null;
			if (raw.same)
				return empty('Both sides execute the same', 'The builds of old and new are identical, so their executions were not compared.');
			return empty('No call trees', raw.problem || 'This comparison has figures but no profiles of either side.',
				'perfevo compare collects them when the program can be built and run.');
		}

		verdict() {
			const { raw } = this.pair;
			const section = el('section', { className: 'card bp-verdict', 'aria-label': 'Verdict' }, el('h2', { textContent: 'What makes the difference' }));
			const reports = (raw.reports || []).filter((report) => report.difference !== 0 || report.causes.length > 0);
			for (const report of reports)
				section.append(...this.report(report));
			if (reports.length === 0)
				section.append(el('p', { className: 'dim', textContent: raw.same ? 'Nothing: old and new are the same program.'
					: 'Nothing: no figure that is judged differs between old and new.' }));
			return section;
		}

		/** What is judged by one figure: the whole, its causes, and what is left. */
		report(report) {
			const show = (v) => (report.unit === '1' ? whole(v) : perfevo.formatValue(v, report.unit));
			const out = [el('p', { className: 'bp-whole' }, report.old_total > 0 ? el('strong', { textContent: `${perfevo.formatChange(report.difference / report.old_total)}: ` }) : '',
				...withCode(report.text || ''), report.noise > 0 ? el('span', { className: 'dim', textContent: ` (standard error ${show(report.noise)})` }) : '')];
			const list = el('ol', { className: 'bp-lines' }, ...report.causes.map((cause, i) => el('li', { hidden: i >= FIRST_LINES }, this.line(cause))));
			out.push(report.causes.length > 0 ? list : el('p', { className: 'dim', textContent: 'No single cause stands out from the noise of the runs.' }));
			if (report.causes.length > FIRST_LINES) {
				const more = button(perfevo.plural(report.causes.length - FIRST_LINES, 'smaller cause'), 'Show the rest of the verdict', () => {
					for (const line of list.children)
						line.hidden = false;
					more.remove();
				});
				more.className = 'quiet';
				out.push(more);
			}
			const rest = [];
			if (report.unsaid && report.causes.length > 0)
				rest.push(`${report.unsaid > 0 ? '+' : '−'}${show(Math.abs(report.unsaid))} in what is too small to be named`);
			if (report.within_noise > 0)
				rest.push(`${perfevo.plural(report.within_noise, 'difference')} within noise left out`);
			if (rest.length > 0)
				out.push(el('p', { className: 'dim bp-rest', textContent: `${rest.join('; ')}.` }));
			return out;
		}

		/** A line of the verdict: it leads to its box where it has one. */
		line(cause) {
			if (cause.node === null || cause.node === undefined || !this.pair.hasTrees())
				return el('span', { className: 'bp-line' }, ...withCode(cause.text));
			return el('button', { type: 'button', className: 'bp-line', dataset: { node: cause.node }, title: 'Show its box',
				on: { click: () => this.follow(cause.node) } }, ...withCode(cause.text));
		}

		/** Switches: rebuilt whenever one of them changed. */
		fillBar() {
			const { match, sites, delta, metric, basis } = this.now;
			const variants = this.pair.variants;
			const bar = [];
			bar.push(choice('Metric', delta.metrics.map((m) => [m, METRICS[m].label]), metric, (m) => this.change({ metric: m }), 'metric'));
			bar.push(choice('Height', [['time', 'of old', 'Difference as part of the whole old execution: a uniform slowdown shows'],
				['share', 'of each', 'Difference of the shares of each execution (Blueprint, section III)']], basis, (b) => this.change({ basis: b }), 'basis'));
			const rules = RULES.filter(([rule]) => variants.some((v) => v.match === rule));
			if (rules.length > 1)
				bar.push(choice('Matching', rules.map(([rule, why]) => [rule, rule, why]), match, (m) => this.change({ match: m }), 'match'));
			const both = [true, false].every((s) => variants.some((v) => v.match === match && v.call_sites === s));
			if (both)
				bar.push(choice('Call sites', [['1', 'apart', 'Calls from two places in one method are two boxes'],
					['0', 'together', 'Calls from all places in one method are one box']], sites ? '1' : '0', (s) => this.change({ sites: s }), 'sites'));
			this.bar.replaceChildren(...bar);
		}

		searchField() {
			this.query = el('input', { type: 'search', placeholder: 'Search methods', 'aria-label': 'Search methods and files', value: this.context.state.q || '',
				on: { input: () => this.find(this.query.value), keydown: (event) => this.searchKey(event) } });
			this.hitCount = el('span', { className: 'dim bp-hits', 'aria-live': 'polite' });
			return el('span', { className: 'bp-search' }, this.query,
				button('↑', 'Previous hit', () => this.goToHit(-1), 'N'), button('↓', 'Next hit', () => this.goToHit(1), 'n'), this.hitCount);
		}

		fillActions() {
			const act = (name, text, title, key) => {
				const one = button(text, title, () => this.act(name), key);
				one.dataset.action = name;
				return one;
			};
			this.labelChoice = el('select', { 'aria-label': 'Labels', title: 'Which boxes have a label',
				on: { change: () => { this.remember({ labels: this.labelChoice.value }); this.redraw(this.chart.selected); } } },
			...[['high', 'labels of high boxes'], ['all', 'all labels'], ['none', 'no labels']].map(([value, text]) => el('option', { value, textContent: text })));
			this.actions.replaceChildren(
				act('hot', 'Delta hot path', 'Show the path of the greatest variation below the selected node', 'p'),
				act('children', 'Children', 'Show the children of the selected node', 'c'),
				act('below', 'All below', 'Show everything below the selected node', 'a'),
				act('hide', 'Hide below', 'Hide everything below the selected node', 'h'),
				this.searchField(), el('span', { className: 'grow' }), this.labelChoice,
				perfevo.zoomButtons(this.chart),
				button('SVG', 'Save what is shown as a picture', () => this.saveSvg()),
				button('DOT', 'Save what is shown for Graphviz', () => this.saveDot()));
		}

		fillLegend() {
			const { delta, metric, basis } = this.now;
			const used = new Set(delta.colours(metric, basis));
			this.legend.replaceChildren(...COLOURS.map((colour, c) => [colour, c]).filter(([, c]) => used.has(c)).map(([colour]) => el('span', {},
				svg('svg', { class: 'pic', width: 18, height: 14, 'aria-hidden': 'true' },
					svg('rect', { class: `pic-box c-${colour}`, x: 1, y: 1, width: 16, height: 12 }),
					PATTERNS[colour] ? svg('rect', { class: 'pic-pattern', x: 1, y: 1, width: 16, height: 12, fill: `url(#bp-${colour})` }) : '',
					svg('rect', { class: 'pic-border thin', x: 0.5, y: 0.5, width: 17, height: 13, 'stroke-width': 1 })),
				` ${SIGNS[colour]} ${meaning(colour, metric)}`)),
			el('span', { textContent: `height: difference in ${METRICS[metric].noun}; width: difference in calls (logarithm)` }),
			el('span', { textContent: 'thick border: children that are not shown' }));
		}

		/* ---- the tree ---- */

		start() {
			this.fillActions();
			this.apply();
			const { state } = this.context;
			const wanted = Number(state.node);
			if (state.node !== undefined && Number.isInteger(wanted) && wanted >= 0 && wanted < this.now.delta.n)
				this.shown().reveal(wanted);
			this.redraw();
			this.chart.fit(true);
			this.select(state.node !== undefined && this.shown().is[wanted] ? wanted : this.firstSelected(), { remember: false });
			if (state.q)
				this.find(state.q, { go: false });
		}

		/** What a reader looks at first: the first cause if it stands on the hot path, else the path's end. */
		firstSelected() {
			const { delta, metric, basis } = this.now;
			const path = delta.hotPath(0, metric);
			const causes = (this.pair.raw.reports || []).flatMap((report) => report.causes.map((cause) => cause.node));
			const variant = this.pair.variants[0];
			if (delta.match === variant.match && delta.sites === variant.call_sites) {
				const first = causes.find((node) => path.includes(node));
				if (first !== undefined)
					return first;
			}
			const colours = delta.colours(metric, basis);
			const changed = path.filter((node) => ['red', 'green', 'yellow', 'gray'].includes(COLOURS[colours[node]]));
			return changed.length > 0 ? changed[changed.length - 1] : path[path.length - 1];
		}

		/** Take the settings as they are now. */
		apply() {
			this.now = this.settings();
			this.fillBar();
			this.fillLegend();
		}

		shown() {
			const { delta, metric } = this.now;
			if (!this.shownOf.has(delta)) {
				const shown = new Shown(delta);
				shown.path(delta.hotPath(0, metric));
				this.shownOf.set(delta, shown);
			}
			return this.shownOf.get(delta);
		}

		boxes() {
			const { delta, metric, basis } = this.now;
			const key = `${delta.match} ${delta.sites} ${metric} ${basis}`;
			if (!this.boxesOf.has(key))
				this.boxesOf.set(key, new Boxes(delta, metric, basis));
			return this.boxesOf.get(key);
		}

		redraw(anchor) {
			const { labels } = this.context.state;
			this.labelled = this.boxes().labelled(this.shown().list(), labels);
			this.labelChoice.value = ['all', 'none'].includes(labels) ? labels : 'high';
			this.chart.show(lay(this.now.delta, this.shown(), this.boxes().size(this.labelled)), anchor);
			this.chart.element.dataset.shown = this.shown().count;
			this.chart.element.dataset.nodes = this.now.delta.n;
		}

		box(group, node, reach) {
			const { delta, metric, basis } = this.now;
			this.boxes().draw(group, node, this.labelled.has(node), this.shown().hides(node), reach);
			group.setAttribute('aria-label', spoken(delta, node, metric, basis));
			if (!delta.isLeaf(node))
				group.setAttribute('aria-expanded', String(this.hasShownChild(node)));
		}

		hasShownChild(node) {
			const { delta } = this.now;
			for (let c = node + 1; c < delta.end[node]; c = delta.end[c])
				if (this.shown().is[c])
					return true;
			return false;
		}

		/** A switch: the selected node and what is shown go along as far as the other tree has them. */
		change(changes) {
			const before = this.now;
			const selected = this.chart.selected;
			const text = Object.fromEntries(Object.entries(changes).map(([key, value]) => [key, String(value)]));
			this.remember(text);
			this.apply();
			const { delta } = this.now;
			let node = selected;
			if (delta !== before.delta) {
				this.chart.hits = new Set();
				node = delta.counterpart(before.delta, selected);
				node = node === NONE ? 0 : node;
				this.shown().reveal(node);
			}
			this.setNotice(null);
			this.redraw();
			if (delta !== before.delta)
				this.chart.fit(true);
			this.select(node);
			if (this.query.value)
				this.find(this.query.value, { go: false });
			this.bar.querySelector(`[data-choice="${Object.keys(changes)[0]}"] [aria-pressed="true"]`)?.focus({ preventScroll: true });
		}

		/* ---- the four actions ---- */

		act(name, node = this.chart.selected) {
			const shown = this.shown();
			const { delta, metric, basis } = this.now;
			let left = 0;
			if (name === 'hot')
				shown.path(delta.hotPath(node, metric));
			else if (name === 'children')
				left = shown.children(node, delta.weights(metric, basis));
			else if (name === 'below')
				left = shown.below(node, delta.weights(metric, basis));
			else
				shown.hide(node);
			if (!shown.is[this.chart.selected])
				this.chart.selected = node;
			this.setNotice(left > 0 ? { name, node, left } : null);
			this.redraw(node);
			this.select(this.chart.selected, { bringIn: false });
			this.keepInSight();
			this.spoken.textContent = `${perfevo.plural(shown.count, 'box').replace('boxs', 'boxes')} shown`;
		}

		/** After boxes came or went: if nothing of the tree would be seen, all of it is. */
		keepInSight() {
			const { chart } = this;
			const { width, height } = chart.size();
			const { box } = chart.layout;
			const { x, y, k } = chart.view;
			if ((box.x + box.width) * k + x < 40 || box.x * k + x > width - 40 || box.height * k + y < 40 || y > height - 40)
				chart.fit(true);
		}

		/** More nodes than one action brings up: say so, and how to go on. */
		setNotice(notice) {
			this.notice = notice;
			this.says.hidden = notice === null;
			if (notice === null)
				return;
			const next = Math.min(AT_ONCE, notice.left);
			this.says.replaceChildren(`${perfevo.plural(notice.left, 'node')} below `, el('code', { textContent: plainName(this.now.delta.name(notice.node)) }),
				notice.left === 1 ? ' is not shown yet. ' : ' are not shown yet. ',
				el('button', { type: 'button', className: 'quiet', dataset: { action: 'more' }, textContent: `Show the next ${next.toLocaleString('en')}, greatest first`,
					on: { click: () => this.act(notice.name, notice.node) } }));
		}

		toggle(node = this.chart.selected) {
			this.act(this.hasShownChild(node) && !this.shown().hides(node) ? 'hide' : this.shown().hides(node) ? 'children' : 'hide', node);
		}

		/** A line of the verdict leads here: its node is of the first variant. */
		follow(node) {
			const first = this.pair.variants[0];
			if (this.now.delta.match !== first.match || this.now.delta.sites !== first.call_sites)
				this.change({ match: first.match, sites: first.call_sites ? '1' : '0' });
			this.reveal(node);
			this.chart.element.focus({ preventScroll: true });
			this.chart.element.scrollIntoView({ block: 'nearest' });
		}

		reveal(node) {
			this.shown().reveal(node);
			this.redraw(this.chart.selected === null ? 0 : this.chart.selected);
			if (this.chart.view.k < 0.6) {
				this.chart.zoom(0.8 / this.chart.view.k);
				this.chart.draw();
			}
			this.select(node);
		}

		select(node, { bringIn = true, remember = true } = {}) {
			const { delta, metric, basis } = this.now;
			const changed = this.chart.selected !== node || this.detailsOf !== `${delta.match} ${delta.sites} ${metric} ${basis} ${node}`;
			this.chart.select(node, { bringIn });
			if (!changed)
				return;
			this.detailsOf = `${delta.match} ${delta.sites} ${metric} ${basis} ${node}`;
			this.fillCrumbs(node);
			this.fillDetails(node);
			this.spoken.textContent = spoken(delta, node, metric, basis);
			for (const line of this.element.querySelectorAll('button.bp-line'))
				line.toggleAttribute('aria-current', Number(line.dataset.node) === node
					&& delta.match === this.pair.variants[0].match && delta.sites === this.pair.variants[0].call_sites);
			if (remember)
				this.remember({ node: String(node) });
		}

		fillCrumbs(node) {
			const { delta } = this.now;
			const path = delta.pathTo(node);
			const shorten = path.length > 14;
			const items = shorten ? [...path.slice(0, 3), null, ...path.slice(-9)] : path;
			this.crumbs.replaceChildren(el('ol', {}, ...items.map((at) => (at === null ? el('li', { className: 'dim', textContent: `… ${path.length - 12} more …` })
				: el('li', {}, el('button', { type: 'button', className: 'quiet', textContent: fitName(delta.name(at), 260, NAME_FONT), title: plainName(delta.name(at)),
					'aria-current': at === node ? 'true' : 'false', on: { click: () => this.select(at) } }))))));
		}

		fillDetails(node) {
			const { delta, metric, basis } = this.now;
			const colour = this.boxes().colour(node);
			const where = place(delta.frames, delta.frame[node]);
			const source = this.pair.source(delta, node);
			const { entry } = this.context;
			const names = ['old', 'new'].map((side) => (entry && entry[side] ? entry[side].name || '' : ''));
			const runs = delta.trees.map((tree) => tree.runs);
			const [state, about, ...rest] = sentences(delta, node, metric, basis);
			this.details.replaceChildren(
				el('div', { className: 'bp-node' },
					el('div', {},
						el('h2', { textContent: plainName(delta.name(node)) }),
						el('p', { className: 'mono dim', textContent: where }),
						el('p', { className: 'bp-state' }, el('span', { className: `bp-swatch c-${colour}`, 'aria-hidden': 'true' }), state),
						el('ul', { className: 'plain' }, ...[about, ...rest].map((text) => el('li', { textContent: text }))),
						runs.every((n) => n > 0) ? el('p', { className: 'dim', textContent: `Figures are means of ${perfevo.plural(runs[0], 'profile')} of old and ${runs[1].toLocaleString('en')} of new.` }) : ''),
					el('div', { className: 'scroll' }, table(delta, node))),
				source ? perfevo.sourcePane.pane(source, names) : el('p', { className: 'dim bp-nosource', textContent: this.whyNoSource(node) }));
		}

		whyNoSource(node) {
			const { delta } = this.now;
			const flags = delta.flags(node);
			if (flags & FLAG.waiting)
				return 'No source: this is time in which no code ran.';
			if (flags & FLAG.root)
				return 'No source: this is the benchmark as a whole.';
			if (flags & FLAG.unknown)
				return `No source: ${sourceWords(FLAG.unknown)}. It belongs to a library, to the system, or to generated code.`;
			return 'Its source is the same in both revisions, and was left out to keep this page small.';
		}

		/* ---- hovering ---- */

		hover(node, x, y) {
			if (node === null || !this.menu.hidden) {
				this.tip.hidden = true;
				this.hovered = null;
				return;
			}
			const { delta, metric, basis } = this.now;
			if (this.hovered !== node) {
				this.hovered = node;
				this.tip.replaceChildren(el('div', { className: 'name', textContent: plainName(delta.name(node)) }),
					el('div', { className: 'mono dim', textContent: place(delta.frames, delta.frame[node]) }),
					...sentences(delta, node, metric, basis).map((text) => el('div', { textContent: text })), table(delta, node));
			}
			this.tip.hidden = false;
			const { offsetWidth, offsetHeight } = this.tip;
			const left = x + 18 + offsetWidth > innerWidth ? Math.max(4, x - 18 - offsetWidth) : x + 18;
			this.tip.style.left = `${left}px`;
			this.tip.style.top = `${Math.max(4, Math.min(innerHeight - offsetHeight - 4, y + 14))}px`;
		}

		/* ---- the menu of a box ---- */

		openMenu(node, x, y) {
			this.tip.hidden = true;
			const item = (name, text, key) => el('button', { type: 'button', role: 'menuitem', tabIndex: -1, dataset: { action: name },
				on: { click: () => { this.closeMenu(); this.act(name, node); } } }, text, el('kbd', { textContent: key }));
			this.menu.replaceChildren(item('hot', 'Show delta hot path', 'p'), item('children', 'Show children', 'c'),
				item('below', 'Show all below', 'a'), item('hide', 'Hide all below', 'h'));
			this.menu.hidden = false;
			this.menu.style.left = `${Math.max(4, Math.min(x, innerWidth - this.menu.offsetWidth - 4))}px`;
			this.menu.style.top = `${Math.max(4, Math.min(y, innerHeight - this.menu.offsetHeight - 4))}px`;
			this.menu.firstElementChild.focus();
		}

		closeMenu() {
			if (this.menu.hidden)
				return;
			this.menu.hidden = true;
			this.chart.element.focus({ preventScroll: true });
		}

		menuKey(event) {
			const items = [...this.menu.children];
			const at = items.indexOf(document.activeElement);
			const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
			if (event.key === 'Escape' || event.key === 'Tab')
				this.closeMenu();
			else if (to !== undefined)
				items[(to + items.length) % items.length].focus();
			else
				return;
			event.preventDefault();
			event.stopPropagation();
		}

		/** At the selected box, for the keyboard. */
		menuByKey() {
			const group = this.chart.boxes.querySelector(`[data-node="${this.chart.selected}"]`);
			if (!group)
				return;
			const box = group.getBoundingClientRect();
			this.openMenu(this.chart.selected, box.left + 12, box.top + 12);
		}

		/* ---- search ---- */

		find(text, { go = true } = {}) {
			this.hits = text.trim() === '' ? [] : this.now.delta.find(text.trim());
			this.hit = -1;
			this.chart.hits = new Set(this.hits);
			this.chart.draw();
			this.remember({ q: text.trim() === '' ? null : text });
			this.countHits(text);
			if (go && this.hits.length > 0)
				this.goToHit(1);
		}

		countHits(text = this.query.value) {
			this.hitCount.textContent = text.trim() === '' ? '' : this.hits.length === 0 ? 'no hit'
				: this.hit < 0 ? perfevo.plural(this.hits.length, 'hit') : `${(this.hit + 1).toLocaleString('en')} of ${perfevo.plural(this.hits.length, 'hit')}`;
		}

		goToHit(by) {
			if (this.hits.length === 0)
				return;
			this.hit = this.hit < 0 && by < 0 ? this.hits.length - 1 : (this.hit + by + this.hits.length) % this.hits.length;
			this.countHits();
			this.reveal(this.hits[this.hit]);
		}

		searchKey(event) {
			if (event.key === 'Enter')
				this.goToHit(event.shiftKey ? -1 : 1);
			else if (event.key === 'Escape') {
				this.query.value = '';
				this.find('');
				this.chart.element.focus();
			} else
				return;
			event.preventDefault();
		}

		/* ---- keys ---- */

		listen() {
			const { signal } = this.abort;
			document.addEventListener('keydown', (event) => this.key(event), { signal });
			document.addEventListener('pointerdown', (event) => {
				if (!this.menu.hidden && !this.menu.contains(event.target))
					this.menu.hidden = true;
			}, { signal, capture: true });
			this.menu.addEventListener('keydown', (event) => this.menuKey(event));
			addEventListener('beforeprint', () => this.chart.fit(), { signal });
		}

		key(event) {
			if (event.defaultPrevented || typing(event) || !this.menu.hidden)
				return;
			const onChart = this.chart.element.contains(document.activeElement);
			const everywhere = { '/': () => this.query.focus(), n: () => this.goToHit(1), N: () => this.goToHit(-1),
				p: () => this.act('hot'), c: () => this.act('children'), a: () => this.act('below'), h: () => this.act('hide') };
			const here = { ArrowUp: () => this.walk('up'), ArrowDown: () => this.walk('down'), ArrowLeft: () => this.walk('left'),
				ArrowRight: () => this.walk('right'), Home: () => this.select(0), Enter: () => this.toggle(), ' ': () => this.toggle(),
				ContextMenu: () => this.menuByKey(), m: () => this.menuByKey(), F10: () => event.shiftKey && this.menuByKey() };
			const run = everywhere[event.key] || (onChart && here[event.key]);
			if (run)
				run();
			else if (!perfevo.zoomKey(this.chart, event.key))
				return;
			event.preventDefault();
		}

		/** To the caller, the first callee that is shown, or a neighbour in the same row. */
		walk(where) {
			const { layout } = this.chart;
			const i = layout.indexOf.get(this.chart.selected);
			if (i === undefined)
				return;
			let to = NONE;
			if (where === 'up')
				to = layout.parent[i];
			else if (where === 'down')
				to = layout.first[i];
			else
				for (let k = i + (where === 'right' ? 1 : -1); k >= 0 && k < layout.n && to === NONE; k += where === 'right' ? 1 : -1)
					if (layout.depth[k] === layout.depth[i])
						to = k;
			if (to !== NONE)
				this.select(layout.node[to]);
			else if (where === 'down' && !this.now.delta.isLeaf(this.chart.selected))
				this.spoken.textContent = `${perfevo.plural(this.now.delta.nChildren(this.chart.selected), 'callee')} not shown: Enter shows them`;
		}

		/* ---- files ---- */

		saveSvg() {
			saveSvg(fileName(this.context, 'blueprint.svg'), this.chart.whole(), this.chart.layout.box, 'Performance evolution blueprint');
		}

		saveDot() {
			const { delta, metric, basis } = this.now;
			const boxes = this.boxes();
			const style = getComputedStyle(document.documentElement);
			const fill = (colour) => style.getPropertyValue(`--bp-${colour}`).trim();
			const lines = ['digraph blueprint {', '\tnode [shape=box, style=filled, fontname="Helvetica", fontsize=10, fontcolor="#101010"];', '\tedge [arrowsize=0.6];'];
			for (const node of this.shown().list()) {
				const text = `${plainName(delta.name(node))}\n${label(delta, node, metric, basis)}`;
				lines.push(`\tn${node} [label=${quoted(text.replace('\n', '\u0000')).replace('\ufffd', '\\n')}, tooltip=${quoted(spoken(delta, node, metric, basis))}, `
					+ `fillcolor="${fill(boxes.colour(node))}", width=${(boxes.width(node) / 72).toFixed(3)}, height=${(boxes.height(node) / 72).toFixed(3)}, `
					+ `penwidth=${this.shown().hides(node) ? 3 : 1}];`);
				if (delta.parent[node] !== NONE)
					lines.push(`\tn${delta.parent[node]} -> n${node};`);
			}
			perfevo.download(fileName(this.context, 'blueprint.dot'), `${lines.join('\n')}\n}\n`, 'text/vnd.graphviz');
		}

		release() {
			this.abort.abort();
			this.element.replaceChildren();
		}
	}

	let view = null;
	perfevo.views.blueprint = {
		title: 'Blueprint',
		mount(element, context) { view = new View(element, context); this.view = view; },
		unmount() {
			if (view)
				view.release();
			view = null;
			this.view = null;
		},
		keys: [
			['↑ ↓ ← →', 'to the caller, a callee, a neighbour'], ['Enter', 'show or hide the children of the selected box'],
			['p', 'show its delta hot path'], ['c', 'show its children'], ['a', 'show all below it'], ['h', 'hide all below it'],
			['m', 'the menu of the selected box'], ['/', 'search methods and files'], ['n N', 'next and previous hit'],
			['f', 'everything in sight'], ['+ −', 'zoom'], ['Home', 'to the root'],
		],
	};
})();
