/*
 * Filter: which system calls a confined command has. Namespaces do not keep all of the kernel apart: keys have numbers that
 * are the machine's, and sockets of some families reach the host of a virtual machine.
 */
#pragma once

#include <stdbool.h>

struct sock_filter;

/** Programs of the kernel's, made once a session: which calls there are, and with which arguments there are not. */
struct pe_filter {
	struct pe_filter_program {
		struct sock_filter *at; /**< lives as long as the launcher */
		unsigned short n;       /**< 0: none */
	} programs[2];
};

/** Make the filter of this architecture. False with errno. */
bool pe_filter_make(struct pe_filter *out);

/** In the child, without new privileges: keep this process and its children to the filter. Zero, or errno. */
int pe_filter_apply(const struct pe_filter *filter);
