// SPDX-License-Identifier: MIT
//
// An output stream over a descriptor that keeps the errno of a write that failed.

#pragma once

#include <array>
#include <ostream>
#include <streambuf>

namespace manactl::cli {

class DescriptorBuffer final : public std::streambuf {
 public:
  explicit DescriptorBuffer(int number) : number_(number) { reset(); }

  int error() const { return error_; }  // errno of the first write that failed, else 0

  bool is_used() const { return used_ || pptr() != pbase(); }  // something was written

 protected:
  int_type overflow(int_type c) override;
  int sync() override;

 private:
  void reset() { setp(buffer_.data(), buffer_.data() + buffer_.size()); }

  int number_;
  int error_ = 0;
  bool used_ = false;
  std::array<char, 16384> buffer_{};
};

}  // namespace manactl::cli
