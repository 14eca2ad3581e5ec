# The commit that is built, for 'perfevo --version': of an archive of the sources what git wrote into commit.txt, of a clone
# what git says. A tree of neither kind has none.
#   cmake -DSOURCE=folder -DOUT=file -P commit.cmake
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/commit.txt commit LIMIT_COUNT 1)
if(commit MATCHES "^[0-9a-f]+$")
	string(SUBSTRING ${commit} 0 12 commit)
else()
	set(commit "")
	# Not the commit of another repository that the tree lies in.
	execute_process(COMMAND git rev-parse --show-cdup WORKING_DIRECTORY ${SOURCE}
		OUTPUT_VARIABLE above RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
	if(NOT failed AND above STREQUAL "")
		execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=* WORKING_DIRECTORY ${SOURCE}
			OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
	endif()
endif()
set(before "-")
if(EXISTS ${OUT})
	file(READ ${OUT} before)
endif()
if(NOT before STREQUAL commit)
	file(WRITE ${OUT} "${commit}")
endif()
