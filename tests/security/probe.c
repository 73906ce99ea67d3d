/* SPDX-License-Identifier: MIT
 *
 * sandbox_test.py preloads this library into manactl. At the first read of an input, in the place of an attacker who has
 * taken over the parser, it reports what the process can still do.
 *
 * PROBE_INPUT: the beginning of the path of the input; PROBE_SECRET: a file that the command does not need;
 * PROBE_REPORT: the file to create.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int report = -1;

__attribute__((constructor)) static void open_report(void) {
  report = open(getenv("PROBE_REPORT"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void attempt(const char* what, const char* path, int flags) {
  const int file = open(path, flags | O_CLOEXEC, 0600);
  dprintf(report, "%s: %s\n", what, file < 0 ? strerrorname_np(errno) : "done");
  if (file >= 0) close(file);
}

static void report_once(void) {
  static int reported;
  if (reported++ != 0) return;
  char created[4096], status[8192];
  snprintf(created, sizeof created, "%s.new", getenv("PROBE_SECRET"));
  attempt("read", getenv("PROBE_SECRET"), O_RDONLY);
  attempt("write", getenv("PROBE_SECRET"), O_WRONLY);
  attempt("create", created, O_WRONLY | O_CREAT | O_EXCL);
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  const long length = syscall(SYS_read, file, status, sizeof status);
  dprintf(report, "%.*s", (int)(length > 0 ? length : 0), status);
  close(file);
}

static int is_input(int file) {
  const char* input = getenv("PROBE_INPUT");
  char name[64], path[4096] = "";
  snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  return file == STDIN_FILENO || (readlink(name, path, sizeof path - 1) > 0 && strncmp(path, input, strlen(input)) == 0);
}

ssize_t read(int file, void* buffer, size_t size) {
  const int before = errno;
  if (is_input(file)) report_once();
  errno = before;
  return syscall(SYS_read, file, buffer, size);
}

/* Called instead of read() with -D_FORTIFY_SOURCE. */
ssize_t __read_chk(int file, void* buffer, size_t size, size_t capacity) {
  return size > capacity ? -1 : read(file, buffer, size);
}
