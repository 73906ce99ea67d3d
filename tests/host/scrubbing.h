// SPDX-License-Identifier: MIT
//
// Scrubs texts as `doctor --scrub` scrubs logs.

#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "host/scrub.h"

namespace manactl::host {

inline std::string scrub(const std::string& text, const std::string& host = "") {
  Scrubber scrubber;
  scrubber.names().add(NameReplacer::kHost, host);
  scrubber.learn_log(text);
  return scrubber.scrubbed_log(text);
}

// Scrubs `text` as part of a log that has this MAC address in another line.
inline std::string scrub_with_mac(const std::string& text) {
  const std::string known = "00:0d:3a:76:3b:d0\n";
  return scrub(known + text).substr(known.size());
}

struct ScrubCase {
  std::string text, expected;
};

inline void expect_scrubbed(std::initializer_list<ScrubCase> cases) {
  for (const auto& one : cases) EXPECT_EQ(scrub(one.text), one.expected) << one.text;
}

inline void expect_kept(std::initializer_list<std::string> texts) {
  for (const auto& text : texts) EXPECT_EQ(scrub(text), text);
}

}  // namespace manactl::host
