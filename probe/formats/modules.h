/*
 * Module lists: programs and shared libraries that a process mapped, as libperfevo_rt.so writes them down beside its
 * allocation record where no paths are asked for (probe/formats/paths.h). One file a process image, named
 * <pid>-<start>.modules like its record: absolute paths, each with its terminator, the program's own first; one may be
 * there more than once. A process that was killed may lack those that it loaded after its start.
 */
#pragma once

#define PE_MODULES_SUFFIX ".modules"
