// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "diag/check.h"

namespace manactl::diag::docs_test {
namespace {

std::vector<std::string> headings() {
  std::ifstream document(std::string(MANACTL_SOURCE_DIR) + "/docs/checks.md");
  std::vector<std::string> found;
  for (std::string line; std::getline(document, line);) {
    if (line.starts_with("### ")) found.push_back(line.substr(4));
  }
  return found;
}

TEST(ChecksDocument, HasOneHeadingPerCheckInTheOrderOfTheTable) {
  std::vector<std::string> ids;
  for (const Check& check : all_checks()) ids.emplace_back(check.id);
  EXPECT_THAT(headings(), testing::ElementsAreArray(ids));
}

}  // namespace
}  // namespace manactl::diag::docs_test
