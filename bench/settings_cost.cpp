// SPDX-License-Identifier: MIT
//
// manactl-settings-cost TIMES INTERFACE: reads the settings of an interface TIMES times, as prepare
// does for its journal. Prints how many there are, the bytes of their texts, and the median and the
// maximum of the times in microseconds. bench/settings-cost runs it.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "base/text.h"
#include "setup/settings.h"

int main(int argc, char** argv) {
  using manactl::os::LiveSystem;
  const auto times =
      argc == 3 ? manactl::parse_unsigned(argv[1], 1U << 20).value_or(0) : std::uint64_t{0};
  if (times == 0) {
    fmt::print(stderr, "usage: manactl-settings-cost TIMES INTERFACE\n");
    return 2;
  }
  auto live = LiveSystem::open();
  const auto links =
      live ? live->system().links.links() : manactl::Result<std::vector<manactl::os::Link>>();
  if (!live || !links) {
    fmt::print(stderr, "manactl-settings-cost: cannot list the interfaces\n");
    return 1;
  }
  const auto link = std::ranges::find(*links, argv[2], &manactl::os::Link::name);
  if (link == links->end()) {
    fmt::print(stderr, "manactl-settings-cost: there is no interface '{}'\n", argv[2]);
    return 1;
  }
  std::vector<std::int64_t> taken;
  std::size_t count = 0, bytes = 0;
  for (std::uint64_t i = 0; i < times; ++i) {
    manactl::setup::Values values;
    const auto start = std::chrono::steady_clock::now();
    const auto saved = manactl::setup::save_settings(live->system(), *link, values);
    const auto end = std::chrono::steady_clock::now();
    if (!saved) {
      fmt::print(stderr, "manactl-settings-cost: {}\n", saved.error().message);
      return 1;
    }
    taken.push_back(std::chrono::duration_cast<std::chrono::microseconds>(end - start).count());
    count = values.size();
    bytes = 0;
    for (const auto& [key, value] : values) bytes += key.size() + value.size();
  }
  std::ranges::sort(taken);
  fmt::print("{} {} {} {}\n", count, bytes, taken[taken.size() / 2], taken.back());
  return 0;
}
