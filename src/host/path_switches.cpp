// SPDX-License-Identifier: MIT

#include "host/path_switches.h"

#include <charconv>
#include <vector>

#include "base/ids.h"

namespace manactl::host {
namespace {

// "[ 9500.000000] hv_netvsc 6045bdc0-... eth1: Data path switched to VF: enP30832s1"
// (netvsc_vf_changed, drivers/net/hyperv/netvsc_drv.c)
void read_line(std::string_view line, std::map<std::string, PathSwitch>& switches) {
  constexpr std::string_view kDriver = "] hv_netvsc ", kSwitched = ": Data path switched ";
  const auto driver = line.find(kDriver), switched = line.find(kSwitched);
  if (driver == std::string_view::npos || switched == std::string_view::npos) return;
  if (!line.starts_with('[') || switched < driver) return;
  auto time = line.substr(1, driver - 1);
  time.remove_prefix(std::min(time.find_first_not_of(' '), time.size()));
  PathSwitch found;
  const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), found.seconds);
  constexpr double kMaxSeconds = 1e9;  // also excludes "nan" and "inf"
  const bool is_time = error == std::errc() && end == time.data() + time.size() &&
                       found.seconds >= 0 && found.seconds < kMaxSeconds;
  if (!is_time) return;
  auto id = line.substr(driver + kDriver.size());
  id = id.substr(0, id.find_first_of(" :"));
  const auto vmbus = VmbusId::parse(id);
  if (!vmbus) return;
  found.to_vf = line.substr(switched + kSwitched.size()).starts_with("to VF");
  switches[vmbus->str()] = found;
}

}  // namespace

std::map<std::string, PathSwitch> read_path_switches(ByteSource& log) {
  constexpr std::size_t kBlock = 64U << 10;
  std::map<std::string, PathSwitch> switches;
  std::string text;  // whole lines and the beginning of the next one
  std::vector<char> block(kBlock);
  while (true) {
    const auto got = log.read(block);
    if (!got || *got == 0) return switches;
    text.append(block.data(), *got);
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
      read_line(std::string_view(text).substr(begin, end - begin), switches);
      begin = end + 1;
    }
    text.erase(0, begin);
    if (text.size() > kBlock) return switches;  // not lines of a log
  }
}

}  // namespace manactl::host
