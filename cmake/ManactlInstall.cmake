# SPDX-License-Identifier: MIT
#
# The files of a package: the program, man pages, completions, schemas and the text of the checks.

if(TARGET manactl)
  install(TARGETS manactl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

find_program(MANACTL_SCDOC scdoc)
if(MANACTL_SCDOC)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(script "${PROJECT_SOURCE_DIR}/cmake/man_page.py")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/man/*.1.scd")
  set(pages "")
  set(preprocessor "'\\\" t")  # makes man run tbl, which formats tables
  foreach(source IN LISTS sources)
    get_filename_component(page "${source}" NAME_WLE)
    set(made "${PROJECT_BINARY_DIR}/man/${page}")
    # manactl.1 lists the NAME lines of all other pages, so the pages depend on all sources.
    add_custom_command(OUTPUT "${made}"
      COMMAND ${CMAKE_COMMAND} -E make_directory "${PROJECT_BINARY_DIR}/man"
      COMMAND sh -c "\"$1\" \"$2\" \"$3\" > \"$4.scd\" && { echo \"$6\"; \"$5\" < \"$4.scd\"; } > \"$4\"" sh
        "${Python3_EXECUTABLE}" "${script}" "${source}" "${made}" "${MANACTL_SCDOC}" "${preprocessor}"
      DEPENDS ${sources} "${script}"
      VERBATIM)
    list(APPEND pages "${made}")
  endforeach()
  add_custom_target(man ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
else()
  message(STATUS "scdoc is not installed: not building man pages")
endif()

set(MANACTL_ZSH_DIR "${CMAKE_INSTALL_DATADIR}/zsh/site-functions" CACHE STRING
  "Folder of the completion for zsh; packages of Debian use share/zsh/vendor-completions")
install(FILES completions/manactl.bash
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME manactl)
install(FILES completions/_manactl DESTINATION ${MANACTL_ZSH_DIR})
install(FILES completions/manactl.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/manactl)
install(DIRECTORY deploy/ansible DESTINATION ${CMAKE_INSTALL_DATADIR}/manactl)
install(FILES docs/checks.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# CMake would now write the list of the installed files into the build tree, which then would belong to root after
# "sudo cmake --install". This returns from the script of the installation before that.
install(CODE "return()" ALL_COMPONENTS)
