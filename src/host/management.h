// SPDX-License-Identifier: MIT
//
// Whether NetworkManager and systemd-networkd leave an interface alone, told by their files.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "host/facts.h"
#include "os/files.h"

namespace manactl::host {

class Managers {
 public:
  // Sees which managers run and reads their rules once.
  explicit Managers(const os::Files& files);

  // Unmanaged when every manager that runs leaves it alone.
  Result<Management> management(const Netdev& netdev) const;

 private:
  struct Rule {
    std::string path;  // of the file
    std::string text;  // "driver:mana", or the driver of a .network file
  };

  void read_network_manager_rules();
  void read_networkd_rules();
  Result<Management> by_network_manager(const Netdev& netdev) const;
  Result<Management> by_networkd(const Netdev& netdev) const;

  const os::Files& files_;
  bool network_manager_ = false;
  bool networkd_ = false;
  std::vector<Rule> network_manager_rules_;
  std::vector<Rule> networkd_rules_;
};

}  // namespace manactl::host
