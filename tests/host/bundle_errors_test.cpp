// SPDX-License-Identifier: MIT

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "host/bundle.h"
#include "host/bundle_files.h"
#include "host/recording.h"
#include "support/fixtures.h"

namespace manactl::host::bundle_errors_test {
namespace {

using ::testing::HasSubstr;

TEST(Bundle, ReportsWhyItCannotBeWritten) {
  const Directory directory;
  const auto system = test::system_of("not-azure");
  const auto recording = start_recording(system->system());
  const auto error_of = [&](const std::string& path) {
    const auto written = write_bundle(*recording, {}, path);
    return written ? "" : written.error().message;
  };
  EXPECT_THAT(error_of(directory.at("")), HasSubstr("cannot write bundle"));
  EXPECT_THAT(error_of("/proc/b"), HasSubstr("cannot create 'b."));
  EXPECT_EQ(directory.count(), 0U);
}

TEST(Bundle, DoesNotOpenAnOldTemporaryFile) {
  const Directory directory;
  const auto system = test::system_of("not-azure");
  const auto recording = start_recording(system->system());
  const auto temporary = [&](int i) {
    return directory.at(fmt::format("b.{}-{}.tmp", getpid(), i));
  };
  std::ofstream(temporary(0)) << "old";
  EXPECT_TRUE(write_bundle(*recording, {}, directory.at("b")));
  EXPECT_EQ(bytes_of(temporary(0)), "old");
  EXPECT_EQ(directory.count(), 2U);
  for (int i = 1; i < 100; ++i) std::ofstream(temporary(i)) << "old";
  const auto written = write_bundle(*recording, {}, directory.at("b"));
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("-99.tmp': File exists"));
}

TEST(Bundle, IsNotWrittenWithoutTheScrubbedTree) {
  const Directory directory;
  const auto system = test::system_of("not-azure");
  const auto recording = start_recording(system->system());
  BundleOptions options{true, {}};
  std::string addresses;
  for (unsigned i = 0; i < 300'001; ++i) {
    addresses += fmt::format("02:00:00:{:02x}:{:02x}:{:02x}\n", i >> 16U, i >> 8U & 255U, i & 255U);
  }
  options.extra["logs/1.log"] = addresses;
  EXPECT_FALSE(write_bundle(*recording, options, directory.at("b")));
  EXPECT_EQ(directory.count(), 0U);
}

TEST(Bundle, MayHaveNamesThatAreNotUtf8) {
  const Directory directory;
  const auto system = test::system_of("not-azure");
  const auto recording = start_recording(system->system());
  BundleOptions options;
  options.extra["logs/\xff\xc3\xa4.log"] = "text";
  ASSERT_TRUE(write_bundle(*recording, options, directory.at("b")));
  const auto files = read_bundle(directory.at("b"));
  ASSERT_TRUE(files) << files.error().message;
  EXPECT_EQ((*files)->read("logs/\xff\xc3\xa4.log").value(), "text");
}

TEST(ReadBundle, ReportsAMissingFile) {
  const auto opened = read_bundle("/nonexistent/b");
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("/nonexistent/b"));
}

}  // namespace
}  // namespace manactl::host::bundle_errors_test
