/*
 * Make the page's scripts small: node minify.mjs NPM_DIR OUT_DIR FILE.js... Comments and long names go; what
 * scripts share stays named as it is, because each is minified alone.
 */
import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const [npm, out, ...files] = process.argv.slice(2);
const { minify } = createRequire(path.resolve(npm, 'package.json'))('terser');

mkdirSync(out, { recursive: true });
for (const file of files) {
	const { code } = await minify({ [path.basename(file)]: readFileSync(file, 'utf8') }, { ecma: 2020, toplevel: false });
	/* the page has the code between script tags */
	writeFileSync(path.join(out, path.basename(file)), code.replace(/<\/script/gi, '<\\/script').replace(/<!--/g, '<\\!--'));
}
