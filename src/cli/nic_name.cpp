// SPDX-License-Identifier: MIT

#include "cli/nic_name.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/ids.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/options.h"
#include "host/facts.h"
#include "host/tarball.h"

namespace manactl::cli {
namespace {

// The Azure portal shows "00-0D-3A-76-3B-D0".
std::string with_colons(std::string_view text) {
  std::string result(text);
  std::ranges::replace(result, '-', ':');
  return result;
}

bool is_directory(const std::string& path) {
  struct stat status{};

  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// Returns why a path is neither a NIC nor a captured machine. Empty if `text` is not a path: it has
// no slash, and there is no file of this name.
std::string objection_to_path(const std::string& text) {
  const auto shown = printable(text);
  if (is_directory(text)) {
    return fmt::format("'{0}' is a directory, not a NIC: './{0}' opens it as a captured machine",
                       shown);
  }
  if (access(text.c_str(), F_OK) != 0) {
    const auto reason = std::generic_category().message(errno);
    if (text.find('/') == std::string::npos) return {};
    return fmt::format("'{}' is neither a NIC nor a bundle: {}", shown, reason);
  }
  return fmt::format("'{}' is neither a NIC nor a bundle: 'manactl doctor {}' reads a log",
                     shown,
                     printable(shell_word(text)));
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

bool names_captured_machine(const std::string& path) {
  return host::compression_of(path) || (path.find('/') != std::string::npos && is_directory(path));
}

// A dot occurs in the names of logs rather than of interfaces.
Error explain_log_error(Error error, const std::string& path) {
  const auto word = shell_word(path);
  const auto name = NicName::parse(path);
  const bool may_be_nic = name && !(name->is_interface() && path.find('.') != std::string::npos);
  if (error.sys == ENOENT && may_be_nic) {
    error.message +=
        fmt::format("; doctor reads logs and bundles; 'manactl check {}' judges a NIC", word);
  } else if (is_directory(path)) {
    error.message +=
        fmt::format("; 'manactl doctor --root {}' opens it as a captured machine", word);
  }
  return error;
}

Result<> Target::parse(const std::string& text) {
  if (names_captured_machine(text)) {
    if (!machine.empty()) return fail(Errc::invalid, "only one captured machine can be inspected");
    machine = text;
    return {};
  }
  auto parsed = NicName::parse(text);
  if (!parsed) {
    auto objection = objection_to_path(text);
    return objection.empty() ? tl::unexpected<Error>(parsed.error())
                             : fail(Errc::invalid, std::move(objection));
  }
  nic = std::move(*parsed);
  return {};
}

Result<const host::Nic*> find_nic(const host::Facts& facts, const NicName& name) {
  const auto nic = facts.azure_nic(name.str());
  const bool is_unknown = !nic && nic.error().code == Errc::not_found && name.is_interface() &&
                          std::ranges::find(facts.interfaces, name.str()) == facts.interfaces.end();
  auto objection = is_unknown ? objection_to_path(name.str()) : std::string();
  if (objection.empty()) return nic;
  return fail(Errc::invalid, std::move(objection));
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
