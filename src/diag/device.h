// SPDX-License-Identifier: MIT
//
// The device that a log line is about.

#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diag/signature.h"

namespace manactl::diag {

// The names that a line has for its device. Lines of different drivers use different names.
struct Device {
  std::string pci;          // "7870:00:00.0"
  std::string channel;      // UUID of the VMBus channel
  std::string interface;    // the first name of the VF's interface
  std::string port;         // number of a DPDK port
  std::string series = {};  // of counters: the name that the program gives to the port
  std::string index = {};   // of a port of the adapter that has no interface

  // False if both have a name of the same kind and these names differ.
  bool may_be(const Device& other) const;
  std::string text() const;  // "7870:00:00.0 eth2"; empty if the line names no device
  bool operator==(const Device&) const = default;
};

// Returns the interface that this capture names. Empty if there is none, or if the kernel printed
// "(unnamed net_device)", because the interface did not have a name yet.
std::string_view interface_name(const Captures& captures, std::string_view key);

// Finds devices in the captures of signatures. udev renames interfaces, so it follows their names.
// hv_netvsc prints which VF joins which channel, and mana which function has an interface; later
// lines about the interface are about this channel and this function, too.
class DeviceNames {
 public:
  Device device_of(const Signature& signature, const Captures& captures);

  // Whether the line names an interface of the kind Signature::about: a VF in its capture "vf",
  // "vf2" or "device", a synthetic NIC in "ifname" or "ifname2".
  bool is_about(const Signature& signature, const Captures& captures) const;

 private:
  static constexpr std::size_t kMaxNames = 100;

  using Names = std::map<std::string, std::string>;

  // Remembers the name that belongs to an interface, or adds it to a line without such a name.
  static void complete(std::string& name, Names& names, const std::string& interface);

  void learn(const Signature& signature, const Captures& captures);

  Names first_names_;                       // by the later name
  Names channels_, functions_;              // by the first name of the VF's interface
  Names nics_;                              // the channels of synthetic NICs, by their names
  std::set<std::string, std::less<>> vfs_;  // the present names of VFs
};

// Returns the names for a title: of more than three, the first two and "18 more".
std::vector<std::string> shortened(std::vector<std::string> names);

}  // namespace manactl::diag
