/* A program that is never run: its functions only lend their addresses and names to fake_calls.c. */
#ifndef PE_TESTS_SUPPORT_FAKE_PROGRAM_H
#define PE_TESTS_SUPPORT_FAKE_PROGRAM_H

int fake_main(void);
int fake_parse(void);
int fake_scan(void);
int fake_emit(void);

#endif
