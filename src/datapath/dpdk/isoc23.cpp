// SPDX-License-Identifier: MIT
//
// Functions that glibc has since version 2.38. Programs that are compiled with its headers call
// them instead of those without the prefix, as DPDK does. Unlike those, they know binary numbers
// ("0b11").

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
