// SPDX-License-Identifier: MIT
//
// Tests the copy of the kernel log in a recording.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "host/recording.h"
#include "support/fixtures.h"

namespace manactl::host::recording_log_test {
namespace {

constexpr std::size_t kBlock = 1U << 20;

// Each block is one line that ends after `line` bytes, and the begin of the next line.
class LogOfBlocks final : public os::KernelLog {
 public:
  LogOfBlocks(int blocks, std::size_t line) : blocks_(blocks), text_(kBlock, 'x') {
    text_[line - 1] = '\n';
  }

  Result<std::unique_ptr<ByteSource>> open() const override {
    if (blocks_ == 0) return fail(Errc::denied, "refused");
    return std::make_unique<Source>(blocks_, text_);
  }

 private:
  class Source final : public ByteSource {
   public:
    Source(int blocks, const std::string& text) : left_(blocks), text_(text) {}

    Result<std::size_t> read(std::span<char> into) override {
      if (left_ == 0) return 0;
      --left_;
      std::ranges::copy(text_, into.begin());
      return text_.size();
    }

   private:
    int left_;
    const std::string& text_;
  };

  int blocks_;
  std::string text_;
};

// The size of the log in the recording after a program has read it.
std::size_t recorded_bytes(LogOfBlocks log) {
  const auto captured = test::system_of("not-azure");
  const auto real = captured->system();
  const auto recorder = start_recording({real.files,
                                         real.links,
                                         real.ethtool,
                                         real.rdma,
                                         real.verbs,
                                         real.devices,
                                         real.modules,
                                         real.process,
                                         real.sockets,
                                         log});
  const auto source = recorder->system().kernel_log.open();
  if (!source) return 0;
  std::string buffer(kBlock, '\0');
  while ((*source)->read(buffer).value() != 0) {
  }
  return recorder->tree().at("manactl/kernel.log").text.size();
}

TEST(RecordedLog, HasAtMost64MiBOfWholeLines) {
  EXPECT_EQ(recorded_bytes({1, kBlock}), kBlock);
  EXPECT_EQ(recorded_bytes({1, 10}), kBlock) << "the log ends without a newline";
  EXPECT_EQ(recorded_bytes({63, 10}), 63 * kBlock);
  EXPECT_EQ(recorded_bytes({64, kBlock}), 64 * kBlock);
  EXPECT_EQ(recorded_bytes({65, kBlock}), 64 * kBlock);
  EXPECT_EQ(recorded_bytes({65, 10}), 63 * kBlock + 10);
}

TEST(RecordedLog, MayBeRefused) {
  EXPECT_EQ(recorded_bytes({0, 1}), 0U);
}

}  // namespace
}  // namespace manactl::host::recording_log_test
