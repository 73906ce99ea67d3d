// SPDX-License-Identifier: MIT

#include "setup/boot_hugepages.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "setup/steps.h"

namespace manactl::setup {
namespace {

struct PoolShare {
  std::string pool;              // "/sys/devices/system/node/node0/hugepages/hugepages-2048kB"
  std::uint64_t own = 0;         // pages of this NIC
  std::uint64_t unreserved = 0;  // pages that manactl has not reserved
};

std::string comment_of(const PoolShare& share) {
  return fmt::format("# {} has {} pages for this NIC in addition to {}\n",
                     share.pool,
                     share.own,
                     share.unreserved);
}

// The inverse of comment_of(); empty for other lines.
std::optional<PoolShare> share_of(std::string_view line) {
  const auto parts = words(line);
  if (parts.size() != 12 || parts[0] != "#" || parts[2] != "has") return std::nullopt;
  const auto own = parse_unsigned(parts[3], UINT32_MAX);
  const auto unreserved = parse_unsigned(parts[11], UINT32_MAX);
  if (!own || !unreserved) return std::nullopt;
  return PoolShare{std::string(parts[1]), *own, *unreserved};
}

std::string beginning_of_line(const std::string& pool) {
  return fmt::format("w {}/nr_hugepages - - - - ", pool);
}

bool begins_with_one_of(std::string_view line, const std::map<std::string, PoolShare>& totals) {
  return std::ranges::any_of(
      totals, [&](const auto& total) { return line.starts_with(beginning_of_line(total.first)); });
}

}  // namespace

std::string boot_hugepages_of(const Entry& entry) {
  std::vector<std::string> texts(1);
  for (const auto& step : entry.steps) {
    const auto reserved = hugepages_of(step);
    if (!reserved) continue;
    const auto before = reserved->before.value_or(0);
    texts.front() += comment_of({"/" + reserved->pool,
                                 reserved->granted.value_or(reserved->pages),
                                 before - std::min(before, reserved->others)});
  }
  share_pools(texts);
  return texts.front();
}

std::vector<BootPages> read_boot_hugepages(const os::Files& files) {
  constexpr std::string_view kDirectory = "etc/tmpfiles.d";
  constexpr std::string_view kBegin = "manactl-", kEnd = ".conf";
  std::vector<BootPages> found;
  for (const auto& file : files.list(kDirectory).value_or(std::vector<std::string>{})) {
    if (!file.starts_with(kBegin) || !file.ends_with(kEnd)) continue;
    const auto name = file.substr(kBegin.size(), file.size() - kBegin.size() - kEnd.size());
    const auto text = files.read(fmt::format("{}/{}", kDirectory, file)).value_or("");
    for (const auto line : split(text, '\n')) {
      if (auto share = share_of(line)) found.push_back({name, std::move(share->pool), share->own});
    }
  }
  return found;
}

void share_pools(std::vector<std::string>& texts) {
  std::map<std::string, PoolShare> totals;
  for (const auto& text : texts) {
    for (const auto line : split(text, '\n')) {
      const auto share = share_of(line);
      if (!share) continue;
      const auto [total, is_first] = totals.emplace(share->pool, *share);
      if (is_first) continue;
      total->second.own += share->own;
      // After a reboot, the pages of other NICs looked unreserved.
      total->second.unreserved = std::min(total->second.unreserved, share->unreserved);
    }
  }
  auto missing = totals;
  for (auto& text : texts) {
    std::string changed;
    for (const auto line : split(text, '\n')) {
      if (line.empty() || begins_with_one_of(line, totals)) continue;
      auto share = share_of(line);
      if (!share) {
        changed += fmt::format("{}\n", line);
        continue;
      }
      const auto& total = totals.at(share->pool);
      share->unreserved = total.unreserved;
      changed += comment_of(*share);
      if (missing.erase(share->pool) == 0) continue;
      changed +=
          fmt::format("{}{}\n", beginning_of_line(share->pool), total.own + total.unreserved);
    }
    text = std::move(changed);
  }
}

}  // namespace manactl::setup
