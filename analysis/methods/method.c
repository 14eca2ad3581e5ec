#include "analysis/methods/method.h"

const char *pe_method_change_name(enum pe_method_change_kind kind)
{
	static const char *const names[PE_N_METHOD_CHANGES] = {
		[PE_METHOD_ADDED] = "added",       [PE_METHOD_DELETED] = "deleted",
		[PE_METHOD_MODIFIED] = "modified", [PE_METHOD_RENAMED] = "renamed",
		[PE_METHOD_MOVED] = "moved",
	};

	return (unsigned)kind < PE_N_METHOD_CHANGES ? names[kind] : "unknown";
}

size_t pe_method_changes_mc(const struct pe_method_changes *changes)
{
	return changes->count[PE_METHOD_ADDED] + changes->count[PE_METHOD_DELETED] +
	       changes->count[PE_METHOD_MODIFIED];
}
