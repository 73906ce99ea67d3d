// SPDX-License-Identifier: MIT

#include "base/shared_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libkmod.h>

namespace manactl::shared_library_test {
namespace {

TEST(SharedLibrary, CallsAFunctionThroughItsDeclaration) {
  const auto library = SharedLibrary::open("libkmod.so.2");
  ASSERT_TRUE(library);
  const auto start = library->function<decltype(kmod_new)>("kmod_new");
  const auto stop = library->function<decltype(kmod_unref)>("kmod_unref");
  ASSERT_TRUE(start && stop);
  kmod_ctx* context = (*start)(nullptr, nullptr);
  ASSERT_NE(context, nullptr);
  EXPECT_EQ((*stop)(context), nullptr);
}

TEST(SharedLibrary, ReportsAMissingLibraryOrFunction) {
  const auto absent = SharedLibrary::open("libmanactl-absent.so.1");
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().code, Errc::not_found);
  const auto library = SharedLibrary::open("libkmod.so.2");
  ASSERT_TRUE(library);
  const auto function = library->function<void()>("kmod_absent");
  ASSERT_FALSE(function);
  EXPECT_EQ(function.error().code, Errc::unsupported);
}

TEST(SharedLibrary, FindsFunctionsThatAreAlreadyLoaded) {
  const auto program = SharedLibrary::loaded();
  EXPECT_TRUE(program.function<std::size_t(const char*)>("strlen"));
  EXPECT_FALSE(program.function<void()>("manactl_absent"));
}

TEST(FunctionBinder, ReportsTheFirstMissingFunction) {
  const auto library = SharedLibrary::open("libkmod.so.2");
  ASSERT_TRUE(library);
  decltype(kmod_new)* start = nullptr;
  decltype(kmod_unref)* stop = nullptr;
  void (*absent)() = nullptr;
  FunctionBinder bind(*library);
  bind("kmod_new", start);
  EXPECT_FALSE(bind.problem());
  bind("kmod_absent", absent);
  bind("kmod_unref", stop);
  EXPECT_NE(start, nullptr);
  EXPECT_EQ(stop, nullptr);
  ASSERT_TRUE(bind.problem());
  EXPECT_THAT(bind.problem()->message, testing::HasSubstr("kmod_absent"));
}

}  // namespace
}  // namespace manactl::shared_library_test
