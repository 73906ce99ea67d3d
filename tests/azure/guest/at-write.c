// SPDX-License-Identifier: MIT
//
// at-write.so, for LD_PRELOAD: sends a signal to a program at its Nth write(2), or makes that write
// fail. It is faster than a tracer, which stops the program twice per system call.
//   AT_WRITE=N:ACTION   kill, stop, int, term, hup: the signal is sent before the write
//                       enospc: the write fails
//   AT_WRITE_LOG=FILE   the file to which that write is logged
// Forked children are not affected.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long target;
static long count;
static int signal_number;
static pid_t program;
static const char* log_file;

__attribute__((constructor)) static void read_environment(void) {
  static const struct {
    const char* word;
    int number;
  } signals[] = {{"kill", SIGKILL},
                 {"stop", SIGSTOP},
                 {"int", SIGINT},
                 {"term", SIGTERM},
                 {"hup", SIGHUP},
                 {"enospc", 0}};

  const char* text = getenv("AT_WRITE");
  char* rest = NULL;
  if (text == NULL) return;
  target = strtol(text, &rest, 10);
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; ++i) {
    if (*rest != ':' || strcmp(rest + 1, signals[i].word) != 0) continue;
    signal_number = signals[i].number;
    program = getpid();
    log_file = getenv("AT_WRITE_LOG");
    return;
  }
  fprintf(stderr, "at-write: cannot parse AT_WRITE=%s\n", text);
  _exit(125);
}

static void log_write(int fd, const void* data, size_t size) {
  if (log_file == NULL) return;
  const int file = open(log_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return;
  dprintf(
      file, "write %ld to %d: %.*s\n", count, fd, size > 60 ? 60 : (int)size, (const char*)data);
  close(file);
}

// log_write() does not recurse, because dprintf() calls the write() inside libc, not this one.
ssize_t write(int fd, const void* data, size_t size) {
  if (program != 0 && getpid() == program && ++count == target) {
    log_write(fd, data, size);
    if (signal_number == 0) {
      errno = ENOSPC;
      return -1;
    }
    kill(program, signal_number);
  }
  return syscall(SYS_write, fd, data, size);
}
