// SPDX-License-Identifier: MIT
//
// Finds out from the files of NetworkManager and systemd-networkd whether they manage a VF.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "host/facts.h"
#include "os/files.h"

namespace manactl::host {

class NetworkManagers {
 public:
  // In bytes. Each pattern in a rule is compared with each VF.
  static constexpr std::size_t kMaxRules = 256U << 10U;

  // Reads which network managers are running, and their rules. `files` must outlive this object.
  explicit NetworkManagers(const os::Files& files);

  // Reports "unmanaged" if no running manager manages the interface. Fails if the rules exceed
  // kMaxRules.
  Result<Management> management(const Netdev& netdev) const;

  // As management(), for a VF of the driver mana that does not exist yet. Its MAC address is one of
  // `macs`, those of the synthetic interfaces. Rules of udev(7) count too.
  Result<Management> management_of_mana(const std::vector<MacAddress>& macs) const;

 private:
  // An item of a device list (NetworkManager.conf(5)).
  struct DeviceMatch {
    enum class Kind { any, driver, name_pattern, name, mac } kind = Kind::any;
    bool excepts = false;
    std::string text;  // of driver and names
    MacAddress mac;

    bool matches(const Netdev& netdev) const;
  };

  // A list of devices in a file of NetworkManager.
  struct DeviceList {
    std::string path;
    std::string setting;  // for messages
    std::vector<DeviceMatch> devices;
    bool managed = false;  // the value of managed= in a section [device]

    bool contains(const Netdev& netdev) const;
  };

  // The [Match] section of a .network file with Unmanaged=yes. An empty list matches everything.
  struct Match {
    std::string path;
    std::vector<std::string> drivers;  // patterns
    std::vector<std::string> macs;     // as mac_digits() returns them

    bool matches(const Netdev& netdev) const;
  };

  static std::optional<DeviceMatch> parse_device(std::string_view specification);
  static std::vector<DeviceMatch> parse_devices(std::string text);

  void read_network_manager_rules();
  void read_network_manager_rules(const std::string& path, std::string_view section);
  void add_list(std::vector<DeviceList>& lists,
                const std::string& path,
                std::string_view key,
                std::string_view devices,
                bool managed);
  void read_networkd_rules();
  const DeviceList* exclusion_of(const Netdev& netdev) const;
  Result<Management> networkd_of_mana(const std::vector<MacAddress>& macs) const;
  Management by_network_manager(const Netdev& netdev) const;
  Result<Management> by_networkd(const Netdev& netdev) const;

  const os::Files& files_;
  Budget budget_{"the rules of the network managers", kMaxRules};
  bool network_manager_ = false;
  bool networkd_ = false;
  std::vector<DeviceList> unmanaged_;   // unmanaged-devices
  std::vector<DeviceList> of_devices_;  // sections [device], in their order of priority
  std::vector<Match> networkd_rules_;
};

}  // namespace manactl::host
