// SPDX-License-Identifier: MIT
//
// A program that is linked with DPDK and finds no device.
//
// usage: dpdk_client [DRIVER]: loads the library DRIVER; exits with 1 if this fails

#include <dlfcn.h>

extern "C" const char* rte_version();

int main(int argc, char** argv) {
  if (argc > 1 && dlopen(argv[1], RTLD_NOW) == nullptr) return 1;
  return rte_version() == nullptr ? 1 : 0;
}
