/* Names: what linkage names are called in the source. */
#include "app/changes/cross.h"

#include <criterion/criterion.h>
#include <criterion/parameterized.h>

struct named {
	char linkage[64], source[32];
};

ParameterizedTestParameters(cross, source_names)
{
	static struct named names[] = {
		{"main", "main"},
		{"sum.constprop.0", "sum"},
		{"sum.part.0.cold", "sum"},
		{".text.12", ".text.12"},
		{"_Z3foov", "foo"},
		{"_ZN3foo3barEi", "bar"},
		{"_ZNK3foo3barEv.cold", "bar"},
		{"_ZN12_GLOBAL__N_15probeEv", "probe"},
		{"_ZL4helpi", "help"},
		{"_ZNSt6vectorIiSaIiEE9push_backERKi", "push_back"},
		{"_ZN3mapIiN2ns3keyILi3EEEE4findEi", "find"},
		{"_ZN5tableC2Ev", "table"},
		{"_ZN5tableD1Ev", "~table"},
		{"_ZN5tableB5cxx113getEv", "get"},
		{"_ZN5tableplERKS_", ""},
		{"_ZZ4mainENKUlvE_clEv", ""},
		{"_ZN99999foo", ""},
		{"_ZN3fo", ""},
		{"_ZN4tool5parse5twice17h06f845aa5e6a00a4E", "twice"},
		{"_ZN4tool5parse6Parser5weigh17h06f845aa5e6a00a4E.llvm.7", "weigh"},
		{"_Z", ""},
		{"", ""},
	};

	return cr_make_param_array(struct named, names, sizeof(names) / sizeof(*names));
}

ParameterizedTest(struct named *named, cross, source_names, .timeout = 20)
{
	struct pe_arena arena = PE_ARENA_INIT;

	cr_expect_str_eq(pe_source_name(named->linkage, &arena), named->source, "%s",
			 named->linkage);
	pe_arena_release(&arena);
}
