// SPDX-License-Identifier: MIT

#include "cli/nic_name.h"

#include "base/ids.h"
#include "base/text.h"

namespace manactl::cli {

Result<NicName> NicName::parse(std::string_view text) {
  NicName name;
  if (const auto interface = InterfaceName::parse(text)) {
    name.text_ = interface->str();
  } else if (const auto pci = PciAddress::parse(text)) {
    name.text_ = pci->str();
  } else if (const auto mac = MacAddress::parse(text)) {
    name.text_ = mac->str();
  } else {
    return fail(Errc::invalid,
                fmt::format("'{}' is not an interface name, PCI address or MAC address (examples: "
                            "eth1, 7870:00:00.0, 00:0d:3a:76:3b:d0)",
                            printable(text)));
  }
  return name;
}

}  // namespace manactl::cli
