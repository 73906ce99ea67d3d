// SPDX-License-Identifier: MIT

#include "cli/stream.h"

#include <unistd.h>

#include <cerrno>

namespace manactl::cli {

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

}  // namespace manactl::cli
