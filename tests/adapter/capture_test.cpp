// SPDX-License-Identifier: MIT

#include "adapter/link/capture.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace manactl::adapter::capture_test {
namespace {

using testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;
namespace fs = std::filesystem;

void append(Bytes& bytes, const auto& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

Bytes capture_of(const std::vector<std::size_t>& sizes) {
  Bytes bytes;
  append(bytes, capture_header());
  for (const auto size : sizes) {
    append(bytes, record_header(1'700'000'000'123'456'789, size));
    append(bytes, Bytes(size, static_cast<std::uint8_t>(size)));
  }
  return bytes;
}

// Returns the capture with the other byte order in all headers; frames do not change.
Bytes swapped(Bytes bytes, std::size_t records) {
  const auto reverse = [&](std::size_t at, std::size_t size) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + size));
  };
  for (const std::size_t at : {0U, 8U, 12U, 16U, 20U}) reverse(at, 4);
  reverse(4, 2);
  reverse(6, 2);
  std::size_t at = 24;
  for (std::size_t i = 0; i < records; ++i) {
    const auto size = bytes[at + 8] + std::size_t{bytes[at + 9]} * 256;
    for (std::size_t field = 0; field < 16; field += 4) reverse(at + field, 4);
    at += 16 + size;
  }
  return bytes;
}

TEST(Capture, ReadsWhatWasWritten) {
  for (const auto& bytes : {capture_of({60, 9018, 14}), swapped(capture_of({60, 9018, 14}), 3)}) {
    const auto capture = parse_capture(bytes).value();
    ASSERT_EQ(capture.frames.size(), 3U);
    EXPECT_EQ(capture.frames[1].size(), 9018U);
    EXPECT_EQ(capture.frames[2][13], 14U);
  }
}

TEST(Capture, ReadsNanosecondFiles) {
  auto bytes = capture_of({60});
  bytes[0] = 0x4d;
  bytes[1] = 0x3c;
  EXPECT_EQ(parse_capture(bytes)->frames.size(), 1U);
}

TEST(Capture, WritesTimestampsInMicroseconds) {
  const auto bytes = capture_of({60});
  EXPECT_EQ(wire::load(bytes, 24, 4), 1'700'000'000U);
  EXPECT_EQ(wire::load(bytes, 28, 4), 123'456U);
}

TEST(Capture, ExplainsWhyAFileIsInvalid) {
  const auto with = [](std::size_t at, std::uint32_t value) {
    auto bytes = capture_of({60, 100});
    wire::store(bytes, at, 4, value);
    return bytes;
  };
  const std::pair<Bytes, const char*> cases[] = {
      {{}, "too short"},
      {Bytes(23), "too short"},
      {Bytes(24), "not a pcap file"},
      {with(0, 0x0a0d0d0a), "pcapng"},
      {with(4, 0x0003), "version 3 is not supported"},
      {with(20, 101), "link type is 101"},
      {with(20, 0x10000001), "link type"},
      {capture_of({}), "no packets"},
      {capture_of({13}), "packet 1 has 13 bytes"},
      {capture_of({60, 9019}), "packet 2 has 9019 bytes"},
      {with(24 + 8, 61), "packet 1 was captured in part: 61 of 60 bytes"},
      {with(24 + 12, 61), "packet 1 was captured in part: 60 of 61 bytes"},
      {with(100 + 8, 101), "ends inside packet 2"},
      {with(100 + 8, UINT32_MAX), "ends inside packet 2"},
  };
  for (const auto& [bytes, text] : cases) {
    const auto capture = parse_capture(bytes);
    ASSERT_FALSE(capture) << text;
    EXPECT_EQ(capture.error().code, Errc::invalid);
    EXPECT_THAT(capture.error().message, HasSubstr(text));
  }
  auto cut = capture_of({60, 100});
  for (cut.pop_back(); cut.size() > 24 + 76; cut.pop_back()) {
    EXPECT_THAT(parse_capture(cut).error().message, HasSubstr("ends inside packet 2"));
  }
}

class CaptureFile : public testing::Test {
 protected:
  CaptureFile() {
    std::string pattern = "/tmp/manactl-test-XXXXXX";
    root = mkdtemp(pattern.data());
  }

  ~CaptureFile() override { fs::remove_all(root); }

  fs::path root;
};

TEST_F(CaptureFile, OpensAValidFile) {
  const auto bytes = capture_of({60});
  std::ofstream(root / "good")
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const auto fd = open_capture(root / "good");
  ASSERT_TRUE(fd) << fd.error().message;
  EXPECT_EQ(load_capture(*fd, "again")->frames.size(), 1U);
  EXPECT_EQ(load_capture(*fd, "and again")->frames.size(), 1U);
  close(*fd);
}

TEST_F(CaptureFile, NamesAnInvalidFile) {
  mkfifo((root / "pipe").c_str(), 0600);
  std::ofstream(root / "text") << "this is not a capture, it is text";
  const std::pair<const char*, const char*> cases[] = {{"none", "No such file"},
                                                       {"pipe", "named pipe"},
                                                       {".", "directory"},
                                                       {"text", "not a pcap file"}};
  for (const auto& [name, text] : cases) {
    const auto fd = open_capture(root / name);
    ASSERT_FALSE(fd) << name;
    EXPECT_THAT(fd.error().message, HasSubstr((root / name).string()));
    EXPECT_THAT(fd.error().message, HasSubstr(text));
  }
}

TEST_F(CaptureFile, ReplacesOnlyRegularFilesOfThisUser) {
  std::ofstream(root / "mine") << std::string(1000, 'x');
  const auto fd = create_capture(root / "mine");
  ASSERT_TRUE(fd) << fd.error().message;
  close(*fd);
  EXPECT_EQ(fs::file_size(root / "mine"), 24U);
  fs::create_symlink(root / "mine", root / "link");
  fs::create_hard_link(root / "mine", root / "twin");
  mkfifo((root / "pipe").c_str(), 0600);
  for (const auto* name : {"link", "twin", "pipe", ".", "none/none"}) {
    const auto refused = create_capture(root / name);
    ASSERT_FALSE(refused) << name;
    EXPECT_THAT(refused.error().message, HasSubstr("cannot write"));
  }
  EXPECT_EQ(fs::file_size(root / "mine"), 24U);
}

TEST_F(CaptureFile, DoesNotFollowALinkThatOthersCanReplace) {
  fs::create_directory(root / "target");
  fs::create_directory(root / "shared");
  fs::create_symlink(root / "target", root / "shared/link");
  ASSERT_EQ(chmod((root / "shared").c_str(), 0777), 0);
  const auto fd = create_capture(root / "shared/link/file");
  ASSERT_FALSE(fd);
  EXPECT_EQ(fd.error().code, Errc::denied);
  EXPECT_TRUE(fs::is_empty(root / "target"));
}

}  // namespace
}  // namespace manactl::adapter::capture_test
