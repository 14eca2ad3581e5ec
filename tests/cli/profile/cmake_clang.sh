# CMake with clang, and nothing in the project knows of it.
needs cmake make clang
empty_repo
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(prog C)
add_library(work SHARED work.c)
add_executable(prog prog.c)
target_link_libraries(prog work)
END
cat >perfevo.yml <<'END'
build:
  - cmake -S . -B build -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Release
  - cmake --build build
benchmarks: {prog: [build/prog]}
END
built_by
