# SPDX-License-Identifier: MIT
#
# Makes memory errors in the program and in the preloaded library harder to exploit. The flags apply to the
# folder that includes this file. tests/security/elf_test.py finds them in the ELF files.

# A failed assertion prints the name of its function. The long name, with all template arguments, would
# enlarge the program by 4 %.
add_compile_definitions(_GLIBCXX_ASSERTIONS $<$<CONFIG:Release>:__PRETTY_FUNCTION__=__FUNCTION__>)
# Sanitizers find the same errors and more, and do not work with -D_FORTIFY_SOURCE.
if(MANACTL_SANITIZE)
  return()
endif()

add_compile_options(-fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  # Only the shadow stack: indirect branch tracking (IBT) has no effect, because functions in the start
  # files and DPDK archives of some distributions lack endbr64. These files also lack the property SHSTK,
  # although no code in them replaces return addresses.
  add_compile_options(-fcf-protection=return)
  add_link_options(LINKER:-z,shstk)
endif()
# glibc requires optimization. Some compilers predefine the macro.
add_compile_options("$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")

# A library whose code also goes into the preloaded library is compiled with -fPIC.
add_compile_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>:-fPIE>)
add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>
  LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack LINKER:-z,separate-code)
