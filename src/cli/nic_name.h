// SPDX-License-Identifier: MIT

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/context.h"

namespace manactl::host {
struct Facts;
struct Nic;
}  // namespace manactl::host

namespace manactl::cli {

// How a user names a NIC: by an interface, the PCI address of the function, or the MAC address.
// These forms do not overlap, because no interface name has a ':'.
class NicName {
 public:
  static Result<NicName> parse(std::string_view text);

  const std::string& str() const { return text_; }  // the canonical form

  bool is_interface() const { return text_.find(':') == std::string::npos; }

 private:
  std::string text_;
};

// The NIC of this machine or of --root, or the captured machine, that a command inspects.
struct Target {
  std::optional<NicName> nic;
  std::string machine;  // a bundle or captured tree, as for --root

  // Stores a NIC, or the path of a bundle or captured tree.
  Result<> parse(const std::string& text);
};

// True for the path of a captured machine, which --root accepts: the name of a bundle
// (host::kBundleSuffixes), or a directory whose path has a slash. The name of an interface has
// none.
bool names_captured_machine(const std::string& path);

// Adds to the error of open_input() for a log what else to do with the path: that of a NIC or of a
// captured machine.
Error explain_log_error(Error error, const std::string& path);

// Returns the NIC. If there is only a file of this name, fails with Errc::invalid; the message
// names the command that reads the file.
Result<const host::Nic*> find_nic(const host::Facts& facts, const NicName& name);

// Sets Context::root to the captured machine, if there is one. Fails with Errc::invalid if --root
// is also given.
Result<> inspect(const std::string& machine, std::string_view command, Context& context);

// Parses the name of a journal entry: a NIC as above, a VMBus id, or "hugepages-1".
Result<std::string> parse_entry_name(std::string_view text);

}  // namespace manactl::cli
