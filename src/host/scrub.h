// SPDX-License-Identifier: MIT
//
// Replaces MAC addresses, IP addresses and the host name in a recorded tree. An address gets the
// same replacement everywhere, even in VMBus ids, so that NICs can still be matched with VFs.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "host/tarball.h"

namespace manactl::host {

class Scrubber {
 public:
  explicit Scrubber(std::string host_name) : host_name_(std::move(host_name)) {}

  // First pass: collects the MAC addresses in `text`. Call it for all texts before scrubbed().
  void learn(std::string_view text);

  // Second pass: returns the text with all addresses replaced. Binary data is returned unchanged.
  std::string scrubbed(std::string_view text);

  // As scrubbed(), but also replaces the host name. Only for logs and reports: in other files, a
  // host that is named like a driver would change the names of drivers.
  std::string scrubbed_prose(std::string_view text);

 private:
  std::string scrub_all(std::string_view text, bool prose);
  bool is_host_name_at(std::string_view text, std::size_t at) const;
  std::size_t replace_at(std::string_view text, std::size_t at, std::string& out);
  std::size_t replace_uuid(std::string_view text, std::size_t at, std::string& out);
  std::size_t replace_ipv6(std::string_view text, std::size_t at, std::string& out);
  std::size_t replace_ipv4(std::string_view text, std::size_t at, std::string& out);
  std::size_t replace_bare(std::string_view text, std::size_t at, std::string& out);

  std::string host_name_;
  // Maps the 12 digits of a MAC address, in lower case, to the digits that replace them.
  std::map<std::string, std::string, std::less<>> macs_;
  std::map<std::string, std::string, std::less<>> ipv4_, ipv6_;
};

// Scrubs paths, link targets and contents of the recorded tree, and the contents of `extra`.
TreeEntries scrubbed_tree(const TreeEntries& recorded,
                          const std::map<std::string, std::string>& extra,
                          const std::string& host_name);

}  // namespace manactl::host
