// SPDX-License-Identifier: MIT
//
// Loads a shared library with dlopen(3) on first use. Loading it at program start could cost more
// than a whole check (libkmod: 5 million instructions). Callers include its header only for types.

#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace manactl {

class SharedLibrary {
 public:
  // `name` is a soname for the dynamic loader or an absolute path. Errc::not_found if it is not
  // installed. The library is never unloaded: many libraries do not support dlclose(3).
  static Result<SharedLibrary> open(const std::string& name);

  // Returns a handle for the program itself and all libraries that it has already loaded.
  static SharedLibrary loaded();

  // The function `symbol`, whose type is `F`, as in function<decltype(kmod_new)>("kmod_new").
  // Errc::unsupported if the library does not export `symbol`.
  template <class F>
  Result<F*> function(const char* symbol) const {
    const auto found = address(symbol);
    if (!found) return tl::unexpected<Error>(found.error());
    return reinterpret_cast<F*>(*found);  // dlsym(3) is untyped
  }

 private:
  friend class FunctionBinder;

  SharedLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}

  Result<void*> address(const char* symbol) const;

  void* handle_ = nullptr;
  std::string name_;
};

// Looks up several functions of a library. After the first missing symbol, problem() holds its
// error and the remaining look-ups do nothing.
class FunctionBinder {
 public:
  explicit FunctionBinder(const SharedLibrary& library) : library_(library) {}

  template <class F>
  void operator()(const char* symbol, F*& into) {
    static_assert(sizeof into == sizeof(void*));
    find(symbol, &into);
  }

  const std::optional<Error>& problem() const { return problem_; }

 private:
  // `pointer` is the address of a function pointer of any type.
  void find(const char* symbol, void* pointer);

  const SharedLibrary& library_;
  std::optional<Error> problem_;
};

}  // namespace manactl
