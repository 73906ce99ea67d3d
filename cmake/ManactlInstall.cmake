# SPDX-License-Identifier: MIT

if(TARGET manactl)
  install(TARGETS manactl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
