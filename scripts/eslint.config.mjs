/* What eslint holds against the page (report/web) and against programs for node; scripts/lint.sh runs it. */
import js from '@eslint/js';
import globals from 'globals';

export default [
	js.configs.recommended,
	{
		rules: {
			eqeqeq: ['error', 'always', { null: 'ignore' }],
			'no-control-regex': 'off' /* names and logs come from strangers: control characters are looked for */,
			'no-shadow': 'error',
			'no-var': 'error',
			'prefer-const': ['error', { destructuring: 'all' }],
		},
	},
	{ files: ['report/web/**'], languageOptions: { globals: globals.browser } },
	{ files: ['**/*.cjs'], languageOptions: { globals: globals.node } },
	/* checks of pages hold functions that run in the page, where the bundle is `perfevo` */
	{ files: ['**/*.mjs'], languageOptions: { globals: { ...globals.node, ...globals.browser, perfevo: 'readonly' } } },
];
