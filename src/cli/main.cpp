// SPDX-License-Identifier: MIT
//
// The entry point: provides the real streams and environment, and handles uncaught exceptions.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <ostream>
#include <streambuf>
#include <vector>

#include "base/budget.h"
#include "cli/app.h"

namespace manactl::cli {
namespace {

// Writes to a file descriptor and remembers the errno of the first failed write.
class DescriptorBuffer final : public std::streambuf {
 public:
  explicit DescriptorBuffer(int number) : number_(number), buffer_(kSize) { reset(); }

  int error() const { return error_; }  // errno of the first failed write, or 0

  bool is_used() const { return used_ || pptr() != pbase(); }  // something was written

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  static constexpr std::size_t kSize = 16384;

  void reset() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }

  int number_;
  int error_ = 0;
  bool used_ = false;
  std::vector<char> buffer_;  // not an array, because the stack may be small (ulimit -s)
};

DescriptorBuffer::int_type DescriptorBuffer::overflow(int_type c) {
  if (sync() != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(c, traits_type::eof())) sputc(traits_type::to_char_type(c));
  return traits_type::not_eof(c);
}

int DescriptorBuffer::sync() {
  const char* next = pbase();
  used_ = used_ || next != pptr();
  while (next < pptr() && error_ == 0) {
    const auto written = ::write(number_, next, static_cast<std::size_t>(pptr() - next));
    if (written >= 0) {
      next += written;
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  reset();
  return error_ == 0 ? 0 : -1;
}

// Opens /dev/null in place of a closed standard descriptor. Otherwise the next opened file would
// get its number, and output would be written into that file.
bool open_if_closed(int number) {
  if (fcntl(number, F_GETFD) != -1 || errno != EBADF) return false;
  return open("/dev/null", O_RDWR | O_CLOEXEC) == number;
}

int write_error(int error, bool closed, std::ostream& err) {
  // Print no message if the reader closed the pipe.
  if (error == EPIPE) return static_cast<int>(Exit::internal);
  const auto reason = closed ? Error{Errc::io, 0, "cannot write the result: stdout is closed"}
                             : fail_errno(error, "cannot write the result").value();
  err << "manactl: " << reason.message << '\n';
  return static_cast<int>(Exit::internal);
}

int guarded_main(int argc, char** argv) {
  // A write beyond the limit of "ulimit -f" fails with EFBIG, so that a transaction rolls back.
  std::signal(SIGXFSZ, SIG_IGN);
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
  const bool has_program_name = argc > 0;
  const auto exit =
      run({{argv + (has_program_name ? 1 : 0), argv + argc}, environment, out_screen, err_screen});
  out.flush();
  if (out_buffer.error() != 0 || (closed && out_buffer.is_used())) {
    return write_error(out_buffer.error(), closed, err);
  }
  return static_cast<int>(exit);
}

void write(std::string_view text) noexcept {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0)
    return;  // nothing can report this error
}

// Does not allocate.
Exit report_no_memory() noexcept {
  if (!is_memory_limited()) {
    write("manactl: not enough memory\n");
    return Exit::internal;
  }
  static_assert(kMaxMemory == 512U << 20U);
  write("manactl: not enough memory; the limit for any input is 512 MiB\n");
  return Exit::usage;
}

void report_internal_error(const char* what) noexcept {
  write("manactl: internal error: ");
  write(what);
  write("; please report it with the output of 'manactl --version --json'\n");
}

// Reports a bad_alloc thrown in a destructor: destructors of nlohmann-json allocate memory.
[[noreturn]] void handle_terminate() noexcept {
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::bad_alloc&) {
    _exit(static_cast<int>(report_no_memory()));
  } catch (const std::exception& thrown) {
    report_internal_error(thrown.what());
  } catch (...) {
    report_internal_error("unknown exception");
  }
  std::abort();
}

}  // namespace
}  // namespace manactl::cli

int main(int argc, char** argv) {
  std::set_terminate(manactl::cli::handle_terminate);
  try {
    return manactl::cli::guarded_main(argc, argv);
  } catch (const std::bad_alloc&) {
    return static_cast<int>(manactl::cli::report_no_memory());
  } catch (const std::exception& thrown) {
    manactl::cli::report_internal_error(thrown.what());
  } catch (...) {
    manactl::cli::report_internal_error("unknown exception");
  }
  return static_cast<int>(manactl::cli::Exit::internal);
}
