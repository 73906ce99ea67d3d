// SPDX-License-Identifier: MIT
//
// The far end of the verbs probe: what runs in the child, and the text that it sends back, one line
// per device with fields between tabs.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/verbs_probe.h"

namespace manactl::os {

// Loads the library and asks it; devices stay open until the process ends.
std::string answer_of(const std::string& soname);

// Errc::not_found when the child could not load the library; Errc::io when it did not finish.
Result<std::vector<ProviderChoice>> decode_reply(std::string_view reply);

}  // namespace manactl::os
