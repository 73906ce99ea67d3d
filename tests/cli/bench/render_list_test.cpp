// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/text.h"
#include "cli/bench/render_bench.h"

namespace manactl::cli::render_list_test {
namespace {

using testing::HasSubstr;

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
  const auto text = text_of(row, true);
  for (const auto line : split(text, '\n')) EXPECT_LE(line.size(), 80U) << line;
  EXPECT_THAT(text, HasSubstr("  net_af"));
  EXPECT_THAT(text_of(row, false), HasSubstr("  net_af_packet0,iface=veth0\n"));
}

}  // namespace
}  // namespace manactl::cli::render_list_test
