# SPDX-License-Identifier: MIT
#
# The foreign code in the program: static archives, and libraries whose headers contain functions. The list is
# printed by --version --json and installed as an SPDX document (cmake/sbom.py). A library that is only linked
# dynamically is not in it.

# manactl_component(NAME VERSION LICENSE URL): LICENSE is an SPDX expression.
set(components "[]")
set(count 0)
macro(manactl_component name version license url)
  string(JSON components SET "${components}" ${count} "{\"name\": \"${name}\", \"version\": \"${version}\",
    \"license\": \"${license}\", \"url\": \"${url}\"}")
  math(EXPR count "${count} + 1")
endmacro()

manactl_component(cli11 "${CLI11_VERSION}" BSD-3-Clause "https://github.com/CLIUtils/CLI11")
manactl_component(dpdk "${DPDK_VERSION}" BSD-3-Clause "https://www.dpdk.org")
manactl_component(fmt "${fmt_VERSION}" MIT "https://github.com/fmtlib/fmt")
if(MANACTL_PORTABLE)
  manactl_component(libbsd "${BSD_VERSION}" BSD-3-Clause "https://libbsd.freedesktop.org")
  manactl_component(libmd "${MD_VERSION}" BSD-3-Clause "https://www.hadrons.org/software/libmd")
  # libnl-3 and libnl-route-3
  manactl_component(libnl "${NL_VERSION}" LGPL-2.1-only "https://github.com/thom311/libnl")
  manactl_component(libnuma "${NUMA_VERSION}" LGPL-2.1-only "https://github.com/numactl/numactl")
  manactl_component(libstdc++ "${CMAKE_CXX_COMPILER_VERSION}" "GPL-3.0-or-later WITH GCC-exception-3.1"
    "https://gcc.gnu.org")
endif()
manactl_component(nlohmann-json "${nlohmann_json_VERSION}" MIT "https://github.com/nlohmann/json")
if(MANACTL_PORTABLE)
  manactl_component(re2 "${RE2_VERSION}" BSD-3-Clause "https://github.com/google/re2")
endif()
manactl_component(tl-expected "${tl-expected_VERSION}" CC0-1.0 "https://github.com/TartanLlama/expected")

set(MANACTL_COMPONENTS "${PROJECT_BINARY_DIR}/components.json")
file(CONFIGURE OUTPUT "${MANACTL_COMPONENTS}" CONTENT "${components}\n" @ONLY)

# Without Python, the document is not built; neither are the man pages.
find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  set(sbom "${PROJECT_BINARY_DIR}/manactl.spdx.json")
  set(script "${PROJECT_SOURCE_DIR}/cmake/sbom.py")
  # Always written, because it contains the time of SOURCE_DATE_EPOCH, which is not a file.
  add_custom_target(sbom ALL
    COMMAND "${Python3_EXECUTABLE}" "${script}" "${PROJECT_VERSION}" "${MANACTL_COMPONENTS}" "${sbom}"
    BYPRODUCTS "${sbom}"
    VERBATIM)
  install(FILES "${sbom}" DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
