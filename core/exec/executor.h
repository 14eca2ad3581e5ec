/* Executor: the port through which core runs commands, over a launcher. */
#ifndef PE_CORE_EXEC_EXECUTOR_H
#define PE_CORE_EXEC_EXECUTOR_H

#include "core/exec/ports.h"

/** The executor that runs commands for real. The launcher is borrowed and must outlive it. */
struct pe_executor pe_process_executor(struct pe_launcher *launcher);

#endif
