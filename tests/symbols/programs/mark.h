/* Mark: a program says where it is, so that a test can ask what that place is called. */
#pragma once

#ifdef __cplusplus
extern "C"
#endif
	/** Print "tag module bias address": of the call of mark(), in the file's own addresses. */
	void
	mark(const char *tag);
