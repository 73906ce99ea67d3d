// SPDX-License-Identifier: MIT

#include "base/result.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace manactl::result_test {
namespace {

TEST(Result, AddsAPrefixAndKeepsTheCause) {
  const Result<> cause = fail_errno(EBUSY, "cannot write 'bind'");
  const Result<int> wrapped = because(cause.error(), "bind the device");
  EXPECT_EQ(wrapped.error().message,
            "bind the device: cannot write 'bind': Device or resource busy");
  EXPECT_EQ(wrapped.error().code, Errc::busy);
  EXPECT_EQ(wrapped.error().sys, EBUSY);
}

TEST(Result, MapsAnErrnoToACode) {
  const auto code = [](int number) { return Result<>(fail_errno(number, "x")).error().code; };
  EXPECT_EQ(code(ENOENT), Errc::not_found);
  EXPECT_EQ(code(EPERM), Errc::denied);
  EXPECT_EQ(code(EPROTONOSUPPORT), Errc::unsupported);
  EXPECT_EQ(code(EINVAL), Errc::invalid);
  EXPECT_EQ(code(ETIMEDOUT), Errc::timeout);
  EXPECT_EQ(code(EIO), Errc::io);
}

TEST(Result, HasNoErrnoWithoutASystemCall) {
  const Result<int> failure = fail(Errc::invalid, "no");
  EXPECT_EQ(failure.error().sys, 0);
  EXPECT_EQ(failure.error().message, "no");
}

}  // namespace
}  // namespace manactl::result_test
