// SPDX-License-Identifier: MIT
//
// The one error type. An error is a value and a sentence; it grows a prefix on the way up
// (because) and is printed once, by cli. Exceptions are for bugs and for libraries that throw.

#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace manactl {

enum class Errc {
  not_found,    // the thing asked for does not exist here
  denied,       // privilege is missing
  busy,         // somebody else holds it
  unsupported,  // this kernel, build or machine cannot do it
  invalid,      // input that cannot be used
  timeout,
  io,  // everything else that the kernel or a library refused
};

struct Error {
  Errc code = Errc::io;
  int sys = 0;          // errno, when the kernel gave one
  std::string message;  // one line, no full stop: "cannot read '/proc/mounts': Permission denied"
};

// Derived, not aliased: plain tl::expected may be dropped without a warning.
template <class T = void>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using tl::expected<T, Error>::expected;
};

inline tl::unexpected<Error> fail(Errc code, std::string message) {
  return tl::unexpected<Error>(Error{code, 0, std::move(message)});
}

// The cause again, with what was being done in front of it.
inline tl::unexpected<Error> because(Error cause, std::string_view doing) {
  cause.message = fmt::format("{}: {}", doing, cause.message);
  return tl::unexpected<Error>(std::move(cause));
}

// An errno of the kernel: maps the number to a code and appends its text to `doing`.
tl::unexpected<Error> fail_errno(int number, std::string_view doing);

}  // namespace manactl
