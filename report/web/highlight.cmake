# highlight.js as one script: its core, which comes as a module, and the languages that methods/languages.c reads.
# cmake -D dir=<the package> -D out=<file> -P highlight.cmake
file(READ "${dir}/es/core.min.js" core)
if(NOT core MATCHES "export *{ *[A-Za-z_$]+ as default *};?[ \n]*$")
	message(FATAL_ERROR "${dir}/es/core.min.js does not end with the export of its default, as 11.12 does: "
		"adapt highlight.cmake to this version of highlight.js")
endif()
string(REGEX REPLACE "export *{ *([A-Za-z_$]+) as default *};?[ \n]*$" "return \\1" core "${core}")
set(text "var hljs=(()=>{${core}})();\n")
foreach(language c cpp python javascript typescript java go rust ruby)
	file(READ "${dir}/languages/${language}.min.js" one)
	string(APPEND text "${one}\n")
endforeach()
# what would end the page's script element early, or open a comment in it
if(text MATCHES "</[sS][cC][rR][iI][pP][tT]|<!--")
	message(FATAL_ERROR "highlight.js cannot stand in a page as it is")
endif()
file(WRITE "${out}" "${text}")
