# SPDX-License-Identifier: MIT
#
# The three kinds of target in this project: a room (static library), a test program, and the
# warnings that every target of ours is built with.

add_library(manactl_warnings INTERFACE)
target_compile_features(manactl_warnings INTERFACE cxx_std_20)
target_compile_options(manactl_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wundef
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast>
  $<$<BOOL:${MANACTL_WERROR}>:-Werror>)

# Sanitizers belong to every object of the program, so this is the one place that may be global.
if(MANACTL_SANITIZE)
  add_compile_options(-fsanitize=${MANACTL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${MANACTL_SANITIZE})
endif()

# A release leaves out what nobody calls.
add_compile_options($<$<CONFIG:Release>:-ffunction-sections> $<$<CONFIG:Release>:-fdata-sections>)
add_link_options($<$<CONFIG:Release>:LINKER:--gc-sections>)
# Half of what the loader reads to start us, where the linker can; it takes glibc 2.36 to run.
include(CheckLinkerFlag)
check_linker_flag(CXX LINKER:-z,pack-relative-relocs MANACTL_PACKS_RELOCATIONS)
if(MANACTL_PACKS_RELOCATIONS)
  add_link_options($<$<CONFIG:Release>:LINKER:-z,pack-relative-relocs>)
endif()

# manactl_module(NAME [COLD] SOURCES ... LINKS ... PRIVATE_LINKS ...)
# A folder of src/ as a static library, included as "<folder>/<header>". A COLD one has no loops
# that anybody waits for: a release builds it for size.
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

# manactl_test(NAME SOURCES ... LINKS ... LABELS ...)
# One GoogleTest program per folder of tests/; every TEST becomes a ctest test.
function(manactl_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(test_${name} ${ARG_SOURCES})
  target_include_directories(test_${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_compile_definitions(test_${name} PRIVATE
    MANACTL_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    MANACTL_BINARY_DIR="${PROJECT_BINARY_DIR}"
    _GLIBCXX_ASSERTIONS)
  target_link_libraries(test_${name} PRIVATE manactl_warnings ${ARG_LINKS} GTest::gmock GTest::gtest_main)
  # A test's own code runs once: optimising it was half of the build.
  target_compile_options(test_${name} PRIVATE -O0)
  # Every file includes what it uses all the same: the preset no-dpdk precompiles nothing.
  target_precompile_headers(test_${name} PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
  gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 120 LABELS "${ARG_LABELS}")
endfunction()

# manactl_embed(ROOM FILE NAME)
# Makes the text of FILE (relative to the project) available to ROOM as
# `extern const std::string_view manactl::embedded::NAME`.
function(manactl_embed room file name)
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp")
  add_custom_command(OUTPUT "${generated}"
    COMMAND ${CMAKE_COMMAND} "-DIN=${PROJECT_SOURCE_DIR}/${file}" "-DOUT=${generated}" "-DNAME=${name}"
            -P "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    DEPENDS "${PROJECT_SOURCE_DIR}/${file}" "${PROJECT_SOURCE_DIR}/cmake/embed.cmake"
    VERBATIM)
  # The standard promises 65536 characters of a literal; compilers have no such limit.
  set_source_files_properties("${generated}" PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  target_sources(manactl_${room} PRIVATE "${generated}")
endfunction()
