// SPDX-License-Identifier: MIT
//
// The functions __isoc23_* of glibc 2.38. Code that was compiled with its headers, such as DPDK,
// calls them instead of strtol() and the like. Those of glibc also parse binary numbers ("0b11");
// these do not.

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#if !__GLIBC_PREREQ(2, 38)

extern "C" {

long __isoc23_strtol(const char* text, char** end, int base) {
  return strtol(text, end, base);
}

unsigned long __isoc23_strtoul(const char* text, char** end, int base) {
  return strtoul(text, end, base);
}

unsigned long long __isoc23_strtoull(const char* text, char** end, int base) {
  return strtoull(text, end, base);
}

int __isoc23_sscanf(const char* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int found = vsscanf(text, format, arguments);
  va_end(arguments);
  return found;
}

int __isoc23_fscanf(FILE* file, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int found = vfscanf(file, format, arguments);
  va_end(arguments);
  return found;
}

}  // extern "C"

#endif
