# SPDX-License-Identifier: MIT
#
# A second virtual Azure VM, with a newer kernel that contains the real mana_ib. MANACTL_AZURE_BACKPORTS
# is the suite of the distribution that has this kernel.

set(azure_build "${PROJECT_BINARY_DIR}/azure-backports")
add_custom_command(OUTPUT "${azure_build}/guest.stamp"
  COMMAND "${CMAKE_CURRENT_SOURCE_DIR}/build-guest" "${MANACTL_AZURE_TESTS}"
          "${CMAKE_CURRENT_SOURCE_DIR}" "${azure_build}" "${MANACTL_AZURE_BACKPORTS}"
  DEPENDS ${azure_guest_inputs}
  COMMENT "Building the guest of the virtual Azure VM with the kernel of ${MANACTL_AZURE_BACKPORTS}"
  VERBATIM)
add_custom_target(azure-guest-backports ALL DEPENDS "${azure_build}/guest.stamp")

if(TARGET manactl-azure-model AND TARGET manactl)
  azure_boot(backports MODEL SCENARIOS backports-ping backports-rdma backports-probe backports-doctor
    backports-prepare)
endif()
