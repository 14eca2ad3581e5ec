/* A program that is never run: its functions only lend their addresses and names to fake_calls.c. */
#pragma once

int fake_main(void);
int fake_parse(void);
int fake_scan(void);
int fake_emit(void);
