// SPDX-License-Identifier: MIT
//
// A shared library that is loaded when it is first needed, because loading it costs more than a
// whole check (libkmod: 5 million instructions). Types come from its header, code from its soname.

#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace manactl {

class LateLibrary {
 public:
  // A soname for the system's loader, or an absolute path. Errc::not_found when it is not
  // installed. A loaded library stays until the process ends: many do not survive dlclose(3).
  static Result<LateLibrary> open(const std::string& name);

  // What is in this process already, the program itself included.
  static LateLibrary loaded();

  // The function whose declaration is `F`: library.function<decltype(kmod_new)>("kmod_new").
  template <class F>
  Result<F*> function(const char* symbol) const {
    const auto found = address(symbol);
    if (!found) return tl::unexpected<Error>(found.error());
    return reinterpret_cast<F*>(*found);  // dlsym(3) knows no types
  }

 private:
  friend class FunctionBinder;

  LateLibrary(void* handle, std::string name) : handle_(handle), name_(std::move(name)) {}

  Result<void*> address(const char* symbol) const;

  void* handle_ = nullptr;
  std::string name_;
};

// Takes many functions of a library; the first that is missing is remembered, the rest not asked.
class FunctionBinder {
 public:
  explicit FunctionBinder(const LateLibrary& library) : library_(library) {}

  template <class F>
  void operator()(const char* symbol, F*& into) {
    static_assert(sizeof into == sizeof(void*));
    find(symbol, &into);
  }

  const std::optional<Error>& problem() const { return problem_; }

 private:
  // `pointer` is the place of a pointer to a function; dlsym(3) knows no types.
  void find(const char* symbol, void* pointer);

  const LateLibrary& library_;
  std::optional<Error> problem_;
};

}  // namespace manactl
