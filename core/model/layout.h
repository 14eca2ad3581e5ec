/* Layout: whether a confirmed change of a time comes from where things lie in memory, and from nothing else. */
#ifndef PE_CORE_MODEL_LAYOUT_H
#define PE_CORE_MODEL_LAYOUT_H

/** What is said of PE_LAYOUT_ONLY. */
#define PE_LAYOUT_WHY "same machine code, same allocations; only its placement in memory differs"

/** The numbers are stored. */
enum pe_layout {
	PE_LAYOUT_NOT_LOOKED = 0, /**< nobody has compared the two sides */
	PE_LAYOUT_WORK = 1,       /**< what runs differs, or what it counts does */
	/** what runs is the same machine code with the same data and input, and its counts are the same */
	PE_LAYOUT_ONLY = 2,
	PE_LAYOUT_UNKNOWN = 3, /**< it is unknown: no build, no program, nothing counted */
};

#endif
