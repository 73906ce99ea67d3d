# SPDX-License-Identifier: MIT
#
# Functions that define a module (static library) and a test program, and the target with the compiler
# warnings for both.

add_library(manactl_warnings INTERFACE)
target_compile_features(manactl_warnings INTERFACE cxx_std_20)
target_compile_options(manactl_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wundef
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast>
  $<$<BOOL:${MANACTL_WERROR}>:-Werror>)
# With link-time optimization, GCC generates the code, and prints most warnings, at link time.
target_link_options(manactl_warnings INTERFACE
  $<$<AND:$<BOOL:${MANACTL_WERROR}>,$<BOOL:${CMAKE_INTERPROCEDURAL_OPTIMIZATION}>>:-Werror>)

# Global, because every object of the program must be built with the same sanitizers.
if(MANACTL_SANITIZE)
  add_compile_options(-fsanitize=${MANACTL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MANACTL_SANITIZE})
endif()

# A Release build omits functions that are not called.
add_compile_options($<$<CONFIG:Release>:-ffunction-sections> $<$<CONFIG:Release>:-fdata-sections>)
add_link_options($<$<CONFIG:Release>:LINKER:--gc-sections>)
# Halves the relocation data that the loader reads at program start. Requires glibc 2.36 at run time.
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:-z,pack-relative-relocs MANACTL_PACKS_RELOCATIONS)
if(MANACTL_PACKS_RELOCATIONS AND NOT MANACTL_PORTABLE)
  add_link_options($<$<CONFIG:Release>:LINKER:-z,pack-relative-relocs>)
endif()

# manactl_module(NAME [COLD] SOURCES ... LINKS ... PRIVATE_LINKS ...)
# Defines the static library of a folder of src/, whose headers are included as "<folder>/<header>".
# A Release build compiles a COLD module (no hot loops) with -Os.
function(manactl_module name)
  cmake_parse_arguments(ARG "COLD" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(manactl_${name} STATIC ${ARG_SOURCES})
  target_include_directories(manactl_${name} PUBLIC "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(manactl_${name}
    PUBLIC ${ARG_LINKS}
    PRIVATE manactl_warnings ${ARG_PRIVATE_LINKS})
  if(ARG_COLD)
    target_compile_options(manactl_${name} PRIVATE $<$<CONFIG:Release>:-Os>)
  endif()
endfunction()

# manactl_test(NAME [ONE_PROCESS] SOURCES ... LINKS ... LABELS ...)
# Defines the GoogleTest program of a folder of tests/. Each TEST becomes a ctest test. With ONE_PROCESS, the
# program is one ctest test, which saves time if each process has to prepare much.
function(manactl_test name)
  cmake_parse_arguments(ARG "ONE_PROCESS" "" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_include_directories(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_compile_definitions(test_${name} PRIVATE
    MANACTL_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    MANACTL_BINARY_DIR="${PROJECT_BINARY_DIR}"
    _GLIBCXX_ASSERTIONS)
  target_link_libraries(test_${name} PRIVATE manactl_warnings ${ARG_LINKS} GTest::gmock GTest::gtest_main)
  # Optimizing tests would double the build time and save little, because their code runs only once.
  target_compile_options(test_${name} PRIVATE -O0)
  target_precompile_headers(test_${name} REUSE_FROM manactl_gtest_headers)
  if(ARG_ONE_PROCESS)
    add_test(NAME ${name}.all COMMAND test_${name} --gtest_brief=1)
    set_tests_properties(${name}.all PROPERTIES TIMEOUT ${test_timeout} LABELS "${ARG_LABELS}")
    return()
  endif()
  gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT ${test_timeout}
    PROPERTIES TIMEOUT ${test_timeout} LABELS "${ARG_LABELS}")
endfunction()

# manactl_embed(MODULE FILE NAME)
# Embeds the text of FILE (absolute, or relative to the project) in MODULE as
# `extern const std::string_view manactl::embedded::NAME`.
function(manactl_embed module file name)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp")
  add_custom_command(OUTPUT "${generated}"
    COMMAND ${CMAKE_COMMAND} "-DIN=${file}" "-DOUT=${generated}" "-DNAME=${name}"
            -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS "${file}" "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    VERBATIM)
  # Clang warns about concatenated literals of more than 65536 characters; GCC and Clang have no limit.
  set_source_files_properties("${generated}" PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  target_sources(manactl_${module} PRIVATE "${generated}")
endfunction()
