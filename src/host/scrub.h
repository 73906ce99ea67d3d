// SPDX-License-Identifier: MIT
//
// Replaces MAC addresses, IP addresses and the host name in a recorded tree. The same address
// becomes the same replacement everywhere, in VMBus ids too, so that pairs stay pairs.

#pragma once

#include <map>
#include <string>
#include <string_view>

#include "host/recording.h"

namespace manactl::host {

class Scrubber {
 public:
  explicit Scrubber(std::string host_name) : host_name_(std::move(host_name)) {}

  // First pass: every text in which MAC addresses may stand.
  void learn(std::string_view text);

  // Second pass: the text with all addresses replaced. Binary data is returned as it is.
  std::string scrubbed(std::string_view text);

  // The same for prose, where the host name may stand: logs and reports. Elsewhere a host that is
  // called like a driver would break names.
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
  // From twelve lower case digits to twelve digits.
  std::map<std::string, std::string, std::less<>> macs_;
  std::map<std::string, std::string, std::less<>> ipv4_, ipv6_;
};

// Paths, link targets and contents of what was recorded, and of the files that were added to it.
TreeEntries scrubbed_tree(const TreeEntries& recorded,
                          const std::map<std::string, std::string>& extra,
                          const std::string& host_name);

}  // namespace manactl::host
