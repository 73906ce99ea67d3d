// SPDX-License-Identifier: MIT
//
// The program: real streams, the real environment, and the last word on everything that was thrown.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <exception>

#include "cli/app.h"
#include "cli/stream.h"

namespace manactl::cli {
namespace {

// A descriptor that the caller closed would be given to the next file we open, and our output
// would be written into it.
bool open_if_closed(int number) {
  if (fcntl(number, F_GETFD) != -1 || errno != EBADF) return false;
  return open("/dev/null", O_RDWR | O_CLOEXEC) == number;
}

int write_error(int error, bool closed, std::ostream& err) {
  if (error == EPIPE) return static_cast<int>(Exit::internal);  // the reader has seen enough
  const auto reason = closed ? Error{Errc::io, 0, "cannot write the result: stdout is closed"}
                             : fail_errno(error, "cannot write the result").value();
  err << "manactl: " << reason.message << '\n';
  return static_cast<int>(Exit::internal);
}

int guarded_main(int argc, char** argv) {
  open_if_closed(STDIN_FILENO);
  const bool closed = open_if_closed(STDOUT_FILENO);
  open_if_closed(STDERR_FILENO);
  DescriptorBuffer out_buffer(STDOUT_FILENO);
  DescriptorBuffer err_buffer(STDERR_FILENO);
  std::ostream out(&out_buffer);
  std::ostream err(&err_buffer);
  err << std::unitbuf;
  const Environment environment(environ);
  Screen out_screen = make_screen(out, STDOUT_FILENO, environment);
  Screen err_screen = make_screen(err, STDERR_FILENO, environment);
  const bool named = argc > 0;
  const auto exit =
      run({{argv + (named ? 1 : 0), argv + argc}, environment, out_screen, err_screen});
  out.flush();
  if (out_buffer.error() != 0 || (closed && out_buffer.is_used())) {
    return write_error(out_buffer.error(), closed, err);
  }
  return static_cast<int>(exit);
}

void say_internal(const char* what) noexcept {
  const auto say = [](std::string_view text) {
    if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;  // nobody is left to tell
  };
  say("manactl: internal error: ");
  say(what);
  say("; please report it with the output of 'manactl --version --json'\n");
}

}  // namespace
}  // namespace manactl::cli

int main(int argc, char** argv) {
  try {
    return manactl::cli::guarded_main(argc, argv);
  } catch (const std::exception& thrown) {
    manactl::cli::say_internal(thrown.what());
  } catch (...) {
    manactl::cli::say_internal("unknown exception");
  }
  return static_cast<int>(manactl::cli::Exit::internal);
}
