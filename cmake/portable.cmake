# SPDX-License-Identifier: MIT
#
# Toolchain of the portable program: cmake -DCMAKE_TOOLCHAIN_FILE=cmake/portable.cmake -DMANACTL_ARCH=x86_64
# -DCMAKE_SYSROOT=ROOT, where ROOT is made by scripts/sysroot. The compiler is that of Debian 12, the C library that
# of Debian 11.

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR "${MANACTL_ARCH}")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MANACTL_ARCH)
set(MANACTL_PORTABLE ON)
set(MANACTL_DPDK_ROOT "${CMAKE_SYSROOT}" CACHE PATH "")
set(triplet "${MANACTL_ARCH}-linux-gnu")
set(CMAKE_LIBRARY_ARCHITECTURE "${triplet}")
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "")
set(CMAKE_C_COMPILER "${triplet}-gcc-12")
set(CMAKE_CXX_COMPILER "${triplet}-g++-12")

# The paths of this machine must not be in the program. Without -nostdinc, a cross compiler would search the headers of
# its own C library first.
set(library "${CMAKE_SYSROOT}/usr/lib/${triplet}")
set(headers "${CMAKE_SYSROOT}/usr/include")
execute_process(COMMAND "${CMAKE_C_COMPILER}" -print-file-name=include OUTPUT_VARIABLE compiler_headers
  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(prefix_map "-ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build")
set(c_headers "-isystem ${compiler_headers} -isystem ${headers}/${triplet} -isystem ${headers}")
set(CMAKE_C_FLAGS_INIT "${prefix_map} -nostdinc ${c_headers}")
string(CONCAT CMAKE_CXX_FLAGS_INIT "${prefix_map} -nostdinc -isystem ${headers}/c++/12 "
  "-isystem ${headers}/${triplet}/c++/12 -isystem ${headers}/c++/12/backward ${c_headers}")
# The start files decide which functions of the C library initialize the program.
string(CONCAT CMAKE_EXE_LINKER_FLAGS_INIT "-B${library}/ -L${library} -static-libstdc++")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "${CMAKE_EXE_LINKER_FLAGS_INIT}")

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind IN ITEMS LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${library}/pkgconfig:${CMAKE_SYSROOT}/usr/lib/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
