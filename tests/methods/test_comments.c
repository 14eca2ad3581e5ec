#include "analysis/methods/comments.h"

#include "tests/support/test.h"

#include <string.h>

static bool same(const char *a, const char *b)
{
	return pe_comments_differ_only(a, strlen(a), b, strlen(b));
}

Test(comments, what_a_compiler_does_not_see_is_no_difference)
{
	cr_expect(same("int a; // one\nint b;\n", "int a; // another one\nint b;\n"));
	cr_expect(same("int a; // one\n", "int a;\n"));
	cr_expect(same("int a; /* one\n two */\nint b;\n",
		       "int a; /* first line\nsecond */\nint b;\n"));
	cr_expect(same("int a;   \n", "int a;\r\n"));
	cr_expect(same("char *s = \"// no /* comment\"; // x\n",
		       "char *s = \"// no /* comment\"; // y\n"));
	cr_expect(same("char c = '\\''; // x\n", "char c = '\\''; // y\n"));
	cr_expect(same("int n = 1'000; // x\n", "int n = 1'000; // y\n"));
	cr_expect(same("#include <a/b.h> // x\n", "#include <a/b.h> // y\n"));
}

Test(comments, whatever_moves_or_is_text_is_a_difference)
{
	cr_expect(!same("int a; // one\nint b;\n", "int a; // one\n// two\nint b;\n"));
	cr_expect(!same("int a; /* one */ int b;\n", "int a; /* once */ int b;\n"));
	cr_expect(!same("int a;\n", "int  a;\n"));
	cr_expect(!same("char *s = \"// x\";\n", "char *s = \"// y\";\n"));
	cr_expect(!same("char *s = \"\\\" // x\";\n", "char *s = \"\\\" // y\";\n"));
	cr_expect(!same("#define A /* \n */ 1\n", "#define A /* */ \n 1\n"));
	cr_expect(!same("/* a */ int b; /* c */\n", "/* a    int b;    c */\n"));
}

Test(comments, what_is_not_certain_is_a_difference)
{
	cr_expect(!same("char *s = R\"(// x)\";\n", "char *s = R\"(// y)\";\n"));
	cr_expect(!same("// x \\\nint a;\n", "// y \\\nint a;\n"));
	cr_expect(!same("// x ?"
			"?/\nint a; ?"
			"?/\n",
			"// y\nint a; ?"
			"?/\n"));
	cr_expect(!same("#error don't // x\n", "#error don't // y\n"));
	cr_expect(!same("#include <a//x>\n", "#include <a//y>\n"));
	cr_expect(!same("/\\\n/ x\n", "/\\\n/ y\n"));
	cr_expect(!same("/* x", "/* y"));
}

Test(comments, languages_are_told_by_their_names)
{
	cr_expect(pe_comments_are_known("a.b/c.cpp") && pe_comments_are_known("x.h"));
	cr_expect(!pe_comments_are_known("a.c/README") && !pe_comments_are_known("x.y") &&
		  !pe_comments_are_known("x.c.in"));
}
