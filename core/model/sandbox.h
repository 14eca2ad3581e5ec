/* Sandbox: what builds and benchmarks may reach, from the config. */
#pragma once

#include "core/model/benchmark.h"

enum pe_sandbox_mode {
	PE_SANDBOX_OFF,
	PE_SANDBOX_AUTO, /**< the machine to be read but for secrets, their own tree to be written */
	PE_SANDBOX_REQUIRE, /**< system folders, their own tree, and what is named: or nothing runs */
};

/** What keeps `auto` on this machine. Others cost other times: another series each. */
enum pe_sandbox_means {
	PE_BY_NAMESPACES,
	PE_BY_LANDLOCK, /**< costs a benchmark that opens files more than others */
	PE_BY_NOTHING,
};

enum pe_sandbox_network {
	PE_NETWORK_DEFAULT, /**< the machine's with `auto`, none with `require` */
	PE_NETWORK_NONE,
	PE_NETWORK_MACHINE,
};

struct pe_sandbox {
	enum pe_sandbox_mode mode;
	enum pe_sandbox_network network;
	struct pe_strings read, write; /**< absolute paths beside what the mode gives */
	bool by_landlock;              /**< what confines has no namespaces, and gives less */
};

/** Whether commands have the machine's network without asking. */
static inline bool pe_sandbox_has_network(const struct pe_sandbox *sandbox)
{
	return sandbox->network == PE_NETWORK_MACHINE ||
	       (sandbox->network == PE_NETWORK_DEFAULT && sandbox->mode != PE_SANDBOX_REQUIRE);
}
