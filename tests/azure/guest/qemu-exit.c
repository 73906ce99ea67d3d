// SPDX-License-Identifier: MIT
//
// qemu-exit N: makes QEMU exit with status (N << 1) | 1, through its device isa-debug-exit.

#include <stdio.h>
#include <stdlib.h>
#include <sys/io.h>
#include <unistd.h>

enum { kPort = 0xf4 };

int main(int argc, char** argv) {
  const long code = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
  if (ioperm(kPort, 1, 1) != 0) {
    perror("ioperm");
    return 1;
  }
  outb((unsigned char)code, kPort);
  // With several CPUs, QEMU lets this one run a little longer.
  sleep(10);
  fputs("QEMU has no isa-debug-exit at port 0xf4\n", stderr);
  return 1;
}
