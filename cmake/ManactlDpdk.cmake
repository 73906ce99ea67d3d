# SPDX-License-Identifier: MIT
#
# DPDK, for src/datapath/dpdk only. By default the program links only the static DPDK libraries that it
# needs: all of them would add 37 MB, and every command would start some milliseconds later. Defines the
# target manactl_dpdk and the list MANACTL_DPDK_DRIVERS, which is empty if the drivers are plugins.

set(MANACTL_DPDK_DRIVERS "")
if(MANACTL_DPDK STREQUAL "off")
  return()
endif()

if(NOT DPDK_FOUND)
  pkg_check_modules(DPDK REQUIRED libdpdk)
endif()
pkg_get_variable(MANACTL_DPDK_LIBDIR libdpdk libdir)

add_library(manactl_dpdk INTERFACE)
# System headers, because DPDK's headers cause warnings of -Wpedantic and -Wvolatile. Link this target
# PRIVATE: its flags (-include rte_config.h, -march) must not reach other modules.
target_include_directories(manactl_dpdk SYSTEM INTERFACE ${DPDK_INCLUDE_DIRS})
set(cflags ${DPDK_CFLAGS_OTHER})
string(REPLACE "-include;" "SHELL:-include " cflags "${cflags}")
target_compile_options(manactl_dpdk INTERFACE ${cflags})

if(MANACTL_DPDK STREQUAL "shared")
  target_link_options(manactl_dpdk INTERFACE "LINKER:--as-needed")
  target_link_directories(manactl_dpdk INTERFACE ${DPDK_LIBRARY_DIRS})
  target_link_libraries(manactl_dpdk INTERFACE rte_eal rte_ethdev rte_mempool rte_mbuf rte_net)
  return()
elseif(NOT MANACTL_DPDK STREQUAL "static")
  message(FATAL_ERROR "MANACTL_DPDK is '${MANACTL_DPDK}': use static, shared or off")
endif()

# These drivers register themselves in constructors and no other code refers to them, so the linker would
# drop them without WHOLE_ARCHIVE.
set(whole bus_pci bus_vdev bus_vmbus net_null net_ring net_af_packet net_tap net_memif net_netvsc)
set(core ethdev net mbuf mempool rcu ring hash meter pci eal telemetry kvargs gso)
# Several distributions, such as Debian 12, do not package net_mana.
if(EXISTS "${MANACTL_DPDK_LIBDIR}/librte_net_mana.a")
  list(APPEND whole net_mana)
endif()
set(MANACTL_DPDK_DRIVERS ${whole} net_tun)  # net_tun is in net_tap's library
list(APPEND whole mempool_ring)
# Some DPDK releases have these as separate libraries.
foreach(name IN ITEMS log argparse)
  if(EXISTS "${MANACTL_DPDK_LIBDIR}/librte_${name}.a")
    list(APPEND core ${name})
  endif()
endforeach()

foreach(kind IN ITEMS whole core)
  set(${kind}_files "")
  foreach(name IN LISTS ${kind})
    set(file "${MANACTL_DPDK_LIBDIR}/librte_${name}.a")
    if(NOT EXISTS "${file}")
      message(FATAL_ERROR "${file} is missing: install libdpdk-dev, or configure with -DMANACTL_DPDK=shared or -DMANACTL_DPDK=off")
    endif()
    list(APPEND ${kind}_files "${file}")
  endforeach()
  list(JOIN ${kind}_files "," ${kind}_files)
endforeach()

target_link_libraries(manactl_dpdk INTERFACE
  "$<LINK_LIBRARY:WHOLE_ARCHIVE,${whole_files}>"
  "$<LINK_GROUP:RESCAN,${core_files}>"
  numa bsd $<$<BOOL:${MANACTL_PORTABLE}>:md> m)
# net_mana calls libibverbs and libmana. This library loads both at the first call, so that the program
# also starts without them.
if(net_mana IN_LIST whole)
  target_link_libraries(manactl_dpdk INTERFACE manactl_datapath_verbs_calls)
endif()
