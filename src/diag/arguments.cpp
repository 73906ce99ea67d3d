// SPDX-License-Identifier: MIT

#include "diag/arguments.h"

#include <fmt/format.h>

namespace manactl::diag {
namespace {

constexpr std::string_view kMac = ",mac=";
constexpr std::size_t kMacLength = 17;

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

// The device before ",mac=": "7870:00:00.0" in "--vdev=7870:00:00.0,mac=".
std::string_view device_before(std::string_view line, std::size_t end) {
  const auto before = line.substr(0, end);
  const auto begin = before.find_last_of(" \"'=[") + 1;  // 0 if there is none
  return before.substr(begin);
}

}  // namespace

// Each argument is "ADDRESS,mac=MAC", with further ",mac=MAC" for more ports.
void ArgumentTracker::read_arguments(std::string_view line, std::uint64_t number) {
  std::set<std::string, std::less<>> macs, devices;
  for (auto at = line.find(kMac); at != std::string_view::npos; at = line.find(kMac, at + 1)) {
    const auto device = device_before(line, at);
    const bool is_first = device.find(',') == std::string_view::npos;
    const bool is_new = !is_first || devices.emplace(device).second;
    const auto mac = line.substr(at + kMac.size(), kMacLength);
    if (mac.size() == kMacLength) macs.insert(in_lower_case(mac));
    if (is_new) continue;
    repeated_ = fmt::format("line {} has several arguments for {}", number, device);
  }
  if (macs.empty() || macs.size() > kMaxAddresses) return;
  // Programs log their arguments again.
  if (devices.size() == 1 && macs.size() == 1 && macs_.contains(*macs.begin())) return;
  macs_ = std::move(macs);
  arguments_ = number;
  other_mac_.clear();
}

void ArgumentTracker::add_port(std::string mac, std::uint64_t number) {
  if (arguments_ == 0 || macs_.contains(mac) || !other_mac_.empty()) return;
  other_mac_ = fmt::format(
      "line {} has a port with {}, and line {} names {}", number, mac, arguments_, *macs_.begin());
}

void ArgumentTracker::next(const Signature& signature,
                           const Captures& captures,
                           const Event& event) {
  if (signature.id == "device-arguments") {
    read_arguments(event.message, event.line);
    const bool has_addresses = event.message.find("--tx-ip") != std::string_view::npos;
    if (capture(captures, "mode") == "txonly" && !has_addresses) default_addresses_ = event.line;
  } else if (signature.id == "testpmd-azure-port") {
    add_port(in_lower_case(capture(captures, "mac")), event.line);
  } else if (signature.id == "dpdk-package") {
    const bool is_mana = capture(captures, "driver") == "mana";
    (is_mana ? mana_package_ : netvsc_package_) = event.line;
  } else if (signature.id == "vmbus-driver-link") {
    const bool is_kernel = capture(captures, "driver") == "hv_netvsc";
    (is_kernel ? kernel_driver_ : user_driver_) = event.line;
  }
}

std::vector<Observation> ArgumentTracker::finish() const {
  std::vector<Observation> observations;
  const auto add = [&observations](std::string_view id, std::string text) {
    if (!text.empty()) observations.push_back({id, std::move(text), {}});
  };
  add(kRepeatedArgument, repeated_);
  add(kOtherMac, other_mac_);
  if (default_addresses_ != 0) {
    add(kDefaultAddresses, fmt::format("line {} has txonly and no --tx-ip", default_addresses_));
  }
  if (netvsc_package_ != 0 && mana_package_ == 0) {
    add(kNoManaPackage,
        fmt::format("line {} lists the package of net_netvsc, and no line that of net_mana",
                    netvsc_package_));
  }
  if (kernel_driver_ != 0 && user_driver_ == 0) {
    add(kKernelOwnsNic, fmt::format("line {}: hv_netvsc drives the NIC", kernel_driver_));
  }
  return observations;
}

}  // namespace manactl::diag
