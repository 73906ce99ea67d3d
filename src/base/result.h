// SPDX-License-Identifier: MIT
//
// The error type of all modules. An error is a value with a message. Callers prefix the message
// with because(); only cli prints it. Only bugs and libraries throw exceptions.

#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace manactl {

enum class Errc {
  not_found,    // the requested object does not exist
  denied,       // missing privilege
  busy,         // in use by another process
  unsupported,  // not possible with this kernel, build or machine
  invalid,      // unusable input
  timeout,
  io,  // any other failure of the kernel or a library
};

struct Error {
  Errc code = Errc::io;
  int sys = 0;          // errno if a system call failed, else 0
  std::string message;  // one line, no full stop: "cannot read '/proc/mounts': Permission denied"
};

// A derived class, not an alias, because tl::expected is not [[nodiscard]].
template <class T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

inline tl::unexpected<Error> fail(Errc code, std::string message) {
  return tl::unexpected<Error>(Error{code, 0, std::move(message)});
}

// Returns `cause` with the message "<doing>: <message of cause>".
inline tl::unexpected<Error> because(Error cause, std::string_view doing) {
  cause.message = fmt::format("{}: {}", doing, cause.message);
  return tl::unexpected<Error>(std::move(cause));
}

// Returns an error with the code for the errno `number` and the message "<doing>: <text of errno>".
tl::unexpected<Error> fail_errno(int number, std::string_view doing);

}  // namespace manactl
