// SPDX-License-Identifier: MIT
//
// The settings of a NIC that decide about its speed, with the values of each profile: `check`
// judges them, and `tune` changes them. To add a setting, add a row to the table in tuning.cpp.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "host/facts.h"
#include "os/links.h"

namespace manactl::host {

enum class Profile { standard, throughput, latency };

// The words of --profile, in the order of Tunable::wanted.
inline constexpr EnumWords<Profile, 3> kProfileWords{{
    {Profile::standard, "default"},
    {Profile::throughput, "throughput"},
    {Profile::latency, "latency"},
}};

// How users write a value.
enum class ValueForm {
  number,   // "4096"
  feature,  // "on", "off"
  flag,     // "on", "off", which the kernel stores as 1 and 0
  kind,     // "fq": the first word of the kernel's value; "default" if it has none
};

inline constexpr std::string_view kMtuKey = "mtu";

// In Tunable::wanted: as many as the VM has CPUs, and at most 16.
inline constexpr std::string_view kOneForEachCpu = "cpus";
inline constexpr std::string_view kOneForEachOf16Cpus = "cpus:16";

struct Tunable {
  std::string_view name;    // of --set: "vf-rx-ring"
  std::string_view driver;  // of the interface: mana is the VF, hv_netvsc the synthetic interface
  std::string_view key;     // of os::Links::settings(), or kMtuKey
  std::size_t word = 0;     // the number of the word in the kernel's value
  ValueForm form = ValueForm::number;
  std::array<std::string_view, 3> wanted;  // by profile; empty: keep the value
  bool is_minimum = false;                 // larger values are good too, except for latency
  std::uint64_t min = 0, max = 0;          // of a number
  bool needs_power_of_two = false;         // the driver rounds other numbers up
  // The smallest default of a driver: a check warns of smaller numbers. Empty if it depends on the
  // VM.
  std::string_view usual = {};
  bool interrupts = false;  // the driver creates its queues again, so packets are lost
  // The first Linux whose driver can change it. Empty if all kernels with the driver can.
  std::string_view since = {};
  std::string_view link_option = {};  // of systemd.link(5), if there is one: "RxBufferSize"
  unsigned link_since = 0;            // the first systemd with the option
  std::string_view why;
  std::string_view source;

  bool is_of_vf() const { return driver == kManaDriver; }
};

std::span<const Tunable> tunables();

const Tunable* find_tunable(std::string_view name);

// Whether a row has this key of os::Links::settings(). Bundles contain only these settings.
bool is_tuning_key(std::string_view key);

// The interface of the NIC to which the row applies; null if the NIC has none with this driver.
const Netdev* interface_for(const Tunable& tunable, const Nic& nic);

// The present value as users write it. Empty if the driver does not support the setting, or the
// settings were not gathered.
std::optional<std::string> present_value(const Tunable& tunable, const Netdev& netdev);

// The largest value that the driver accepts; empty if it reports none.
std::optional<std::uint64_t> limit_of(const Tunable& tunable, const Netdev& netdev);

// The value of the profile, at most the driver's limit. Empty: the profile keeps the value.
std::string wanted_value(const Tunable& tunable,
                         Profile profile,
                         const Netdev& netdev,
                         const Facts& facts);

// Whether the present value needs no change. Without a profile, users want exactly `wanted`.
bool is_satisfied(const Tunable& tunable,
                  std::optional<Profile> profile,
                  const std::string& now,
                  const std::string& wanted);

// Errc::invalid for a value that no driver accepts.
Result<> check_value(const Tunable& tunable, std::string_view value);

// Whether the running kernel is older than the first Linux whose driver can change the setting.
// Distributions may have added the code to an older kernel.
bool is_kernel_older(const Tunable& tunable, const Facts& facts);

// Fills Netdev::settings and Netdev::limits.
void gather_settings(const os::Links& links, std::vector<Nic>& nics);

}  // namespace manactl::host
