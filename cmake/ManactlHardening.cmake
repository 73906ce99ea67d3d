# SPDX-License-Identifier: MIT
#
# Makes memory errors in the program and in the preloaded library harder to exploit. The flags apply to the
# folder that includes this file. tests/security/elf_test.py finds them in the ELF files.

add_compile_definitions(_GLIBCXX_ASSERTIONS)
# Sanitizers find the same errors and more, and do not work with -D_FORTIFY_SOURCE.
if(MANACTL_SANITIZE)
  return()
endif()

add_compile_options(-fstack-protector-strong -fstack-clash-protection)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-fcf-protection=full)
  # The start files and DPDK archives of some distributions lack the property SHSTK, although no code in
  # them replaces return addresses. IBT is not set: functions in these files may lack endbr64.
  add_link_options(LINKER:-z,shstk)
endif()
# glibc requires optimization. Some compilers predefine the macro.
add_compile_options("$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")

# A library whose code also goes into the preloaded library is compiled with -fPIC.
add_compile_options($<$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>:-fPIE>)
add_link_options($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>
  LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack LINKER:-z,separate-code)
