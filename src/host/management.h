// SPDX-License-Identifier: MIT
//
// Finds out from the files of NetworkManager and systemd-networkd whether they manage a VF.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/facts.h"
#include "os/files.h"

namespace manactl::host {

class NetworkManagers {
 public:
  // Reads which network managers are running, and their rules. `files` must outlive this object.
  explicit NetworkManagers(const os::Files& files);

  // Reports "unmanaged" if no running manager manages the interface.
  Result<Management> management(const Netdev& netdev) const;

 private:
  // A list of devices in a file of NetworkManager.
  struct DeviceList {
    std::string path;
    std::string key;  // for messages
    std::string devices;
  };

  // The [Match] section of a .network file with Unmanaged=yes. An empty field matches everything.
  struct Match {
    std::string path;
    std::string drivers;
    std::string macs;
  };

  void read_network_manager_rules();
  void read_network_manager_rules(const std::string& path, std::string_view section);
  void read_networkd_rules();
  Management by_network_manager(const Netdev& netdev) const;
  Result<Management> by_networkd(const Netdev& netdev) const;

  const os::Files& files_;
  bool network_manager_ = false;
  bool networkd_ = false;
  std::vector<DeviceList> network_manager_rules_;
  std::vector<Match> networkd_rules_;
};

}  // namespace manactl::host
