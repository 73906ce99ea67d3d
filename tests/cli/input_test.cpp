// SPDX-License-Identifier: MIT

#include "cli/input.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "cli/run_manactl.h"

namespace manactl::cli::input_test {
namespace {

class StringSource final : public ByteSource {
 public:
  explicit StringSource(std::string text) : text_(std::move(text)) {}

  Result<std::size_t> read(std::span<char> buffer) override {
    const auto length = std::min(buffer.size(), text_.size());
    std::memcpy(buffer.data(), text_.data(), length);
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

TEST(Input, ReadsAllBytesOfAFile) {
  const test::TemporaryDirectory directory;
  auto source = open_input(directory.file("a.log", std::string("one\n\0two", 8)));
  ASSERT_TRUE(source) << source.error().message;
  EXPECT_EQ(read_all(**source), std::string("one\n\0two", 8));
}

TEST(Input, RejectsMissingFilesDirectoriesAndDevices) {
  EXPECT_EQ(open_input("/nowhere.log").error().code, Errc::invalid);
  EXPECT_EQ(open_input("/").error().code, Errc::invalid);
  EXPECT_EQ(open_input("/dev/zero").error().code, Errc::invalid);
}

TEST(ExcerptSource, KeepsAllOfAShortLog) {
  StringSource log("a\nb\n");
  ExcerptSource source(log);
  EXPECT_EQ(read_all(source), "a\nb\n");
  EXPECT_EQ(source.excerpt(), "a\nb\n");
}

TEST(ExcerptSource, KeepsBothEndsOfALongLog) {
  const std::string text = "first\n" + std::string(12U << 20, 'x') + "\nlast\n";
  StringSource log(text);
  ExcerptSource source(log);
  EXPECT_EQ(read_all(source), text);
  const auto excerpt = source.excerpt();
  EXPECT_TRUE(excerpt.starts_with("first\n"));
  EXPECT_TRUE(excerpt.ends_with("\nlast\n"));
  EXPECT_NE(excerpt.find("bytes omitted]"), std::string::npos);
  EXPECT_LE(excerpt.size(), 3 * ExcerptSource::kMaxPart + 100);
}

TEST(ExcerptSource, CutsNoWordInTwo) {
  const auto excerpt_of = [](const std::string& text) {
    StringSource log(text);
    ExcerptSource source(log);
    EXPECT_EQ(read_all(source), text);
    return source.excerpt();
  };
  const std::string long_text(12U << 20, 'x');
  EXPECT_TRUE(excerpt_of(long_text + "\nlast\n").starts_with("\n["));
  EXPECT_TRUE(excerpt_of("first " + long_text + " last").starts_with("first\n["));
  EXPECT_TRUE(excerpt_of("first " + long_text + " last").ends_with("]\n last"));
}

}  // namespace
}  // namespace manactl::cli::input_test
