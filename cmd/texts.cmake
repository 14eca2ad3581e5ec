# Print every manual page and completion script: cmake -DPROGRAM=... -DFOLDER=... -P texts.cmake
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER}/man ${FOLDER}/bash ${FOLDER}/zsh ${FOLDER}/fish)
# The pages carry the date of the last change to what they say, not of the build.
set(ENV{PERFEVO_NOW} 1795219200)
unset(ENV{NO_COLOR})
set(ENV{LC_ALL} C.UTF-8)

function(print file)
	execute_process(COMMAND ${PROGRAM} ${ARGN} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

execute_process(COMMAND ${PROGRAM} help --names OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" commands "${commands}")
foreach(command ${commands})
	print(man/perfevo-${command}.1 help --man ${command})
endforeach()
file(CREATE_LINK perfevo.1 ${FOLDER}/man/git-perfevo.1 SYMBOLIC)
# bash asks for a file of the command's name: git-perfevo when "git perfevo" is completed.
print(bash/perfevo completion bash)
file(CREATE_LINK perfevo ${FOLDER}/bash/git-perfevo SYMBOLIC)
print(zsh/_perfevo completion zsh)
print(fish/perfevo.fish completion fish)
print(man/perfevo.1 help --man)
