# SPDX-License-Identifier: MIT
#
# What a package has: the program, its pages, completions, schemas and the text of the checks.

if(TARGET manactl)
  install(TARGETS manactl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

find_program(MANACTL_SCDOC scdoc)
if(MANACTL_SCDOC)
  set(pages "")
  foreach(page IN ITEMS manactl manactl-check manactl-doctor manactl-bench manactl-bench-compare
                      manactl-bench-list manactl-bench-merge manactl-bench-show
                      manactl-prepare manactl-restore manactl-status manactl-args manactl-confirm
                      manactl-decode manactl-sim)
    set(source "${PROJECT_SOURCE_DIR}/man/${page}.1.scd")
    set(made "${PROJECT_BINARY_DIR}/man/${page}.1")
    add_custom_command(OUTPUT "${made}"
      COMMAND ${CMAKE_COMMAND} -E make_directory "${PROJECT_BINARY_DIR}/man"
      COMMAND sh -c "\"$1\" < \"$2\" > \"$3\"" sh "${MANACTL_SCDOC}" "${source}" "${made}"
      DEPENDS "${source}"
      VERBATIM)
    list(APPEND pages "${made}")
  endforeach()
  add_custom_target(man ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
else()
  message(STATUS "scdoc is not installed: no man pages are made")
endif()

install(FILES completions/manactl.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME manactl)
install(FILES completions/_manactl DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/manactl.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/manactl)
install(DIRECTORY deploy/ansible DESTINATION ${CMAKE_INSTALL_DATADIR}/manactl)
install(FILES docs/checks.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
