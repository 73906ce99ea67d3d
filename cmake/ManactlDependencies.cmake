# SPDX-License-Identifier: MIT
#
# All dependencies are packages of the distribution; scripts/packages lists them.

find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)

pkg_check_modules(NL REQUIRED IMPORTED_TARGET libnl-3.0)
pkg_check_modules(UDEV REQUIRED IMPORTED_TARGET libudev)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
# Some packages of RE2 (Debian 12) give the version 0.0.0. The name of the library then contains its ABI version.
if(RE2_VERSION STREQUAL "0.0.0")
  find_library(MANACTL_RE2_LIBRARY re2 HINTS ${RE2_LIBRARY_DIRS} REQUIRED)
  file(REAL_PATH "${MANACTL_RE2_LIBRARY}" library)
  string(REGEX REPLACE "^.*\\.so\\." "" RE2_VERSION "${library}")
endif()
# Only the headers are used: manactl loads these libraries at their first use (see
# src/base/shared_library.h).
pkg_check_modules(KMOD REQUIRED libkmod)
pkg_check_modules(ARCHIVE REQUIRED libarchive)
pkg_check_modules(IBVERBS REQUIRED libibverbs)

if(NOT MANACTL_DPDK STREQUAL "off")
  pkg_check_modules(DPDK REQUIRED IMPORTED_TARGET libdpdk)
endif()

if(MANACTL_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
