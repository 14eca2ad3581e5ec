#include "report/short_name.h"

#include "report/format.h"
#include "tests/support/test.h"

TestSuite(short_name, .timeout = 600);

/* A name and its last component. */
static const struct {
	const char *name, *last;
} names[] = {
	{"pugi::impl::(anonymous namespace)::strconv_pcdata_impl<pugi::impl::(anonymous "
	 "namespace)::opt_true, pugi::impl::(anonymous namespace)::opt_false>::parse(char*)",
	 "parse"},
	{"pugi::impl::(anonymous namespace)::strconv_pcdata_impl<pugi::impl::(anonymous "
	 "namespace)::opt_true, pugi::impl::(anonymous namespace)::opt_true>::parse(char*)",
	 "parse"},
	{"pugi::impl::(anonymous namespace)::strconv_pcdata_impl<pugi::impl::(anonymous "
	 "namespace)::opt_false, pugi::impl::(anonymous namespace)::opt_true>::parse(char*)",
	 "parse"},
	{"pugi::impl::(anonymous namespace)::xml_parser::parse_tree(char*, pugi::xml_node_struct*, "
	 "unsigned int, char)",
	 "parse_tree"},
	{"pugi::impl::(anonymous namespace)::text_output_escaped(pugi::impl::(anonymous "
	 "namespace)::xml_buffered_writer&, char const*, pugi::impl::(anonymous "
	 "namespace)::chartypex_t, unsigned int)",
	 "text_output_escaped"},
	{"std::vector<int, std::allocator<int> >::push_back(int const&)", "push_back"},
	{"std::vector<long, std::allocator<long> >::push_back(long const&)", "push_back"},
	{"std::_Rb_tree<int, std::pair<int const, int>, std::_Select1st<std::pair<int const, int> >, "
	 "std::less<int> >::find(int const&) const",
	 "find"},
	{"json::parser::accept(json::token) const", "accept"},
	{"json::detail::very::deeply::nested::parser::accept(json::token) const", "accept"},
	{"serve(http::request const&)::{lambda(int, char const*)#1}::operator()(int, char const*) const",
	 "operator()"},
	{"serve(http::request const&)::{lambda(int, char const*)#2}::operator()(int, char const*) const",
	 "operator()"},
	{"std::function<void (int, char const*)>::operator()(int, char const*) const",
	 "operator()"},
	{"std::ostream& std::operator<< <std::char_traits<char> >(std::basic_ostream<char>&, char "
	 "const*)",
	 "operator<<"},
	{"bool geometry::operator< <double>(geometry::point<double> const&, geometry::point<double> "
	 "const&)",
	 "operator<"},
	{"matrix<double, 3ul, 3ul>::operator[](unsigned long) const", "operator[]"},
	{"matrix<double, 4ul, 4ul>::operator[](unsigned long) const", "operator[]"},
	{"smart::handle<connection::state>::operator->() const", "operator->"},
	{"json::value::operator std::string() const", "operator std::string"},
	{"compress_block(char const*, unsigned long) [clone .isra.0]", "compress_block"},
	{"compress_block(char const*, unsigned long)", "compress_block"},
	{"lz::compress_tail(char const*, unsigned long) [clone .constprop.0]", "compress_tail"},
	{"network::connection_pool<network::tls_socket>::~connection_pool()", "~connection_pool"},
	{"network::connection_pool<network::tls_socket>::connection_pool(unsigned long)",
	 "connection_pool"},
	{"void (anonymous namespace)::sort_rows<row*, by_key>(row*, row*, by_key)", "sort_rows"},
	{"void (anonymous namespace)::sort_rows<row*, by_date>(row*, row*, by_date)", "sort_rows"},
	{"<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop", "drop"},
	{"<core::option::Option<T> as core::clone::Clone>::clone", "clone"},
};

enum { N = sizeof(names) / sizeof(*names) };

/* Whether a short name ends in a component, but for its arguments and parameters. */
static bool ends_in(const char *shown, const char *last, size_t width)
{
	const char *at = NULL;

	if (pe_text_columns(last) > width)
		return true;
	for (const char *next = strstr(shown, last); next != NULL; next = strstr(next + 1, last))
		at = next;
	if (at == NULL)
		return false;
	at += strlen(last);
	return *at == '\0' || *at == '.' || *at == '<' || *at == '(' || strncmp(at, " <", 2) == 0 ||
	       strncmp(at, " [clone", 7) == 0 || strncmp(at, "…", strlen("…")) == 0;
}

Test(short_name, names_of_one_table_stay_different_and_keep_their_last_component)
{
	for (size_t width = 20; width <= 60; width++) {
		struct pe_arena arena = PE_ARENA_INIT;
		struct pe_short_name all[N];

		for (size_t i = 0; i < N; i++)
			all[i] = (struct pe_short_name){.name = names[i].name, .columns = width};
		pe_short_names_fit(all, N, "…", &arena);
		for (size_t i = 0; i < N; i++) {
			cr_expect(pe_text_columns(all[i].shown) <= width, "%zu: %s", width,
				  all[i].shown);
			cr_expect(ends_in(all[i].shown, names[i].last, width) ||
					  strcmp(all[i].shown, all[i].name) == 0,
				  "%zu: %s of %s", width, all[i].shown, all[i].name);
			cr_expect(all[i].shown[0] != '#', "%zu: %s", width, all[i].shown);
			for (size_t j = 0; j < i; j++)
				cr_expect(strcmp(all[i].shown, all[j].shown) != 0, "%zu: %s", width,
					  all[i].shown);
		}
		pe_arena_release(&arena);
	}
}

Test(short_name, a_name_loses_parameters_first_then_arguments_then_qualifiers)
{
	static const struct {
		const char *name;
		size_t columns;
		const char *shown;
	} cases[] = {
		{"json::parse_document(json::lexer&, json::pool&)", 24, "json::parse_document(…)"},
		{"json::parse_document(json::lexer&, json::pool&)", 20, "json::parse_document"},
		{"json::parse_document(json::lexer&, json::pool&)", 17, "…parse_document"},
		{"json::parse_document(json::lexer&, json::pool&)", 14, "parse_document"},
		{"json::parse_document(json::lexer&, json::pool&)", 9, "pars…ment"},
		{"a行の整列とその他", 9, "a行の…他"},
		{"a::list<int, less<int> >::find<long>(long)", 31, "a::list<…>::find<long>"},
		{"a::list<int, less<int> >::find<long>(long)", 21, "a::list<…>::find<…>"},
		{"a::list<int, less<int> >::find<long>(long)", 17, "a::list::find<…>"},
		{"ns::(anonymous namespace)::run(int)", 31, "ns::(anonymous namespace)::run"},
		{"operator<< <std::char_traits<char> >(std::ostream&)", 20, "operator<< <…>"},
		{"std::function<void (int, char const*)>::operator()(int) const", 20,
		 "…operator()"},
		{"void sort<row*>(row*, row*)", 20, "sort<row*>(…)"},
		{"f(int)::{lambda(char)#1}::operator()(char) const", 30,
		 "f::{lambda#1}::operator()(…)"},
		{"compress(char const*) [clone .isra.0]", 20, "compress(…).isra.0"},
		{"sift_down.constprop.0", 40, "sift_down.constprop.0"},
		{"core::slice::sort::heapsort::{{closure}}", 30, "…sort::heapsort::{{closure}}"},
		{"github.com/user/project/parser.(*Parser).next", 20, "…(*Parser).next"},
		{"a->b::c<d>::run_the_whole_thing", 20, "…run_the_whole_thing"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct pe_text text = PE_TEXT_INIT;

		pe_short_name_add(&text, cases[i].name, cases[i].columns);
		cr_expect_str_eq(pe_text_str(&text), cases[i].shown, "%zu: %s", cases[i].columns,
				 pe_text_str(&text));
		pe_text_release(&text);
	}
}
