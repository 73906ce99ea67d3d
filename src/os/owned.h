// SPDX-License-Identifier: MIT
//
// Classes that own C handles and file descriptors.

#pragma once

#include <unistd.h>

#include <memory>
#include <utility>

namespace manactl::os {

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* handle) const noexcept {
    Free(handle);
  }
};

template <class T, auto Free>
using Owned = std::unique_ptr<T, Deleter<Free>>;

// Owns a file descriptor; -1 means none.
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

}  // namespace manactl::os
