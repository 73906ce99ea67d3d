// SPDX-License-Identifier: MIT

#include "base/input_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace manactl::input_file_test {
namespace {

using ::testing::HasSubstr;

class InputFile : public ::testing::Test {
 protected:
  InputFile() {
    std::string pattern = std::filesystem::temp_directory_path() / "manactl-input-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    folder_ = pattern;
    std::ofstream(at("log")) << "text";
  }

  ~InputFile() override { std::filesystem::remove_all(folder_); }

  std::string at(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

std::string content(const std::string& path) {
  const auto file = open_input_file(path, "a log");
  if (!file) return file.error().message;
  std::array<char, 64> buffer{};
  const auto got = read(file->get(), buffer.data(), buffer.size());
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

TEST_F(InputFile, FollowsOwnLinks) {
  std::filesystem::create_symlink("log", at("relative"));
  std::filesystem::create_symlink(at("log"), at("absolute"));
  std::filesystem::create_directory(at("below"));
  std::filesystem::create_directory_symlink("..", at("below/up"));
  for (const char* name :
       {"log", "relative", "absolute", "below/up/log", "below/../log", "./log"}) {
    EXPECT_EQ(content(at(name)), "text") << name;
  }
}

TEST_F(InputFile, FollowsAPathThatStartsAboveTheWorkingDirectory) {
  std::filesystem::create_directories(at("a/b"));
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(at("a/b"));
  const auto text = content("../../log");
  const auto back = content("../b/../../log");
  const auto none = content("../log");
  std::filesystem::current_path(before);
  EXPECT_EQ(text, "text");
  EXPECT_EQ(back, "text");
  EXPECT_THAT(none, HasSubstr("No such file"));
}

TEST_F(InputFile, RejectsWhatIsNotARegularFile) {
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_THAT(content(at("pipe")), HasSubstr("is a named pipe, not a log; run: cat '"));
  EXPECT_THAT(content("/dev/null"), HasSubstr("'/dev/null' is a device, not a log"));
  EXPECT_THAT(content(at("")), HasSubstr("is a directory, not a log"));
  EXPECT_THAT(content(at("missing")), HasSubstr("No such file"));
  EXPECT_THAT(content(""), HasSubstr("No such file"));
  EXPECT_THAT(content(at("log/below")), HasSubstr("Not a directory"));
}

TEST_F(InputFile, ReportsALoopOfLinks) {
  std::filesystem::create_symlink("loop", at("loop"));
  EXPECT_THAT(content(at("loop")), HasSubstr("Too many levels of symbolic links"));
}

TEST_F(InputFile, ReadsPipesThatTheCallerOpened) {
  for (const char* folder : {"/dev/fd/", "/proc/self/fd/"}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    ASSERT_EQ(write(ends[1], "piped", 5), 5);
    close(ends[1]);
    EXPECT_EQ(content(folder + std::to_string(ends[0])), "piped");
    close(ends[0]);
  }
}

TEST_F(InputFile, RejectsOtherLinksOfProcesses) {
  EXPECT_THAT(content("/proc/self/exe"), HasSubstr("it leads to a file that a process has open"));
  EXPECT_THAT(content("/proc/self/root/etc/passwd"),
              HasSubstr("it leads to a file that a process has open"));
  EXPECT_THAT(content("/proc/self/fd/0/x"),
              HasSubstr("it leads to a file that a process has open"));
}

TEST_F(InputFile, MayBeADirectory) {
  const auto found = find_input(at(""), "a tree");
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(faccessat(found->get(), "log", F_OK, 0), 0);
  EXPECT_EQ(find_input("/dev/null", "a tree").error().code, Errc::invalid);
}

}  // namespace
}  // namespace manactl::input_file_test
