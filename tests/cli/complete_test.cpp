// SPDX-License-Identifier: MIT

#include "cli/complete.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/text.h"
#include "cli/command.h"
#include "datapath/mode.h"
#include "support/fixtures.h"

namespace manactl::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;
using testing::Not;
using testing::UnorderedElementsAre;

std::vector<std::string> candidates(std::vector<std::string> words) {
  std::ostringstream out;
  Screen screen(out, false, 80, false);
  const auto captured = test::system_of("healthy-two-nics");
  Context context{
      screen, screen, false, 0, {}, {}, [&] { return Result<os::System>(captured->system()); }};
  EXPECT_EQ(complete(std::move(words), context), Exit::ok);
  std::vector<std::string> found;
  const std::string text = out.str();
  for (const auto line : split(text, '\n')) {
    if (!line.empty()) found.emplace_back(line.substr(0, line.find('\t')));
  }
  return found;
}

TEST(Complete, OffersCommands) {
  std::vector<std::string> names;
  for (const auto& command : commands()) {
    if (command.name.find(' ') == std::string_view::npos) names.emplace_back(command.name);
  }
  ASSERT_THAT(names, Contains("check"));
  EXPECT_THAT(candidates({"--", ""}), ElementsAreArray(names));
  EXPECT_THAT(candidates({}), ElementsAreArray(names));
  EXPECT_THAT(candidates({"ch"}), ElementsAre("check"));
  EXPECT_THAT(candidates({"--json", "do"}), ElementsAre("doctor"));
  EXPECT_THAT(candidates({"xyz", ""}), IsEmpty());
}

TEST(Complete, OffersTheSecondWordOfACommand) {
  EXPECT_THAT(candidates({"bench", "com"}), ElementsAre("compare"));
  EXPECT_THAT(candidates({"bench", ""}), Contains("compare"));
  EXPECT_THAT(candidates({"bench", ""}), Contains("eth1"));
  EXPECT_THAT(candidates({"bench", "--no-huge", "com"}), IsEmpty());
  EXPECT_THAT(candidates({"bench", "compare", ""}), ElementsAre(":files"));
  EXPECT_THAT(candidates({"bench", "compare", "a", ""}), ElementsAre(":files"));
  EXPECT_THAT(candidates({"bench", "compare", "a", "b", ""}), IsEmpty());
  EXPECT_THAT(candidates({"bench", "compare", "--thr"}), ElementsAre("--threshold"));
}

TEST(Complete, OffersOptionsThatAreNotGivenYet) {
  EXPECT_THAT(candidates({"check", "--st"}), ElementsAre("--strict"));
  EXPECT_THAT(candidates({"check", "--strict", "--st"}), IsEmpty());
  EXPECT_THAT(candidates({"check", "--js"}), ElementsAre("--json"));
  EXPECT_THAT(candidates({"doctor", "--log", "a", "--lo"}), ElementsAre("--log"));
  EXPECT_THAT(candidates({"check", "--queues=4", "--q"}), IsEmpty());
}

TEST(Complete, OffersKindsAndThenFiles) {
  EXPECT_THAT(candidates({"decode", "cqe"}), ElementsAre("cqe", "cqe-info", "cqe-type"));
  EXPECT_THAT(candidates({"decode", "--explain", "sq-w"}), ElementsAre("sq-wqe"));
  EXPECT_THAT(candidates({"decode", "--offset", "0", "doorb"}), ElementsAre("doorbell"));
  EXPECT_THAT(candidates({"decode", "cqe", ""}), ElementsAre(":files"));
  EXPECT_THAT(candidates({"decode", "cqe", "--order", "w"}), ElementsAre("words"));
}

TEST(Complete, OffersValues) {
  std::vector<std::string_view> modes;
  for (const auto& row : datapath::kModes) modes.push_back(row.name);
  ASSERT_THAT(modes, Contains("tx"));
  EXPECT_THAT(candidates({"bench", "--mode", ""}), ElementsAreArray(modes));
  EXPECT_THAT(candidates({"check", "--color=al"}), ElementsAre("--color=always"));
  EXPECT_THAT(candidates({"check", "--color", "=", "al"}), ElementsAre("--color=always"));
  EXPECT_THAT(candidates({"check", "--color", "="}), Contains("--color=never"));
  EXPECT_THAT(candidates({"check", "--only", "rdma.driver"}), ElementsAre("rdma.driver-id"));
  EXPECT_THAT(candidates({"check", "--only", "rdma,mem"}), Contains("rdma,memory"));
  EXPECT_THAT(candidates({"bench", "--queues", ""}), IsEmpty());
}

TEST(Complete, OffersInterfaces) {
  EXPECT_THAT(candidates({"check", "eth"}), UnorderedElementsAre("eth0", "eth1"));
  EXPECT_THAT(candidates({"bench", "--mode", "tx", "eth1"}), ElementsAre("eth1"));
  EXPECT_THAT(candidates({"doctor", "eth"}), IsEmpty());
}

TEST(Complete, LeavesFilesToTheShell) {
  EXPECT_THAT(candidates({"doctor", "--log", "x"}), ElementsAre(":files"));
  EXPECT_THAT(candidates({"check", "--root", ""}), ElementsAre(":directories"));
}

}  // namespace
}  // namespace manactl::cli
