// SPDX-License-Identifier: MIT
//
// A class that owns a file descriptor.

#pragma once

#include <unistd.h>

#include <utility>

namespace manactl {

// -1 means none.
class Descriptor {
 public:
  Descriptor() = default;

  explicit Descriptor(int number) : number_(number) {}

  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);  // `other` closes the old descriptor
    return *this;
  }

  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }

  int get() const { return number_; }

  // Gives up ownership: the caller must close the descriptor.
  int release() { return std::exchange(number_, -1); }

  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace manactl
