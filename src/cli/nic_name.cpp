// SPDX-License-Identifier: MIT

#include "cli/nic_name.h"

#include <algorithm>

#include "base/ids.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/input.h"
#include "cli/options.h"

namespace manactl::cli {
namespace {

// The Azure portal shows "00-0D-3A-76-3B-D0".
std::string with_colons(std::string_view text) {
  std::string result(text);
  std::ranges::replace(result, '-', ':');
  return result;
}

}  // namespace

Result<NicName> NicName::parse(std::string_view text) {
  NicName name;
  // Try addresses first: "00-0d-3a-76-3b-d0" is also a valid name of an interface.
  if (const auto mac = MacAddress::parse(with_colons(text))) {
    name.text_ = mac->str();
  } else if (const auto pci = PciAddress::parse(text)) {
    name.text_ = pci->str();
  } else if (const auto interface = InterfaceName::parse(text)) {
    name.text_ = interface->str();
  } else {
    return fail(Errc::invalid,
                fmt::format("'{}' is not an interface name, PCI address or MAC address (examples: "
                            "eth1, 7870:00:00.0, 00:0d:3a:76:3b:d0)",
                            printable(text)));
  }
  return name;
}

Result<> Target::parse(const std::string& text) {
  if (names_captured_machine(text)) {
    if (!machine.empty()) return fail(Errc::invalid, "only one captured machine can be inspected");
    machine = text;
    return {};
  }
  auto parsed = NicName::parse(text);
  if (!parsed && text.find('/') != std::string::npos) {
    return fail(Errc::invalid,
                fmt::format("'{}' is neither a NIC nor a bundle; 'manactl doctor FILE' reads logs",
                            printable(text)));
  }
  if (!parsed) return tl::unexpected<Error>(parsed.error());
  nic = std::move(*parsed);
  return {};
}

Result<> inspect(const std::string& machine, std::string_view command, Context& context) {
  if (machine.empty()) return {};
  // A root of the settings has a lower priority than the bundle.
  if (is_typed(context.arguments, "--root")) {
    return fail(Errc::invalid,
                fmt::format("{}: only one captured machine can be inspected", command));
  }
  context.root = machine;
  return {};
}

Result<std::string> parse_entry_name(std::string_view text) {
  const auto nic = NicName::parse(text);
  return nic ? nic->str() : parse_text(text, "an interface");
}

}  // namespace manactl::cli
