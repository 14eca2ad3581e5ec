/*
 * Page: controls, legend, tables and details around the chart. Text enters the document as text, never as
 * markup: names and messages come from strangers.
 */
'use strict';

(async () => {
	const { formatValue, formatChange, formatDate, shortId, plural } = perfevo;
	const $ = (id) => document.getElementById(id);
	const model = perfevo.read(await perfevo.block('index'));
	const MOST_SHOWN = 8;  /* lines at first, where there are more benchmarks than that */
	const MOST_ROWS = 200; /* of a table before a button asks for the rest */
	const MOST_LEGEND = 400;
	const MOST_CARDS = 48;

	/** An element with properties and children; strings become text. */
	function el(name, properties = {}, ...children) {
		const element = document.createElement(name);
		for (const [key, value] of Object.entries(properties)) {
			if (key in element)
				element[key] = value;
			else
				element.setAttribute(key, value);
		}
		element.append(...children.filter((child) => child !== null && child !== ''));
		return element;
	}

	const revisionOf = (r) => model.revisions[r];
	const index = new Map(model.lines.map((line) => [`${line.metric} ${line.name}`, line]));
	const lineOf = (name, metric) => index.get(`${metric} ${name}`);
	const unitOf = (line) => model.metrics[line.metric].unit;
	const failuresAt = (r) => model.failures.filter((failure) => failure.revision === r);

	/* ---- state ---- */

	const sizes = new Map(model.benchmarks.map((name) => [name, 0]));
	for (const jump of model.jumps) {
		const { name } = model.lines[jump.line];
		sizes.set(name, Math.max(sizes.get(name), perfevo.jumpSize(jump) + (jump.regression ? 100 : 0)));
	}
	const ranked = [...model.benchmarks].sort((a, b) => sizes.get(b) - sizes.get(a) || (a < b ? -1 : 1));
	const many = model.benchmarks.length > MOST_SHOWN;

	function firstMetric() {
		const wall = model.metrics.findIndex((metric) => metric.name === 'wall');
		const judged = model.lines.find((line) => line.judged);
		return wall >= 0 ? wall : judged ? judged.metric : 0;
	}

	function firstVisible() {
		if (!many)
			return new Set(model.benchmarks);
		const moved = ranked.filter((name) => sizes.get(name) > 0);
		return new Set((moved.length > 0 ? moved : ranked).slice(0, MOST_SHOWN));
	}

	const state = { metric: firstMetric(), scale: 'fit', band: true, visible: firstVisible(), filter: '', sort: null };
	/**
	 * Colour and dash of a benchmark: few benchmarks keep theirs for good; of many, those that are shown take
	 * the first that are free, so that neighbours differ.
	 */
	const slots = new Map(many ? [] : model.benchmarks.map((name, i) => [name, i]));
	function assignSlots() {
		for (const name of many ? [...slots.keys()] : [])
			if (!state.visible.has(name))
				slots.delete(name);
		const taken = new Set(slots.values());
		let free = 0;
		for (const name of state.visible) {
			if (slots.has(name))
				continue;
			while (taken.has(free))
				free++;
			taken.add(free);
			slots.set(name, free);
		}
		for (const line of model.lines)
			line.slot = slots.has(line.name) ? slots.get(line.name) : null;
	}

	const shownLines = () => model.lines.filter((line) => line.metric === state.metric && line.first !== null
		&& state.visible.has(line.name));

	/** Lines of one size share their scale; else only their course can be compared. */
	function fittingScale() {
		const lines = shownLines();
		const low = Math.min(...lines.map((line) => line.low));
		const high = Math.max(...lines.map((line) => line.high));
		const hasShare = lines.every((line) => line.median[line.first] > 0);
		return lines.length > 1 && hasShare && high / low > 4 ? 'percent' : 'fit';
	}
	state.scale = fittingScale();
	assignSlots();

	/* ---- tooltip ---- */

	const tip = el('div', { className: 'tip', hidden: true, id: 'tip' });
	$('chart').parentElement.append(tip);

	function placeTip({ x, y }) {
		tip.hidden = false;
		const room = tip.parentElement.clientWidth;
		const left = x + 18 + tip.offsetWidth > room ? x - 18 - tip.offsetWidth : x + 18;
		tip.style.left = `${Math.max(0, left)}px`;
		tip.style.top = `${Math.max(-20, y - tip.offsetHeight / 2)}px`;
	}

	const commitLine = (r) => el('div', {}, el('code', { textContent: shortId(revisionOf(r).id) }), ' ',
		el('span', { className: 'subject', textContent: revisionOf(r).subject }));
	const byLine = (r) => el('div', { className: 'dim', textContent: `${revisionOf(r).author}, ${formatDate(revisionOf(r).time)}` });

	function swatch(line) {
		const colours = perfevo.palette();
		const mark = el('span', { className: 'swatch' });
		if (line.slot === null) {
			mark.style.borderTopColor = colours.grid;
			return mark;
		}
		mark.style.borderTopColor = colours.lines[line.slot % perfevo.LINE_COLOURS];
		mark.style.borderTopStyle = ['solid', 'dashed', 'dotted', 'dashed'][Math.floor(line.slot / perfevo.LINE_COLOURS) % 4];
		return mark;
	}

	function changeText(line, r) {
		const before = perfevo.previous(line, r);
		return before === null ? '' : formatChange(line.median[before] === line.median[r] ? 0
			: perfevo.relative(line.median[before], line.median[r]));
	}

	function jumpBadge(jump) {
		return el('span', { className: `pill ${jump.regression ? 'bad' : 'good'}`,
			textContent: `${jump.regression ? '▲ regression' : '▼ improvement'} ${formatChange(jump.relative)}` });
	}

	/** Where a figure comes from that was not measured at its revision. */
	const carriedText = (line, r) => (line.carried.has(r)
		? `carried over from ${shortId(revisionOf(line.carried.get(r)).id)} (identical build)` : '');

	function hover(line, r, place) {
		const unit = unitOf(line);
		const change = changeText(line, r);
		const jump = line.jumps.find((j) => j.after === r);
		tip.replaceChildren(
			el('div', { className: 'name' }, swatch(line), line.name),
			el('div', {}, el('span', { className: 'figure', textContent: formatValue(line.median[r], unit) }),
				change ? el('span', { className: 'dim', textContent: `  ${change} against the one before` }) : ''),
			jump ? el('div', {}, jumpBadge(jump)) : '',
			line.carried.has(r) ? el('div', { textContent: `◇ ${carriedText(line, r)}` }) : '',
			commitLine(r), byLine(r),
			el('div', { className: 'dim', textContent: `median of ${plural(line.n(r), 'run')}, MAD ${formatValue(line.mad[r], unit)}, `
				+ `middle half ${formatValue(line.q25[r], unit)} to ${formatValue(line.q75[r], unit)}` }));
		placeTip(place);
		$('spoken').textContent = `${line.name}, ${shortId(revisionOf(r).id)}: ${formatValue(line.median[r], unit)} ${change} ${carriedText(line, r)}`.trimEnd();
	}

	function failed(r, whats, place) {
		tip.replaceChildren(...whats.map((what) => el('div', { className: 'name', textContent: what.text })), commitLine(r), byLine(r));
		placeTip({ x: place.x, y: place.y - tip.offsetHeight / 2 - 14 });
	}

	/* ---- details of a revision ---- */

	function figureRow(line, r) {
		const unit = unitOf(line);
		const jump = line.jumps.find((j) => j.after === r);
		return el('tr', {},
			el('td', { className: 'name', textContent: line.name }),
			el('td', { textContent: model.metrics[line.metric].label }),
			el('td', { className: 'num', textContent: formatValue(line.median[r], unit) }),
			el('td', { className: 'num', textContent: changeText(line, r) }),
			el('td', { className: 'num', textContent: formatValue(line.mad[r], unit) }),
			el('td', { className: 'figures', textContent: `${formatValue(line.q25[r], unit)} – ${formatValue(line.q75[r], unit)}` }),
			el('td', { className: 'num', textContent: String(line.n(r)) }),
			el('td', {}, jump ? jumpBadge(jump) : '', line.carried.has(r) ? el('span', { className: 'dim', textContent: carriedText(line, r) }) : ''));
	}

	/** Programs colour their output for a terminal; here the codes would only be noise. */
	const plain = (log) => log.replace(/\x1b\[[0-?]*[ -/]*[@-~]|\x1b[@-Z\\-_]/g, '');

	function logOf(failure) {
		if (!failure.log)
			return el('span', { className: 'dim', textContent: 'no output' });
		return el('details', {}, el('summary', { textContent: failure.cut ? 'the end of its output' : 'output' }),
			el('pre', { textContent: plain(failure.log) }));
	}

	function copyButton(text) {
		const button = el('button', { type: 'button', className: 'quiet', textContent: 'copy' });
		button.addEventListener('click', async () => {
			try {
				await navigator.clipboard.writeText(text);
				button.textContent = 'copied';
			} catch {
				getSelection().selectAllChildren(button.previousElementSibling);
			}
		});
		return button;
	}

	function fact(term, ...description) {
		return el('div', {}, el('dt', { textContent: term }), el('dd', {}, ...description));
	}

	function pick(line, r) {
		const revision = revisionOf(r);
		const rows = model.lines.filter((l) => l.median[r] != null
			&& (l.metric === state.metric || l.jumps.some((j) => j.after === r)));
		rows.sort((a, b) => Number(b === line) - Number(a === line) || state.visible.has(b.name) - state.visible.has(a.name));
		const close = el('button', { type: 'button', className: 'quiet', textContent: 'close' });
		close.addEventListener('click', () => { $('details').hidden = true; $('chart').focus(); });
		$('details').replaceChildren(
			el('div', { className: 'head' }, el('h2', { id: 'details-title', textContent: revision.subject },
				revision.decoration ? el('span', { className: 'tag', textContent: revision.decoration }) : ''), close),
			el('dl', {},
				fact('Commit', el('code', { textContent: revision.id }), copyButton(revision.id)),
				fact('Author', revision.author),
				fact('Date', formatDate(revision.time)),
				fact('Place', `${(r + 1).toLocaleString('en')} of ${model.revisions.length.toLocaleString('en')}`)),
			...failuresAt(r).map((failure) => el('p', {}, el('strong', { className: 'bad',
				textContent: `${failure.benchmark === null ? 'Build' : failure.benchmark}: ${failure.outcome}` }), ' ', logOf(failure))),
			rows.length === 0 ? el('p', { className: 'dim', textContent: 'Nothing was measured at this revision.' })
				: el('div', { className: 'scroll' }, el('table', {}, el('thead', {}, el('tr', {},
					...['Benchmark', 'Metric', 'Median', 'Change', 'MAD', 'Middle half', 'Runs', ''].map((text, i) => el('th', {
						scope: 'col', textContent: text, className: [2, 3, 4, 6].includes(i) ? 'num' : '' })))),
				el('tbody', {}, ...rows.slice(0, MOST_ROWS).map((l) => figureRow(l, r))))));
		$('details').hidden = false;
	}

	/* ---- chart ---- */

	const chart = new perfevo.Chart($('chart'), $('rail'), $('overview'), model,
		{ hover, failed, leave: () => { tip.hidden = true; }, pick });
	perfevo.page = { chart, model, state };

	function unitText(metric) {
		if (state.scale === 'percent')
			return `, percent of the first figure${chart.isLogarithmic() ? ' (logarithmic)' : ''}`;
		return ['ns', 'bytes', '1'].includes(metric.unit) ? '' : `, ${metric.unit}`;
	}

	function drawChart() {
		const lines = shownLines();
		$('scale').value = state.scale;
		chart.show(lines, { metric: state.metric, scale: state.scale, band: state.band });
		const jumps = lines.reduce((sum, line) => sum + line.jumps.length, 0);
		const metric = model.metrics[state.metric];
		$('axis').textContent = metric ? `${metric.label}${unitText(metric)}; ${metric.lower ? 'lower' : 'higher'} is better` : '';
		$('chart').setAttribute('aria-label', metric ? `${metric.label} of ${plural(lines.length, 'benchmark')} over `
			+ `${plural(model.revisions.length, 'revision')}, ${plural(jumps, 'jump')}` : 'Nothing was measured');
	}

	/* ---- legend ---- */

	const matches = (name) => name.toLowerCase().includes(state.filter.toLowerCase());

	function legendEntry(line) {
		const worse = line.jumps.filter((jump) => jump.regression).length;
		const better = line.jumps.length - worse;
		const entry = el('button', { type: 'button', className: 'entry', title: line.name,
			'aria-pressed': String(state.visible.has(line.name)) },
		swatch(line),
		el('span', { className: 'label' }, line.name),
		el('span', { className: 'latest' },
			line.last === null ? 'not measured' : formatValue(line.median[line.last], unitOf(line)),
			worse > 0 ? el('span', { className: 'marks bad', textContent: '▲'.repeat(Math.min(worse, 3)), title: plural(worse, 'regression') }) : '',
			better > 0 ? el('span', { className: 'marks good', textContent: '▼'.repeat(Math.min(better, 3)), title: plural(better, 'improvement') }) : ''));
		entry.addEventListener('click', () => {
			if (state.visible.has(line.name))
				state.visible.delete(line.name);
			else
				state.visible.add(line.name);
			entry.setAttribute('aria-pressed', String(state.visible.has(line.name)));
			chart.highlighted = null;
			assignSlots();
			entry.replaceChild(swatch(line), entry.firstChild);
			drawChart();
			markCards();
		});
		const only = el('button', { type: 'button', className: 'quiet only', textContent: 'only', 'aria-label': `Only ${line.name}` });
		only.addEventListener('click', () => choose([line.name]));
		const item = el('li', {}, entry, only);
		item.addEventListener('mouseenter', () => state.visible.has(line.name) && chart.highlight(line.index));
		item.addEventListener('mouseleave', () => chart.highlight(null));
		return item;
	}

	function drawLegend() {
		const lines = ranked.map((name) => lineOf(name, state.metric)).filter((line) => line && matches(line.name));
		const ordered = many ? lines : [...lines].sort((a, b) => a.slot - b.slot);
		$('legend').replaceChildren(...ordered.slice(0, MOST_LEGEND).map(legendEntry));
		if (ordered.length > MOST_LEGEND)
			$('legend').append(el('li', { className: 'dim', textContent: `and ${ordered.length - MOST_LEGEND} more: filter by name` }));
		if (ordered.length === 0)
			$('legend').append(el('li', { className: 'dim', textContent: 'No benchmark has that name.' }));
	}

	/** Show these benchmarks and no others. */
	function choose(names) {
		state.visible = new Set(names);
		state.scale = fittingScale();
		assignSlots();
		chart.highlighted = null;
		drawLegend();
		drawChart();
		markCards();
	}

	/* ---- jumps ---- */

	const jumpKeys = {
		kind: (jump) => (jump.regression ? 0 : 1),
		benchmark: (jump) => model.lines[jump.line].name,
		metric: (jump) => model.metrics[model.lines[jump.line].metric].label,
		change: (jump) => perfevo.jumpSize(jump),
		revision: (jump) => jump.after,
	};
	const byRank = (a, b) => b.regression - a.regression || perfevo.jumpSize(b) - perfevo.jumpSize(a) || a.after - b.after;

	function sortedJumps() {
		const jumps = model.jumps.filter((jump) => matches(model.lines[jump.line].name));
		if (state.sort === null)
			return jumps.sort(byRank);
		const key = jumpKeys[state.sort.key];
		const order = (a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0) * (state.sort.down ? -1 : 1);
		return jumps.sort((a, b) => order(a, b) || byRank(a, b));
	}

	function goTo(jump) {
		const line = model.lines[jump.line];
		state.metric = line.metric;
		$('metric').value = String(line.metric);
		choose([line.name]);
		const around = Math.max(12, Math.min(60, Math.round(model.revisions.length / 8)));
		chart.setView({ min: jump.before - around, max: jump.after + around });
		pick(line, jump.after);
		$('chart').scrollIntoView({ block: 'center' });
		$('chart').focus({ preventScroll: true });
		queueMicrotask(() => chart.point(line, jump.after)); /* uPlot settles its scales in a microtask */
	}

	function jumpCommit(jump) {
		const suspects = jump.commits;
		return el('td', { className: 'commit' },
			el('code', { textContent: suspects > 1 ? `in ${shortId(revisionOf(jump.before).id)}..${shortId(revisionOf(jump.after).id)}`
				: shortId(revisionOf(jump.after).id) }), ' ',
			suspects > 1 ? el('span', { className: 'dim', textContent: `(${suspects} commits) ` }) : '',
			revisionOf(jump.after).subject);
	}

	function jumpRow(jump) {
		const line = model.lines[jump.line];
		const unit = unitOf(line);
		const go = el('button', { type: 'button', className: 'go', textContent: line.name, 'aria-label': `Show the jump of ${line.name} in the chart` });
		const row = el('tr', {},
			el('td', {}, el('span', { className: `pill ${jump.regression ? 'bad' : 'good'}`, textContent: jump.regression ? '▲ regression' : '▼ improvement' })),
			el('td', { className: 'name' }, go),
			el('td', { className: 'figures', textContent: model.metrics[line.metric].label }),
			el('td', { className: `num ${jump.regression ? 'bad' : 'good'}` }, el('strong', { textContent: formatChange(jump.relative) })),
			el('td', { className: 'figures dim', textContent: jump.low === null || jump.high === null || jump.low === jump.high ? 'exact'
				: `${formatChange(jump.low)} to ${formatChange(jump.high)}` }),
			el('td', { className: 'figures', textContent: `${formatValue(jump.oldLevel, unit)} → ${formatValue(jump.newLevel, unit)}` }),
			jumpCommit(jump));
		row.addEventListener('click', () => goTo(jump));
		return row;
	}

	function drawJumps(all = false) {
		const jumps = sortedJumps();
		const rows = all ? jumps : jumps.slice(0, MOST_ROWS);
		const table = $('jump-table');
		table.tBodies[0].replaceChildren(...rows.map(jumpRow));
		table.parentElement.hidden = jumps.length === 0;
		$('jumps-none').hidden = jumps.length > 0;
		$('jumps-none').textContent = model.jumps.length > 0 ? 'No jump of a benchmark with that name.'
			: model.lines.some((line) => line.judged) ? 'No benchmark moved to another level.' : 'Nothing was judged.';
		$('jumps-more').hidden = rows.length === jumps.length;
		$('jumps-more').textContent = `Show all ${jumps.length}`;
		for (const th of table.tHead.rows[0].cells) {
			const button = th.querySelector('button');
			const sorted = button && state.sort && state.sort.key === button.dataset.key;
			if (sorted)
				th.setAttribute('aria-sort', state.sort.down ? 'descending' : 'ascending');
			else
				th.removeAttribute('aria-sort');
		}
	}

	/* ---- small multiples ---- */

	const cardLines = new Map();
	const seen = new IntersectionObserver((entries) => {
		for (const entry of entries)
			if (entry.isIntersecting)
				perfevo.drawMini(entry.target, cardLines.get(entry.target), model.revisions.length, perfevo.palette());
	}, { rootMargin: '200px' });

	function card(line) {
		const canvas = el('canvas', { 'aria-hidden': 'true' });
		const whole = perfevo.relative(line.median[line.first], line.median[line.last]);
		const moved = line.jumps.length > 0;
		const worse = line.jumps.some((jump) => jump.regression);
		const button = el('button', { type: 'button', className: 'mini', title: line.name, 'aria-pressed': 'false' },
			el('span', { className: 'row' }, el('span', { className: 'label', textContent: line.name }),
				el('span', { className: moved ? (worse ? 'bad' : 'good') : 'dim', textContent: formatChange(whole) })),
			canvas,
			el('span', { className: 'row dim' }, `${formatValue(line.median[line.first], unitOf(line))} → ${formatValue(line.median[line.last], unitOf(line))}`));
		button.dataset.name = line.name;
		button.addEventListener('click', () => {
			choose([line.name]);
			chart.setView(chart.whole());
			$('chart').scrollIntoView({ block: 'center' });
		});
		cardLines.set(canvas, line);
		seen.observe(canvas);
		return button;
	}

	function drawCards(all = false) {
		seen.disconnect();
		cardLines.clear();
		$('multiples').hidden = !many;
		if (!many)
			return;
		const lines = ranked.map((name) => lineOf(name, state.metric)).filter((line) => line && line.first !== null && matches(line.name));
		$('cards').replaceChildren(...(all ? lines : lines.slice(0, MOST_CARDS)).map(card));
		$('cards-more').hidden = all || lines.length <= MOST_CARDS;
		$('cards-more').textContent = `Show all ${lines.length}`;
		markCards();
	}

	function markCards() {
		for (const button of $('cards').children)
			button.setAttribute('aria-pressed', String(state.visible.has(button.dataset.name)));
	}

	/* ---- the rest of the page ---- */

	function tile(value, text, kind = '') {
		return el('div', { className: 'tile' }, el('b', { className: kind, textContent: value }), el('span', { textContent: text }));
	}

	function drawHead() {
		const n = model.revisions.length;
		const regressions = model.jumps.filter((jump) => jump.regression).length;
		const broken = new Set(model.failures.map((failure) => failure.revision)).size;
		$('project').textContent = model.project || 'perfevo';
		$('subtitle').textContent = n === 0 ? 'No revision was measured'
			: `${plural(n, 'revision')}, ${shortId(revisionOf(0).id)} to ${shortId(revisionOf(n - 1).id)}, `
				+ `${formatDate(revisionOf(0).time)} to ${formatDate(revisionOf(n - 1).time)}`;
		$('carried').textContent = model.carried || '';
		$('carried').hidden = !model.carried;
		const improvements = model.jumps.length - regressions;
		$('tiles').replaceChildren(
			tile(`${regressions > 0 ? '▲ ' : ''}${regressions}`, regressions === 1 ? 'regression' : 'regressions', regressions > 0 ? 'bad' : ''),
			tile(`${improvements > 0 ? '▼ ' : ''}${improvements}`, improvements === 1 ? 'improvement' : 'improvements', improvements > 0 ? 'good' : ''),
			tile(model.benchmarks.length.toLocaleString('en'), model.benchmarks.length === 1 ? 'benchmark' : 'benchmarks'),
			tile(n.toLocaleString('en'), n === 1 ? 'revision' : 'revisions'),
			tile(broken.toLocaleString('en'), 'with failures'));
		const recorded = [...new Set(model.lines.filter((line) => !line.judged).map((line) => model.metrics[line.metric].label))];
		$('footer').replaceChildren(
			el('p', { textContent: `Measured on ${model.machine || 'an unknown machine'}.`
				+ (recorded.length > 0 ? ` Recorded, not judged: ${recorded.join(', ')}.` : '') }),
			el('p', { textContent: `Written on ${formatDate(model.generated)} by perfevo ${model.version}.` }));
	}

	function drawFailures() {
		$('failures').hidden = model.failures.length === 0;
		$('failure-rows').replaceChildren(...model.failures.map((failure) => {
			const go = el('button', { type: 'button', className: 'quiet mono', textContent: shortId(revisionOf(failure.revision).id) });
			go.addEventListener('click', () => { pick(null, failure.revision); $('details').focus(); });
			return el('tr', {},
				el('td', { className: 'name' }, go, el('div', { className: 'dim', textContent: revisionOf(failure.revision).subject })),
				el('td', { className: 'name', textContent: failure.benchmark === null ? 'the build' : failure.benchmark }),
				el('td', { textContent: failure.status ? `${failure.outcome} (${failure.outcome === 'crashed' ? 'signal' : 'status'} ${failure.status})` : failure.outcome }),
				el('td', {}, logOf(failure)));
		}));
		$('left-out').hidden = model.leftOut.length === 0;
		$('left-out-rows').replaceChildren(...model.leftOut.map((test) => el('li', {},
			el('strong', { textContent: test.name }), `: ${test.reason}`)));
	}

	function drawMetrics() {
		$('metric').replaceChildren(...model.metrics.map((metric, i) => el('option', { value: String(i), textContent: metric.label })));
		$('metric').value = String(state.metric);
	}

	/* ---- themes ---- */

	const wantsDark = matchMedia('(prefers-color-scheme: dark)');
	const root = document.documentElement;

	function drawTheme() {
		const dark = root.dataset.theme ? root.dataset.theme === 'dark' : wantsDark.matches;
		$('theme').textContent = dark ? '☀ Light' : '☾ Dark';
		return dark;
	}

	function redraw() {
		drawTheme();
		drawLegend();
		drawChart();
		drawCards();
	}

	function remember(theme) {
		try {
			localStorage.setItem('perfevo-theme', theme);
		} catch {
			/* pages from a file may have no storage: the choice lasts as long as the page */
		}
	}

	function recall() {
		try {
			const theme = localStorage.getItem('perfevo-theme');
			if (theme === 'dark' || theme === 'light')
				root.dataset.theme = theme;
		} catch {
			/* as above */
		}
	}

	$('theme').addEventListener('click', () => {
		root.dataset.theme = drawTheme() ? 'light' : 'dark';
		remember(root.dataset.theme);
		redraw();
	});
	wantsDark.addEventListener('change', redraw);

	/* paper is white */
	let screenTheme;
	addEventListener('beforeprint', () => {
		screenTheme = root.dataset.theme;
		root.dataset.theme = 'light';
		redraw();
		for (const [canvas, line] of cardLines)
			perfevo.drawMini(canvas, line, model.revisions.length, perfevo.palette());
	});
	addEventListener('afterprint', () => {
		if (screenTheme)
			root.dataset.theme = screenTheme;
		else
			delete root.dataset.theme;
		redraw();
	});

	/* ---- controls ---- */

	$('metric').addEventListener('change', () => {
		state.metric = Number($('metric').value);
		state.scale = fittingScale();
		redraw();
	});
	$('scale').addEventListener('change', () => { state.scale = $('scale').value; drawChart(); });
	$('band').addEventListener('change', () => { state.band = $('band').checked; drawChart(); });
	$('filter').addEventListener('input', () => {
		state.filter = $('filter').value;
		drawLegend();
		drawJumps();
		drawCards();
	});
	$('show-all').addEventListener('click', () => choose(model.benchmarks.filter(matches)));
	$('show-jumps').addEventListener('click', () => choose(model.benchmarks.filter((name) => sizes.get(name) > 0)));
	$('zoom-in').addEventListener('click', () => chart.zoom(0.6));
	$('zoom-out').addEventListener('click', () => chart.zoom(1 / 0.6));
	$('zoom-all').addEventListener('click', () => chart.setView(chart.whole()));
	$('cards-more').addEventListener('click', () => drawCards(true));
	$('jumps-more').addEventListener('click', () => drawJumps(true));
	for (const button of document.querySelectorAll('#jump-table th button'))
		button.addEventListener('click', () => {
			const { key } = button.dataset;
			const same = state.sort && state.sort.key === key;
			state.sort = { key, down: same ? !state.sort.down : key === 'change' };
			drawJumps();
		});

	$('chart-help').textContent = 'Drag to zoom, double-click for everything; Ctrl + wheel zooms, Shift + drag or the strip above pans. '
		+ 'Click a point for its commit. Keys: arrows, + − 0, Enter. ▲ regression, ▼ improvement, ✕ build failed, ○ benchmark failed'
		+ `${model.carried ? ', ◇ carried over from an identical build' : ''}.`;
	recall();
	drawHead();
	drawMetrics();
	drawJumps();
	drawFailures();
	redraw();
	root.dataset.ready = 'true';
})();
