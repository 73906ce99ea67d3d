// SPDX-License-Identifier: MIT
//
// The errors of each method of a durable directory.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "os/durable_directory.h"
#include "os/kernel_calls.h"
#include "os/scratch.h"

namespace manactl::os::durable_faults_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DurableFaults : public ::testing::Test {
 protected:
  using Outcomes = std::map<std::string, Result<>>;

  // Calls each method and returns the results.
  Outcomes all(const std::string& name) const {
    const auto plain = [](const auto& result) -> Result<> {
      if (!result) return tl::unexpected<Error>(result.error());
      return {};
    };
    Outcomes outcomes;
    outcomes["read"] = plain(files_->read(name));
    outcomes["size"] = plain(files_->size(name));
    outcomes["append"] = files_->append(name, "x");
    outcomes["remove"] = files_->remove(name);
    outcomes["replace"] = files_->replace(name, "x");
    return outcomes;
  }

  test::Scratch scratch_;
  const std::string path_ = scratch_.path() / "state/journal";
  std::unique_ptr<DurableDirectory> files_ =
      open_durable_directory(path_, DirectoryAccess::owner_only);
};

TEST_F(DurableFaults, NoMethodButReplaceCreatesTheDirectory) {
  EXPECT_EQ(files_->path(), path_);
  EXPECT_THAT(*files_->list(), IsEmpty());
  EXPECT_TRUE(files_->remove("a"));
  EXPECT_EQ(files_->read("a").error().sys, ENOENT);
  EXPECT_EQ(files_->size("a").error().sys, ENOENT);
  EXPECT_EQ(files_->append("a", "x").error().sys, ENOENT);
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "state"));
  EXPECT_TRUE(files_->replace("a", "x"));
  EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(DurableFaults, EveryMethodRejectsADirectoryOfOthers) {
  ASSERT_TRUE(files_->replace("a", "x"));
  ASSERT_EQ(chmod(path_.c_str(), 0777), 0);
  for (const auto& [method, outcome] : all("a")) {
    ASSERT_FALSE(outcome) << method;
    EXPECT_EQ(outcome.error().code, Errc::denied) << method;
  }
  EXPECT_EQ(files_->list().error().code, Errc::denied);
  EXPECT_TRUE(std::filesystem::exists(path_ + "/a"));
}

TEST_F(DurableFaults, EveryMethodRejectsNamesThatAreNotPlain) {
  ASSERT_TRUE(files_->replace("a", "x"));
  using namespace std::string_literals;
  for (const auto& name : {""s, "."s, ".x"s, "x/y"s, "/"s, "a\0b"s, "a.new"s}) {
    for (const auto& [method, outcome] : all(name)) {
      ASSERT_FALSE(outcome) << method << name;
      EXPECT_EQ(outcome.error().code, Errc::invalid) << method << name;
    }
  }
  EXPECT_EQ(files_->size("../x").error().message, "'../x' is not a file name");
}

TEST_F(DurableFaults, FailsToListWithTheReason) {
  ASSERT_TRUE(files_->replace("b", "") && files_->replace("a", ""));
  EXPECT_THAT(*files_->list(), ElementsAre("a", "b"));
  test::KernelCalls calls;
  const auto message = "cannot list '" + path_ + "': Input/output error";
  calls.openat = [](int, const char* name, int) -> std::optional<int> {
    if (name != std::string(".")) return std::nullopt;
    errno = EIO;
    return -1;
  };
  EXPECT_EQ(files_->list().error().message, message);
  EXPECT_EQ(files_->remove("b").error().message, "cannot sync '" + path_ + "': Input/output error");
  calls.openat = nullptr;
  calls.fdopendir = test::null_with(EIO);
  EXPECT_EQ(files_->list().error().message, message);
  calls.fdopendir = nullptr;
  calls.readdir = test::null_with(EIO);
  EXPECT_EQ(files_->list().error().message, message);
}

TEST_F(DurableFaults, ReportsTheSizeOfAFile) {
  ASSERT_TRUE(files_->replace("a", "four"));
  EXPECT_EQ(*files_->size("a"), 4U);
  EXPECT_EQ(files_->size("b").error().message,
            "cannot read '" + path_ + "/b': No such file or directory");
}

TEST_F(DurableFaults, ReadsAtMost64Mebibytes) {
  constexpr std::size_t kLimit = 64U << 20;
  ASSERT_TRUE(files_->replace("a", ""));
  ASSERT_EQ(truncate((path_ + "/a").c_str(), kLimit), 0);
  errno = EINTR;
  EXPECT_EQ(files_->read("a")->size(), kLimit);
  ASSERT_EQ(truncate((path_ + "/a").c_str(), kLimit + 1), 0);
  EXPECT_EQ(files_->read("a").error().message, "'" + path_ + "/a' is larger than 64 MiB");
}

TEST_F(DurableFaults, KeepsTheFileIfItsModeCannotBeSet) {
  ASSERT_TRUE(files_->replace("a", "one"));
  test::KernelCalls calls;
  calls.fchmod = test::failing(EPERM);
  EXPECT_EQ(files_->replace("a", "two").error().message,
            "cannot set the mode of '" + path_ + "/a.new': Operation not permitted");
  EXPECT_EQ(*files_->read("a"), "one");
  EXPECT_FALSE(std::filesystem::exists(path_ + "/a.new"));
}

TEST_F(DurableFaults, SetsTheModeBeforeTheFileIsSynced) {
  test::KernelCalls calls;
  off_t size = -1;
  calls.fchmod = [&](int file, mode_t) -> std::optional<int> {
    size = lseek(file, 0, SEEK_END);
    return std::nullopt;
  };
  ASSERT_TRUE(files_->replace("a", "one"));
  EXPECT_EQ(size, 0) << "the text is not yet written";
}

TEST_F(DurableFaults, DoesNotReplaceADirectory) {
  ASSERT_TRUE(files_->replace("a", "one"));
  std::filesystem::create_directories(path_ + "/b.new/c");
  EXPECT_EQ(files_->replace("b", "two").error().message,
            "cannot remove '" + path_ + "/b.new': Is a directory");
  std::filesystem::create_directories(path_ + "/d/e");
  EXPECT_EQ(files_->replace("d", "two").error().message,
            "cannot rename '" + path_ + "/d.new': Is a directory");
  EXPECT_EQ(files_->remove("d").error().message, "cannot remove '" + path_ + "/d': Is a directory");
}

TEST_F(DurableFaults, ReplacesNothingIfATemporaryFileCannotBeCreated) {
  ASSERT_TRUE(files_->replace("a", "one"));
  test::KernelCalls calls;
  calls.openat = [](int, const char* name, int) -> std::optional<int> {
    if (name != std::string("a.new")) return std::nullopt;
    errno = EDQUOT;
    return -1;
  };
  EXPECT_EQ(files_->replace("a", "two").error().sys, EDQUOT);
  EXPECT_EQ(*files_->read("a"), "one");
}

TEST_F(DurableFaults, AppendsNothingIfTheSizeIsUnknown) {
  ASSERT_TRUE(files_->replace("a", "one"));
  test::KernelCalls calls;
  int of_the_file = 0;
  calls.fstat = [&](int file, struct stat* status) -> std::optional<int> {
    if (fstatat(file, "", status, AT_EMPTY_PATH) != 0) return -1;
    if (!S_ISREG(status->st_mode) || ++of_the_file != 2) return 0;  // the first call checks it
    errno = EIO;
    return -1;
  };
  EXPECT_EQ(files_->append("a", "two").error().message,
            "cannot stat '" + path_ + "/a': Input/output error");
  EXPECT_EQ(*files_->read("a"), "one");
}

TEST(DurableAccess, DecidesAboutTheModes) {
  const test::Scratch scratch;
  const auto mode = [](const std::string& path) {
    struct stat status{};

    EXPECT_EQ(stat(path.c_str(), &status), 0);
    return status.st_mode & 07777U;
  };
  for (const auto& [access, directory, file] :
       {std::tuple{DirectoryAccess::owner_only, 0700U, 0600U},
        std::tuple{DirectoryAccess::world_readable, 0755U, 0644U}}) {
    const std::string path = scratch.path() / std::to_string(directory);
    const auto files = open_durable_directory(path, access);
    const auto before = umask(0077);
    const auto replaced = files->replace("a", "x");
    umask(before);
    ASSERT_TRUE(replaced);
    EXPECT_EQ(mode(path + "/a"), file);
    umask(0);
    ASSERT_TRUE(open_durable_directory(path + "2", access)->replace("a", "x"));
    umask(before);
    EXPECT_EQ(mode(path + "2"), directory);
  }
}

// The default implementations of size() and create().
TEST(DurableDirectoryDefaults, ReadTheFile) {
  class One final : public DurableDirectory {
   public:
    std::string path() const override { return "one"; }

    Result<std::vector<std::string>> list() const override { return std::vector<std::string>{}; }

    Result<std::string> read(std::string_view name) const override {
      if (name != "a") return fail(Errc::not_found, "none");
      return std::string("four");
    }

    Result<> replace(std::string_view, std::string_view) override { return {}; }

    Result<> append(std::string_view, std::string_view) override { return {}; }

    Result<> remove(std::string_view) override { return {}; }
  };

  EXPECT_EQ(*One().size("a"), 4U);
  EXPECT_EQ(One().size("b").error().code, Errc::not_found);
  EXPECT_EQ(One().create("a", "x").error().sys, EEXIST);
  EXPECT_TRUE(One().create("b", "x"));
}

}  // namespace
}  // namespace manactl::os::durable_faults_test
