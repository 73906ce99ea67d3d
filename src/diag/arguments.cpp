// SPDX-License-Identifier: MIT

#include "diag/arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace manactl::diag {
namespace {

constexpr std::string_view kMac = ",mac=";
constexpr std::size_t kMacLength = 17;

// The device before ",mac=": "7870:00:00.0" in "--vdev=7870:00:00.0,mac=".
std::string_view device_before(std::string_view line, std::size_t end) {
  const auto before = line.substr(0, end);
  const auto begin = before.find_last_of(" \"'=[") + 1;  // 0 if there is none
  return before.substr(begin);
}

// True if a prompt precedes the text of a command. Without one, a program may have logged one of
// its arguments.
bool has_prompt(std::string_view text) {
  return text.find("# ") != std::string_view::npos || text.find("$ ") != std::string_view::npos;
}

// True if Azure's id of a VMBus NIC begins with the digits of the MAC address:
// "000d3a9d-3e10-000d-3a9d-3e10000d3a9d" for 00:0d:3a:9d:3e:10.
bool has_mac(std::string_view id, std::string mac) {
  std::erase(mac, ':');
  std::string digits(id);
  std::erase(digits, '-');
  return digits.starts_with(mac);
}

}  // namespace

// Each argument is "ADDRESS,mac=MAC", with further ",mac=MAC" for more ports. A newer command
// replaces what is known of an older one.
void ArgumentTracker::read_arguments(std::string_view text,
                                     std::string_view mode,
                                     std::uint64_t line) {
  std::set<std::string, std::less<>> macs, devices;
  std::string repeated;
  for (auto at = text.find(kMac); at != std::string_view::npos; at = text.find(kMac, at + 1)) {
    const auto device = device_before(text, at);
    const bool is_first = device.find(',') == std::string_view::npos;
    const bool is_new = !is_first || devices.emplace(device).second;
    const auto mac = text.substr(at + kMac.size(), kMacLength);
    if (mac.size() == kMacLength) macs.insert(lower(mac));
    if (!is_new) repeated = fmt::format("line {} has several arguments for {}", line, device);
  }
  if (mode == "txonly") {
    const bool has_addresses = text.find("--tx-ip") != std::string_view::npos;
    default_addresses_line_ = has_addresses ? 0 : line;
  }
  if (macs.empty() || macs.size() > kMaxAddresses) return;
  const bool is_known = devices.size() == 1 && macs.size() == 1 && macs_.contains(*macs.begin());
  if (is_known && !has_prompt(text) && repeated.empty()) return;
  // The command of another NIC, such as that of the receiver, does not correct this one.
  const auto is_same = [this](const std::string& mac) { return macs_.contains(mac); };
  if (!repeated.empty() || std::ranges::any_of(macs, is_same)) repeated_ = std::move(repeated);
  macs_ = std::move(macs);
  arguments_line_ = line;
  other_mac_.clear();
}

void ArgumentTracker::add_port(std::string mac, std::uint64_t line) {
  if (arguments_line_ == 0 || macs_.contains(mac) || !other_mac_.empty()) return;
  other_mac_ = fmt::format("line {} has a port with {}, and line {} names {}",
                           line,
                           mac,
                           arguments_line_,
                           *macs_.begin());
}

void ArgumentTracker::add_nic(const Captures& captures, std::uint64_t line) {
  const auto argument = capture(captures, "argument");
  if (!argument.empty() && devices_.size() < kMaxAddresses) devices_.emplace(argument);
  const auto path = capture(captures, "path");
  if (path.empty()) return;
  path_device_ = lower(path);
  path_line_ = line;
}

void ArgumentTracker::add_link(bool is_kernel, std::uint64_t line) {
  const auto device = path_line_ + 1 == line ? path_device_ : std::string();
  if (links_.size() < kMaxAddresses) links_[device] = {is_kernel, line};
}

bool ArgumentTracker::may_be_of_program(std::string_view device) const {
  if (device.empty() || (macs_.empty() && devices_.empty())) return true;
  const auto is_same = [device](const std::string& mac) { return has_mac(device, mac); };
  return devices_.contains(device) || std::ranges::any_of(macs_, is_same);
}

std::uint64_t ArgumentTracker::kernel_link_line() const {
  std::uint64_t line = 0;
  for (const auto& [device, link] : links_) {
    if (!may_be_of_program(device)) continue;
    if (!link.is_kernel) return 0;
    line = link.line;
  }
  return line;
}

void ArgumentTracker::next(const Signature& signature,
                           const Captures& captures,
                           const Event& event) {
  if (signature.begins == RunKind::boot) shown_.clear();
  if (!signature.shows.empty()) shown_[signature.shows] = event.line;
  if (signature.id == "device-arguments" || signature.id == "repeated-device-argument") {
    read_arguments(event.message, capture(captures, "mode"), event.line);
  } else if (signature.id == "testpmd-azure-port") {
    add_port(lower(capture(captures, "mac")), event.line);
  } else if (signature.id == "dpdk-package-list") {
    const auto command = capture(captures, "command");
    lists_only_netvsc_ = command.find("netvsc") != std::string_view::npos &&
                         command.find("mana") == std::string_view::npos;
  } else if (signature.id == "dpdk-package" || signature.id == "dpdk-driver-file") {
    const bool is_mana = capture(captures, "driver") == "mana";
    if (is_mana) mana_package_line_ = event.line;
    if (!is_mana && !lists_only_netvsc_) netvsc_package_line_ = event.line;
  } else if (signature.id == "vmbus-nic") {
    add_nic(captures, event.line);
  } else if (signature.id == "vmbus-driver-link") {
    add_link(capture(captures, "driver") == "hv_netvsc", event.line);
  }
}

std::vector<Observation> ArgumentTracker::finish() const {
  std::vector<Observation> observations;
  const auto add = [&observations](std::string_view id, std::string text) {
    if (!text.empty()) observations.push_back({id, std::move(text), {}});
  };
  add(kRepeatedArgument, repeated_);
  add(kOtherMac, other_mac_);
  if (default_addresses_line_ != 0) {
    add(kDefaultAddresses,
        fmt::format("line {} has txonly and no --tx-ip", default_addresses_line_));
  }
  if (netvsc_package_line_ != 0 && mana_package_line_ == 0) {
    add(kNoManaPackage,
        fmt::format("line {} lists net_netvsc, and no line net_mana", netvsc_package_line_));
  }
  if (const auto line = kernel_link_line(); line != 0) {
    add(kKernelOwnsNic, fmt::format("line {}: hv_netvsc drives the NIC", line));
  }
  for (const auto& [id, line] : shown_) add(id, fmt::format("line {} shows it", line));
  return observations;
}

}  // namespace manactl::diag
