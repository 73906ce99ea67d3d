// SPDX-License-Identifier: MIT
//
// One record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg), as dmesg prints it.

#pragma once

#include <string>
#include <string_view>

namespace manactl::os {

// "4,1035,1234567,-;text\n KEY=value\n" gives "[    1.234567] text\n". A text of several lines gets
// the time in front of each. Empty when it is not a record.
std::string format_record(std::string_view record);

}  // namespace manactl::os
