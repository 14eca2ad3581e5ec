# The file `copyright` that is installed: our licence, then those of what is compiled in or embedded in the page.
#   cmake -DOUT=file -DOURS=LICENSE -DTHEIRS="name=file;..." -P copyright.cmake
file(READ ${OURS} text)
set(text "perfevo\n\n${text}")
foreach(one ${THEIRS})
	string(REGEX MATCH "^([^=]*)=(.*)$" pair "${one}")
	file(READ ${CMAKE_MATCH_2} licence)
	string(APPEND text "\n----\n\nIncluded: ${CMAKE_MATCH_1}\n\n${licence}")
endforeach()
file(WRITE ${OUT} "${text}")
