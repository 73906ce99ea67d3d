// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/text.h"
#include "cli/bench/render_bench.h"
#include "cli/run_manactl.h"
#include "report/sample_results.h"
#include "support/fixtures.h"

namespace manactl::cli::render_list_test {
namespace {

using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const ListedResult& row, bool is_terminal) {
  std::ostringstream out;
  Screen screen(out, false, 80, is_terminal);
  print_list_text(screen, {row});
  return out.str();
}

TEST(ListText, FitsA80ColumnTerminalAndKeepsWholeNamesInFiles) {
  ListedResult row;
  row.id = "20261121T134702Z-00001";
  row.mode = "txrx";
  row.queues = 64;
  row.frame_bytes = 1518;
  row.rate_text = "142.210 Mpps";
  row.noisy = true;
  row.device = "net_af_packet0,iface=veth0";
  EXPECT_THAT(text_of(row, true), HasSubstr("  net_af"));
  row.label = "after-the-update-of-the-kernel";
  const auto text = text_of(row, true);
  for (const auto line : split(text, '\n')) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_THAT(text, HasSubstr("  after-t..."));
  EXPECT_THAT(text_of(row, false), HasSubstr("  net_af_packet0,iface=veth0\n"));
  row.id = "20261130-201447-7529";
  row.rate_text = "ndr 1.6 to 4.5 Mpps";
  row.label.clear();
  for (const auto line : split(text_of(row, true), '\n')) EXPECT_LE(line.size(), 80U) << line;
}

TEST(ListText, AndAllOtherOutputsStateThatARateIncludesTheStart) {
  const test::TemporaryDirectory directory;
  ASSERT_TRUE(std::filesystem::create_directory(directory.path("results")));
  const std::string id = "20261121-134702-3f2a", saved = "results/" + id + ".json";
  const auto other =
      directory.file("other.json", test::document(test::steady(datapath::Mode::tx, 1e6)));
  auto result = test::steady(datapath::Mode::tx, 1e6);
  const auto outputs = [&] {
    directory.file(saved, test::document(result));
    std::vector<std::string> texts;
    for (const auto& words :
         std::vector<std::vector<std::string>>{{"list"},
                                               {"show", id},
                                               {"show", id, "-ohtml"},
                                               {"compare", id, other},
                                               {"compare", id, other, "-ohtml"}}) {
      std::vector<std::string> command = {"bench"};
      command.insert(command.end(), words.begin(), words.end());
      command.insert(command.end(), {"--results", directory.path("results")});
      texts.push_back(test::manactl(command).out);
    }
    return texts;
  };
  for (const auto& text : outputs()) EXPECT_THAT(text, Not(HasSubstr("including the start")));
  result.summary.rates = {1e6};
  result.summary.rate = datapath::estimate(result.summary.rates);
  for (const auto& text : outputs()) {
    EXPECT_THAT(text, Not(HasSubstr("including the start"))) << "others were left out";
    EXPECT_THAT(text, AnyOf(HasSubstr("1.00 Mpps"), HasSubstr("1.00&#160;Mpps")));
  }
  result.summary.left_out = 0;
  const auto texts = outputs();
  for (const auto& text : texts) EXPECT_THAT(text, HasSubstr("including the start"));
  EXPECT_THAT(texts[0], HasSubstr(" 1.00 Mpps* "));
  EXPECT_THAT(
      texts[0],
      EndsWith("\n* including the start (use a longer --duration or a shorter --interval)\n"));
  EXPECT_THAT(
      texts[1],
      HasSubstr(
          " 1.00 Mpps, including the start (use a longer --duration or a shorter --interval)\n"));
}

}  // namespace
}  // namespace manactl::cli::render_list_test
