// SPDX-License-Identifier: MIT

#include <string>

#include "fuzz/entry_points.h"
#include "fuzz/require.h"
#include "host/scrub.h"
#include "host/scrub_json.h"

namespace manactl::fuzz {
void scrub(std::string_view input) {
  constexpr std::string_view kMac = "00:0d:3a:76:3b:d0";
  host::Scrubber scrubber;
  for (const char* path : {"etc/hosts", "etc/passwd", "etc/resolv.conf", "10.network"}) {
    scrubber.names().learn_file(path, input);
  }
  scrubber.names().learn_mounts(input);
  scrubber.learn(kMac);
  scrubber.learn_log(input);
  const auto log = scrubber.scrubbed_log(input);
  require(log.find(kMac) == std::string::npos);
  require(log.find_first_of(std::string_view("\0\x1b", 2)) == std::string::npos);
  require(scrubbed_report(input, scrubber).find(kMac) == std::string::npos);
}

}  // namespace manactl::fuzz
