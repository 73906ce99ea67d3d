# SPDX-License-Identifier: MIT
#
# All dependencies except DPDK are packages of the distribution; scripts/packages lists them.

find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
set(MANACTL_FMT fmt::fmt)
if(MANACTL_PORTABLE)
  set(MANACTL_FMT fmt::fmt-header-only)
  pkg_check_modules(BSD REQUIRED libbsd)
  pkg_check_modules(MD REQUIRED libmd)
  pkg_check_modules(NUMA REQUIRED numa)
endif()
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tl-expected REQUIRED)

pkg_check_modules(NL REQUIRED IMPORTED_TARGET libnl-route-3.0)
# Do not use pkg-config here: on Debian 13 it takes 23 s to resolve the packages of Abseil that re2.pc requires. manactl
# links only libre2 itself, whose file name contains its ABI version.
find_path(MANACTL_RE2_INCLUDE_DIR re2/re2.h REQUIRED)
find_library(MANACTL_RE2_LIBRARY re2 REQUIRED)
file(REAL_PATH "${MANACTL_RE2_LIBRARY}" library)
string(REGEX MATCH "[0-9][0-9.]*$" RE2_VERSION "${library}")
if(MANACTL_PORTABLE)
  file(STRINGS "${CMAKE_SYSROOT}/../bookworm/.versions" package REGEX "^libre2-dev ")
  string(REGEX MATCH " [0-9]+" RE2_VERSION "${package}")  # a date
  string(STRIP "${RE2_VERSION}" RE2_VERSION)
endif()
add_library(manactl::re2 UNKNOWN IMPORTED)
set_target_properties(manactl::re2 PROPERTIES
  IMPORTED_LOCATION "${MANACTL_RE2_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${MANACTL_RE2_INCLUDE_DIR}")

# Only the headers are used: manactl loads these libraries at their first use (see
# src/base/shared_library.h).
pkg_check_modules(KMOD REQUIRED libkmod)
pkg_check_modules(UDEV REQUIRED libudev)
pkg_check_modules(ARCHIVE REQUIRED libarchive)
pkg_check_modules(CURL REQUIRED libcurl)
pkg_check_modules(IBVERBS REQUIRED libibverbs)
pkg_check_modules(MANA REQUIRED libmana)

include(ManactlDpdk)

if(MANACTL_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()
