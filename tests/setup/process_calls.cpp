// SPDX-License-Identifier: MIT

#include "setup/process_calls.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>

namespace manactl::test {
namespace {

void put(int fd, const std::string& text) {
  if (write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(9);
}

void describe(char* const* arguments, char* const* environment) {
  std::string text;
  for (; *arguments != nullptr; ++arguments) text += fmt::format("{}|", *arguments);
  put(STDOUT_FILENO, text);
  sigset_t blocked{};
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  put(STDERR_FILENO,
      fmt::format(" environment: {}, signals: {}",
                  *environment == nullptr ? "empty" : *environment,
                  sigisemptyset(&blocked) != 0 ? "none blocked" : "blocked"));
}

std::string ident;

void log(int priority, const char* format, va_list arguments) {
  while (log_blocks) pause();
  std::array<char, 1000> text{};
  (void)vsnprintf(text.data(), text.size(), format, arguments);
  put(log_descriptor, fmt::format("{} {} {}\n", ident, priority, text.data()));
}

}  // namespace
}  // namespace manactl::test

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl50-cpp,cert-dcl51-cpp,readability-identifier-naming):
// names of the linker and the C library
extern "C" {
int __wrap_execve(const char* program, char* const* arguments, char* const* environment);
void __wrap_openlog(const char* ident, int option, int facility);
void __wrap_syslog(int priority, const char* format, ...);
void __wrap___syslog_chk(int priority, int flag, const char* format, ...);

int __wrap_execve(const char* program, char* const* arguments, char* const* environment) {
  using namespace manactl::test;
  if (exec_action == Exec::fail) {
    errno = ENOENT;
    return -1;
  }
  if (exec_action == Exec::reply) put(STDOUT_FILENO, "o \"/org/freedesktop/systemd1/job/1\"\n");
  if (exec_action == Exec::flood) put(STDOUT_FILENO, std::string(100000, 'x'));
  if (exec_action == Exec::describe) {
    put(STDOUT_FILENO, fmt::format("{}: ", program));
    describe(arguments, environment);
  }
  _exit(0);
}

void __wrap_openlog(const char* name, int /*option*/, int /*facility*/) {
  manactl::test::ident = name;
}

void __wrap_syslog(int priority, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  manactl::test::log(priority, format, arguments);
  va_end(arguments);
}

void __wrap___syslog_chk(int priority, int /*flag*/, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  manactl::test::log(priority, format, arguments);
  va_end(arguments);
}
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl50-cpp,cert-dcl51-cpp,readability-identifier-naming)
