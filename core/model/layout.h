/* Layout: whether placement in memory alone makes a confirmed change of a time. */
#pragma once

/** The reason that outputs give with PE_LAYOUT_ONLY. */
#define PE_LAYOUT_WHY "same machine code, same allocations; only its placement in memory differs"

/** The numbers are stored. */
enum pe_layout {
	PE_LAYOUT_NOT_LOOKED = 0, /**< the two sides were not compared */
	PE_LAYOUT_WORK = 1,       /**< the executed code or its counts differ */
	/** what runs is the same machine code with the same data and input, and its counts are the same */
	PE_LAYOUT_ONLY = 2,
	PE_LAYOUT_UNKNOWN = 3, /**< it is unknown: no build, no program, nothing counted */
};
