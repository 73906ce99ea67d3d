# SPDX-License-Identifier: MIT
#
# DPDK, for src/datapath/dpdk only. On every release it is that of Debian 13, whose packages contain net_mana; the first
# configuration downloads it. The program links only the static DPDK libraries that it needs: all of them would
# add 37 MB, and every command would start some milliseconds later. Defines the target manactl_dpdk and the
# list MANACTL_DPDK_DRIVERS.

set(default "${PROJECT_SOURCE_DIR}/build/dpdk")
set(MANACTL_DPDK_ROOT "${default}" CACHE PATH "Folder in which libdpdk-dev is unpacked; / takes DPDK of this system")
if(MANACTL_DPDK_ROOT STREQUAL default)
  execute_process(COMMAND dpkg --print-architecture
    OUTPUT_VARIABLE MANACTL_DEBIAN_ARCH OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND "${PROJECT_SOURCE_DIR}/scripts/unpack" trixie "${MANACTL_DEBIAN_ARCH}" "${default}" libdpdk-dev
    RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "cannot download the DPDK of Debian 13; to use the DPDK of this system, configure with -DMANACTL_DPDK_ROOT=/")
  endif()
endif()
string(REGEX REPLACE "/$" "" root "${MANACTL_DPDK_ROOT}")
set(libdir "${root}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
string(COMPARE NOTEQUAL "${root}" "${CMAKE_SYSROOT}" is_foreign)
if(is_foreign)
  set(ENV{PKG_CONFIG_SYSROOT_DIR} "${root}")
  set(ENV{PKG_CONFIG_LIBDIR} "${libdir}/pkgconfig")
endif()
# Unlike libdpdk, libdpdk-libs does not require the libraries of all drivers.
pkg_check_modules(DPDK REQUIRED libdpdk-libs>=24.11)
if(is_foreign)
  unset(ENV{PKG_CONFIG_SYSROOT_DIR})
  unset(ENV{PKG_CONFIG_LIBDIR})
endif()

add_library(manactl_dpdk INTERFACE)
# System headers, because DPDK's headers cause warnings of -Wpedantic and -Wvolatile. Link this target
# PRIVATE: its flags (-include rte_config.h, -march) must not reach other modules.
target_include_directories(manactl_dpdk SYSTEM INTERFACE ${DPDK_INCLUDE_DIRS})
set(cflags ${DPDK_CFLAGS_OTHER})
string(REPLACE "-include;" "SHELL:-include " cflags "${cflags}")
target_compile_options(manactl_dpdk INTERFACE ${cflags})

# These drivers register themselves in constructors and no other code refers to them, so the linker would
# drop them without WHOLE_ARCHIVE.
set(whole bus_pci bus_vdev bus_vmbus net_null net_ring net_af_packet net_tap net_memif net_netvsc net_mana)
set(core ethdev net mbuf mempool rcu ring hash meter pci eal telemetry kvargs gso log argparse)
set(MANACTL_DPDK_DRIVERS ${whole} net_tun)  # net_tun is in net_tap's library
list(APPEND whole mempool_ring)
foreach(kind IN ITEMS whole core)
  list(TRANSFORM ${kind} REPLACE "(.+)" "${libdir}/librte_\\1.a" OUTPUT_VARIABLE ${kind}_files)
  list(JOIN ${kind}_files "," ${kind}_files)
endforeach()

# DPDK of Debian 13 was compiled with the headers of glibc 2.41.
set(source "${PROJECT_SOURCE_DIR}/src/datapath/dpdk")
add_library(manactl_dpdk_symbols STATIC "${source}/isoc23.cpp" "${source}/trace_points.cpp")
target_link_libraries(manactl_dpdk_symbols PRIVATE manactl_warnings)
target_link_options(manactl_dpdk INTERFACE LINKER:--wrap=__rte_trace_point_register)
# net_mana calls libibverbs and libmana. manactl_datapath_verbs_calls loads both at the first call, so that the
# program also starts without them.
target_link_libraries(manactl_dpdk INTERFACE
  "$<LINK_LIBRARY:WHOLE_ARCHIVE,${whole_files}>"
  "$<LINK_GROUP:RESCAN,${core_files}>"
  manactl_dpdk_symbols numa bsd $<$<BOOL:${MANACTL_PORTABLE}>:md> m
  manactl_datapath_verbs_calls)
