// SPDX-License-Identifier: MIT

#include "base/shared_library.h"

#include <dlfcn.h>

#include <cstring>

#include "base/text.h"

namespace manactl {
namespace {

std::string loader_error() {
  const char* text = dlerror();  // NOLINT(concurrency-mt-unsafe): per thread in glibc
  return text == nullptr ? "unknown error" : printable(text);
}

}  // namespace

Result<SharedLibrary> SharedLibrary::open(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    return fail(Errc::not_found, fmt::format("cannot load '{}': {}", name, loader_error()));
  }
  return SharedLibrary(handle, name);
}

SharedLibrary SharedLibrary::loaded() {
  return {RTLD_DEFAULT, "this program"};
}

Result<void*> SharedLibrary::address(const char* symbol) const {
  void* found = dlsym(handle_, symbol);
  if (found == nullptr) {
    return fail(Errc::unsupported, fmt::format("'{}' does not export '{}'", name_, symbol));
  }
  return found;
}

void FunctionBinder::find(const char* symbol, void* pointer) {
  if (problem_) return;
  const auto found = library_.address(symbol);
  if (found) {
    std::memcpy(pointer, &*found, sizeof *found);
  } else {
    problem_ = found.error();
  }
}

}  // namespace manactl
