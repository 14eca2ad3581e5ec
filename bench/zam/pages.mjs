/*
 * Pages: what is done with each library, as three clicks. Each click is a task of its own, and goes on in turns of the
 * event loop where the library does.
 */
const TEXT =
	'`# Title ${i}\\n\\nSome *text* with `+"`code`"+` and a [link](http://a.test/${i}).\\n\\n- one\\n- two\\n\\n> quoted\\n\\n|a|b|\\n|-|-|\\n|1|2|\\n`';

export const PAGES = {
	handlebars: {
		file: 'dist/handlebars.js',
		steps: [
			'for (let i = 0; i < 40; i++) templates.push(Handlebars.compile("{{#each items}}<p>{{name}}{{#if on}}!{{/if}}</p>{{/each}}" + i));',
			'for (const template of templates) out.innerHTML = template({ items: items.slice(0, 60) });',
			'Handlebars.registerHelper("up", (text) => String(text).toUpperCase()); for (let i = 0; i < 20; i++) out.innerHTML = Handlebars.compile("{{#with a}}{{up b}}{{/with}}" + i)({ a: { b: i } });',
		],
	},
	jquery: {
		file: 'dist/jquery.js',
		steps: [
			'for (let i = 0; i < 400; i++) $("<p>").addClass("row r" + i % 7).text("row " + i).appendTo("#out");',
			'for (let i = 0; i < 60; i++) { $("#out p.r3").toggleClass("on").css("width", i + "px"); $("#out").find("p:even").attr("title", i).data("n", i); }',
			'for (let i = 0; i < 40; i++) { $("#out").on("hit", (event) => event.preventDefault()).trigger("hit"); $("#out p").slice(0, 50).each((n, p) => $(p).closest("div")); }',
		],
	},
	lodash: {
		file: 'lodash.js',
		steps: [
			'for (let i = 0; i < 40; i++) templates.push(_.cloneDeep(items));',
			'for (let i = 0; i < 40; i++) out.textContent = _.chain(items).groupBy((item) => item.id % 7).mapValues((list) => _.sumBy(list, "id")).toPairs().sortBy(1).value();',
			'for (let i = 0; i < 40; i++) out.textContent = _.isEqual(items, _.cloneDeep(items)) + _.template("<%= a %>")({ a: i }) + _.uniqBy(_.merge([], items), "name").length;',
		],
	},
	lunr: {
		file: 'lunr.js',
		steps: [
			'templates.push(lunr(function build() { this.ref("id"); this.field("name"); this.field("text"); for (const item of items) this.add(item); }));',
			'for (let i = 0; i < 100; i++) out.textContent = templates[0].search("item" + i + " some*").length;',
			'out.textContent = JSON.stringify(templates[0]).length; templates.push(lunr.Index.load(JSON.parse(JSON.stringify(templates[0]))));',
		],
	},
	'markdown-it': {
		file: 'dist/markdown-it.js',
		steps: [
			`for (let i = 0; i < 150; i++) templates.push(${TEXT}.repeat(3));`,
			'for (const text of templates) out.innerHTML = markdownit().render(text);',
			'for (const text of templates) out.innerHTML = markdownit({ html: true, linkify: true, typographer: true }).render(text);',
		],
	},
	mustache: {
		file: 'mustache.js',
		steps: [
			'for (let i = 0; i < 400; i++) Mustache.parse("{{#items}}<p>{{name}}{{^on}}?{{/on}}</p>{{/items}}" + i);',
			'for (let i = 0; i < 60; i++) out.innerHTML = Mustache.render("{{#items}}<p>{{name}} {{{text}}}</p>{{/items}}", { items });',
			'for (let i = 0; i < 60; i++) out.innerHTML = Mustache.render("{{#items}}{{> row}}{{/items}}", { items: items.slice(0, 90) }, { row: "<b>{{id}}</b>" + i });',
		],
	},
	nunjucks: {
		file: 'browser/nunjucks.js',
		steps: [
			'nunjucks.configure({ autoescape: true }); for (let i = 0; i < 40; i++) templates.push(nunjucks.compile("{% for item in items %}<p>{{ item.name | upper }}{% if item.on %}!{% endif %}</p>{% endfor %}" + i));',
			'for (const template of templates) out.innerHTML = template.render({ items });',
			'for (let i = 0; i < 40; i++) out.innerHTML = nunjucks.renderString("{% macro m(a) %}{{ a | default(1) }}{% endmacro %}{% for item in items %}{{ m(item.id) }}{% endfor %}" + i, { items });',
		],
	},
	papaparse: {
		file: 'papaparse.js',
		steps: [
			'for (let i = 0; i < 40; i++) templates.push(Papa.unparse(items));',
			'for (const text of templates) out.textContent = Papa.parse(text, { header: true }).data.length;',
			'for (const text of templates) out.textContent = Papa.parse(text, { dynamicTyping: true, skipEmptyLines: true }).data.length;',
		],
	},
	showdown: {
		file: 'dist/showdown.js',
		steps: [
			`for (let i = 0; i < 60; i++) templates.push(${TEXT}.repeat(3));`,
			'for (const text of templates) out.innerHTML = new showdown.Converter().makeHtml(text);',
			'for (const text of templates) out.innerHTML = new showdown.Converter({ tables: true, strikethrough: true, tasklists: true }).makeHtml(text);',
		],
	},
	vue: {
		file: 'dist/vue.global.js',
		steps: [
			'globalThis.app = Vue.createApp({ data: () => ({ items, n: 0 }), template: "<p v-for=\\"item in items\\" :title=\\"n\\">{{ item.name }} {{ item.on ? n : 0 }}</p>" }).mount("#out");',
			'globalThis.app.n = 1; for (let i = 0; i < items.length; i += 3) items[i].on = !items[i].on; globalThis.app.$forceUpdate();',
			'globalThis.app.items = globalThis.app.items.slice().reverse(); globalThis.app.n = 2;',
		],
	},
};

/** The page of a library, which is at `lib.js`. */
export const html = (page) => `<!DOCTYPE html><meta charset="utf-8"><title>page</title>
${page.steps.map((step, i) => `<button id="step${i}">${i}</button>`).join('')}<div id="out"></div>
<script>globalThis.zamCalls = {};</script><script src="lib.js"></script><script src="app.js"></script>`;

export const app = (page) => `const out = document.getElementById('out');
const templates = [];
const items = Array.from({ length: 150 }, (unused, i) => ({ id: i, name: 'item' + i, text: 'some text <b> ' + i, on: i % 2 === 0 }));
${page.steps.map((step, i) => `function onStep${i}() {\n\t${step}\n}\ndocument.getElementById('step${i}').addEventListener('click', onStep${i});`).join('\n')}
`;
