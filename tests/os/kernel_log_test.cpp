// SPDX-License-Identifier: MIT

#include "os/kernel_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <cerrno>

#include "os/kernel_calls.h"
#include "os/owned.h"
#include "support/file_calls.h"

namespace manactl::os::kernel_log_test {
namespace {

TEST(KernelLogRecord, IsFormattedLikeDmesg) {
  EXPECT_EQ(
      format_record("6,339,5140900,-;mana 7870:00:00.0: up\n SUBSYSTEM=pci\n DEVICE=+pci:x\n"),
      "[    5.140900] mana 7870:00:00.0: up\n");
  EXPECT_EQ(format_record("4,1,12345678901234,c,caller=T1;text"), "[12345678.901234] text\n");
}

TEST(KernelLogRecord, DecodesEscapedBytes) {
  EXPECT_EQ(format_record("6,1,0,-;a\\x5cb \\xc3\\xbc\n"), "[    0.000000] a\\b \xc3\xbc\n");
  EXPECT_EQ(format_record("6,1,0,-;a\\x0ab\n"), "[    0.000000] a\n[    0.000000] b\n");
  EXPECT_EQ(format_record("6,1,0,-;cut \\x5\n"), "[    0.000000] cut \\x5\n");
}

TEST(KernelLogRecord, IsEmptyIfMalformed) {
  for (const char* bad : {"", "text", "6,1,0,-", "6,1;x", "6,1,x,-;y", ";", "6,1,-5,-;z"}) {
    EXPECT_EQ(format_record(bad), "") << bad;
  }
  EXPECT_EQ(format_record("6,1,2000001;short"), "[    2.000001] short\n");
}

TEST(KernelLogRecord, MayEndInOrContainPartsOfEscapes) {
  EXPECT_EQ(format_record("6,1,0,-;\\x41"), "[    0.000000] A\n");
  EXPECT_EQ(format_record("6,1,0,-;\\x4"), "[    0.000000] \\x4\n");
  EXPECT_EQ(format_record("6,1,0,-;\\xg1b"), "[    0.000000] \\xg1b\n");
  EXPECT_EQ(format_record("6,1,0,-;a\\y41b"), "[    0.000000] a\\y41b\n");
  EXPECT_EQ(format_record("6,1,0,-;\\x41b\\x43"), "[    0.000000] AbC\n");
}

// A pipe in packet mode returns one record per read, as /dev/kmsg does.
class KernelRecords : public ::testing::Test {
 protected:
  KernelRecords() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_DIRECT | O_NONBLOCK | O_CLOEXEC), 0);
    reader_ = ends[0];
    writer_ = Descriptor(ends[1]);
    calls_.open = [this](const char* path, int flags) -> std::optional<int> {
      if (path != std::string("/dev/kmsg")) return std::nullopt;
      EXPECT_EQ(flags, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
      return reader_;
    };
    calls_.lseek = [this](int file, off_t offset, int whence) {
      seeks_ += file == reader_ && offset == 0 && whence == SEEK_DATA ? 1 : 0;
      return off_t{0};
    };
  }

  void write_record(const std::string& text) const {
    EXPECT_EQ(::write(writer_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

  // Everything that the log contains, read in pieces of three bytes, or the message of an error.
  static std::string all() {
    const auto source = open_kernel_log()->open();
    if (!source) return source.error().message;
    std::string text;
    for (;;) {
      std::array<char, 3> piece{};
      const auto count = (*source)->read(piece);
      if (!count) return text + count.error().message;
      if (*count == 0) return text;
      text.append(piece.data(), *count);
    }
  }

  std::string name() const { return "read pipe:[" + std::to_string(inode()) + "]"; }

  ino_t inode() const {
    struct stat status{};

    EXPECT_EQ(fstat(reader_, &status), 0);
    return status.st_ino;
  }

  test::KernelCalls calls_;
  int reader_ = -1;
  Descriptor writer_;
  int seeks_ = 0;
};

TEST_F(KernelRecords, AreReadUntilNoneIsLeft) {
  write_record("6,1,1000000,-;one\n");
  write_record("x");
  write_record("6,2,2000000,-;two\n");
  EXPECT_EQ(all(), "[    1.000000] one\n[    2.000000] two\n");
  EXPECT_EQ(seeks_, 1) << "records before the last 'dmesg --clear' are skipped";
}

TEST_F(KernelRecords, EndAtTheEndOfTheFile) {
  write_record("6,1,1000000,-;one\n");
  writer_ = Descriptor();
  EXPECT_EQ(all(), "[    1.000000] one\n");
}

TEST_F(KernelRecords, AreReadOnAfterAnInterruptionOrAnOverrun) {
  for (const int error : {EINTR, EPIPE}) {
    write_record("6,1,1000000,-;one\n");
    test::FileCalls reads;
    reads.fail(name(), error);
    const int reader = reader_;
    reader_ = dup(reader);
    EXPECT_EQ(all(), "[    1.000000] one\n") << error;
    reader_ = reader;
  }
  close(reader_);
}

TEST_F(KernelRecords, AreReportedIfTheyCannotBeRead) {
  write_record("6,1,1000000,-;one\n");
  test::FileCalls reads;
  reads.fail(name(), EINVAL, 1);
  EXPECT_EQ(all(), "[    1.000000] one\ncannot read '/dev/kmsg': Invalid argument");
}

TEST_F(KernelRecords, MayBeDenied) {
  close(reader_);
  calls_.open = test::failing(EPERM);
  const auto source = open_kernel_log()->open();
  ASSERT_FALSE(source);
  EXPECT_EQ(source.error().message, "cannot open '/dev/kmsg': Operation not permitted");
}

}  // namespace
}  // namespace manactl::os::kernel_log_test
