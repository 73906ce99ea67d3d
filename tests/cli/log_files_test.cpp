// SPDX-License-Identifier: MIT

#include "cli/log_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "cli/run_manactl.h"

namespace manactl::cli {
namespace {

class Counting final : public ByteSource {
 public:
  explicit Counting(std::string text) : text_(std::move(text)) {}

  Result<std::size_t> read(std::span<char> into) override {
    const auto length = std::min(into.size(), text_.size());
    std::memcpy(into.data(), text_.data(), length);
    text_.erase(0, length);
    return length;
  }

 private:
  std::string text_;
};

std::string read_all(ByteSource& source) {
  std::string text;
  std::vector<char> block(1U << 20);
  for (auto got = source.read(block); got && *got > 0; got = source.read(block)) {
    text.append(block.data(), *got);
  }
  return text;
}

TEST(LogFile, GivesItsBytes) {
  const test::TemporaryDirectory directory;
  auto source = open_log(directory.file("a.log", std::string("one\n\0two", 8)));
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ(read_all(**source), std::string("one\n\0two", 8));
}

TEST(LogFile, IsWrongUsageWhenItIsMissingOrADirectory) {
  EXPECT_EQ(open_log("/nowhere.log").error().code, Errc::invalid);
  EXPECT_EQ(open_log("/").error().code, Errc::invalid);
  EXPECT_EQ(open_log("/dev/zero").error().code, Errc::invalid);
}

TEST(KeepingSource, KeepsAShortLogWhole) {
  Counting log("a\nb\n");
  KeepingSource keeping(log);
  EXPECT_EQ(read_all(keeping), "a\nb\n");
  EXPECT_EQ(keeping.kept(), "a\nb\n");
}

TEST(KeepingSource, KeepsBothEndsOfALongOne) {
  const std::string text = "first\n" + std::string(12U << 20, 'x') + "\nlast\n";
  Counting log(text);
  KeepingSource keeping(log);
  EXPECT_EQ(read_all(keeping), text);
  const auto kept = keeping.kept();
  EXPECT_TRUE(kept.starts_with("first\n"));
  EXPECT_TRUE(kept.ends_with("\nlast\n"));
  EXPECT_NE(kept.find("bytes are left out here]"), std::string::npos);
  EXPECT_LE(kept.size(), 3 * KeepingSource::kKept + 100);
}

}  // namespace
}  // namespace manactl::cli
