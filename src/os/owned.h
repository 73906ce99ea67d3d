// SPDX-License-Identifier: MIT
//
// Classes that own C handles and file descriptors.

#pragma once

#include <memory>

#include "base/descriptor.h"

namespace manactl::os {

using manactl::Descriptor;

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* handle) const noexcept {
    Free(handle);
  }
};

template <class T, auto Free>
using Owned = std::unique_ptr<T, Deleter<Free>>;

}  // namespace manactl::os
