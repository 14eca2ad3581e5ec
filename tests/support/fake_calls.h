/*
 * Fake calls: the trace that libperfevo_calls.so would leave of a counting run, for fake_executor's `leave`. Its
 * functions are those of fake_program.c: fake_main calls fake_parse and fake_emit, and fake_parse calls fake_scan.
 */
#pragma once

#include <stdint.h>

struct fake_calls {
	uint64_t parse, scan, emit; /**< calls; 0: not called. fake_main is called once */
};

/** Write it. @param dir  a folder that is there */
void fake_calls_leave(const char *dir, const struct fake_calls *calls);
