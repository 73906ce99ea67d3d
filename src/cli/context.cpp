// SPDX-License-Identifier: MIT

#include "cli/context.h"

#include "base/text.h"

namespace manactl::cli {

Exit exit_of(const Error& error) {
  switch (error.code) {
    case Errc::not_found:
    case Errc::unsupported:
      return Exit::unsupported;
    case Errc::denied:
      return Exit::denied;
    case Errc::busy:
      return Exit::busy;
    case Errc::invalid:
      return Exit::usage;
    case Errc::timeout:
    case Errc::io:
      break;
  }
  return Exit::internal;
}

Exit report_error(Context& context, const Error& error, std::string_view try_this) {
  constexpr std::size_t kLongestMessage = 2000;
  auto& stream = context.err.stream();
  stream << context.err.paint(Colour::red, "manactl:") << ' '
         << printable(error.message, kLongestMessage) << '\n';
  if (!try_this.empty()) stream << try_this << '\n';
  return exit_of(error);
}

}  // namespace manactl::cli
