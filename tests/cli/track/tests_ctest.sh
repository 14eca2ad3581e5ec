# tests: ctest takes the tests of a CMake project, with their own sources as CMake knows them.

new_repo
rm build.sh prog.sh
mkdir tests
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(sample LANGUAGES C)
enable_testing()
foreach(name steady edited)
	add_executable(${name} tests/${name}.c)
	add_test(NAME ${name} COMMAND ${name})
endforeach()
add_test(NAME off COMMAND steady)
set_tests_properties(off PROPERTIES DISABLED TRUE)
END
printf 'int main(void)\n{\n\treturn 0;\n}\n' | tee tests/steady.c >tests/edited.c
history 2
echo '/* more */' >>tests/edited.c
save c3
cat >perfevo.yml <<'END'
build:
  - cmake -S . -B build
  - cmake --build build
tests:
  {kind: ctest, warmup: 0, repeats: 2, allocations: false}
END
perfevo track --last 3 >"$case_dir/out" 2>"$case_dir/err" </dev/null || fail "exit status $?: $(cat "$case_dir/err")"
same "runs" 'c1|steady|timed|measured|2
c2|steady|timed|measured|2
c3|steady|timed|measured|2' "$(counts)"
cat "$case_dir/err" >>"$case_dir/out"
has "the edited one is named" "$case_dir/out" edited
