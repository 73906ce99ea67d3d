// SPDX-License-Identifier: MIT

#include "report/result_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

namespace manactl::report::result_store_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class ResultStoreTest : public testing::Test {
 protected:
  ResultStoreTest() {
    std::array<char, 32> name{"/tmp/manactl-results-XXXXXX"};
    home_ = mkdtemp(name.data());
  }

  ~ResultStoreTest() override { std::filesystem::remove_all(home_); }

  std::string home_;
};

unsigned mode_of(const std::string& path) {
  struct stat status{};

  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777U;
}

TEST_F(ResultStoreTest, IsEmptyWithoutADirectory) {
  const auto ids = ResultStore(home_ + "/manactl/results").ids();
  ASSERT_TRUE(ids) << ids.error().message;
  EXPECT_THAT(*ids, IsEmpty());
}

TEST_F(ResultStoreTest, ReadsWhatItSaved) {
  const auto directory = home_ + "/manactl/results";
  ResultStore results(directory);
  const auto saved = results.save("20261121-134702-3f2a", "{}\n");
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(results.read("20261121-134702-3f2a").value_or(""), "{}\n");
  EXPECT_EQ(mode_of(directory), 0700U);
  EXPECT_EQ(mode_of(directory + "/20261121-134702-3f2a.json"), 0600U);
}

TEST_F(ResultStoreTest, NeverReplacesAResult) {
  ResultStore results(home_ + "/manactl/results");
  ASSERT_TRUE(results.save("20261121-134702-3f2a", "first"));
  EXPECT_FALSE(results.save("20261121-134702-3f2a", "second"));
  EXPECT_EQ(results.read("20261121-134702-3f2a").value_or(""), "first");
}

TEST_F(ResultStoreTest, KeepsTheNewestResults) {
  const auto directory = home_ + "/manactl/results";
  ResultStore results(directory);
  for (std::uint64_t i = 0; i < ResultStore::kMaxResults + 2; ++i) {
    ASSERT_TRUE(results.save(result_id(static_cast<std::time_t>(1'700'000'000 + i), 7), "{}"));
  }
  const auto ids = results.ids();
  ASSERT_TRUE(ids);
  EXPECT_EQ(ids->size(), ResultStore::kMaxResults);
  EXPECT_EQ(ids->back(), result_id(1'700'000'002, 7));
}

TEST_F(ResultStoreTest, KeepsTheNewestResultsWithinTheSizeLimit) {
  ResultStore results(home_ + "/manactl/results", 100);
  const auto id = [](std::time_t i) { return result_id(1'700'000'000 + i, 7); };
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(results.save(id(i), std::string(40, 'x')));
  EXPECT_THAT(*results.ids(), ElementsAre(id(3), id(2)));
  ASSERT_TRUE(results.save(id(4), std::string(400, 'x')));
  EXPECT_THAT(*results.ids(), ElementsAre(id(4))) << "the result just saved stays";
  ASSERT_TRUE(results.save(id(5), "{}"));
  EXPECT_THAT(*results.ids(), ElementsAre(id(5)));
}

TEST_F(ResultStoreTest, RemovesOneResult) {
  ResultStore results(home_ + "/manactl/results");
  ASSERT_TRUE(results.save("20261121-134702-3f2a", "{}"));
  ASSERT_TRUE(results.save("20261121-134703-3f2a", "{}"));
  ASSERT_TRUE(results.remove("20261121-134702-3f2a"));
  EXPECT_THAT(*results.ids(), ElementsAre("20261121-134703-3f2a"));
  EXPECT_EQ(results.remove("20261121-134702-3f2a").error().code, Errc::invalid);
  EXPECT_EQ(results.remove("../notes").error().code, Errc::invalid);
}

TEST_F(ResultStoreTest, IgnoresOtherFiles) {
  const auto directory = home_ + "/manactl/results";
  ResultStore results(directory);
  ASSERT_TRUE(results.save("20261121-134702-3f2a", "{}"));
  std::ofstream(directory + "/notes.json") << "mine";
  EXPECT_THAT(*results.ids(), ElementsAre("20261121-134702-3f2a"));
}

TEST_F(ResultStoreTest, RejectsLinksAndDirectoriesThatOthersCanWrite) {
  const auto directory = home_ + "/manactl/results";
  ResultStore results(directory);
  ASSERT_TRUE(results.save("20261121-134702-3f2a", "{}"));
  const auto file = directory + "/20261121-134702-3f2a.json";
  std::filesystem::rename(file, home_ + "/elsewhere");
  std::filesystem::create_symlink(home_ + "/elsewhere", file);
  EXPECT_FALSE(results.read("20261121-134702-3f2a"));
  chmod(directory.c_str(), 0777);
  const auto saved = results.save("20261121-134702-3f2b", "{}");
  ASSERT_FALSE(saved);
  EXPECT_THAT(saved.error().message, HasSubstr("is writable by others"));
}

TEST_F(ResultStoreTest, RejectsNamesThatAreNotIds) {
  const ResultStore results(home_ + "/manactl/results");
  EXPECT_EQ(results.read("../../etc/passwd").error().code, Errc::invalid);
  EXPECT_EQ(results.read("20261121-134702-3f2a").error().code, Errc::invalid);  // does not exist
}

TEST(ResultId, ConsistsOfUtcTimeAndProcessId) {
  EXPECT_EQ(result_id(0, 0x3f2a), "19700101-000000-3f2a");
  EXPECT_EQ(result_id(1'795'268'822, 1), "20261121-134702-0001");
  EXPECT_TRUE(is_result_id(result_id(1'795'268'822, ~std::uint64_t{0})));
}

TEST(ResultId, RejectsOtherText) {
  for (const auto* text : {"",
                           "20261121",
                           "20261121-134702",
                           "20261121-134702-",
                           "20261121-134702-3F2A",
                           "20261121-134702-3f2a-1",
                           "2026112-1134702-3f2a",
                           "20261121-134702-3f2a.json",
                           "../20261121-134702-3f2a"}) {
    EXPECT_FALSE(is_result_id(text)) << text;
  }
}

TEST(FindId, AcceptsTheBeginningOfOneId) {
  const std::vector<std::string> ids = {"20261122-080000-0001", "20261121-134702-3f2a"};
  EXPECT_EQ(find_id(ids, "20261121").value(), ids[1]);
  EXPECT_EQ(find_id(ids, "20261122-0").value(), ids[0]);
  EXPECT_EQ(find_id(ids, "latest").value(), ids[0]);
  EXPECT_EQ(find_id({}, "latest").value(), std::nullopt);
  EXPECT_EQ(find_id(ids, "3f2a").value(), std::nullopt);
  EXPECT_EQ(find_id(ids, "").value(), std::nullopt);
  EXPECT_THAT(find_id(ids, "2026112").error().message, HasSubstr("several saved results"));
}

TEST(ResultsDirectory, IsBelowVarLibForRoot) {
  EXPECT_EQ(results_directory(0, "/home/a/.local/state"), "/var/lib/manactl/results");
  EXPECT_EQ(results_directory(7, "/home/a/.local/state"), "/home/a/.local/state/manactl/results");
  EXPECT_EQ(results_directory(7, ""), "");
}

}  // namespace
}  // namespace manactl::report::result_store_test
