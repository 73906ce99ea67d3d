// SPDX-License-Identifier: MIT

#include "base/result.h"

#include <cerrno>
#include <system_error>

namespace manactl {
namespace {

Errc code_of(int number) {
  switch (number) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case ENOTDIR:
      return Errc::not_found;
    case EACCES:
    case EPERM:
      return Errc::denied;
    case EBUSY:
    case EAGAIN:
      return Errc::busy;
    case EOPNOTSUPP:
    case ENOSYS:
    case EPROTONOSUPPORT:
    case EAFNOSUPPORT:
      return Errc::unsupported;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
      return Errc::invalid;
    case ETIMEDOUT:
      return Errc::timeout;
    default:
      return Errc::io;
  }
}

}  // namespace

tl::unexpected<Error> fail_errno(int number, std::string_view doing) {
  return tl::unexpected<Error>(
      Error{code_of(number),
            number,
            fmt::format("{}: {}", doing, std::generic_category().message(number))});
}

}  // namespace manactl
