// SPDX-License-Identifier: MIT
//
// Reads the kernel's log from /dev/kmsg (Documentation/ABI/testing/dev-kmsg).

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"

namespace manactl::os {

class KernelLog {
 public:
  virtual ~KernelLog() = default;

  // The records that are in the ring buffer now, in the format of dmesg(1). Errc::denied without
  // CAP_SYSLOG if kernel.dmesg_restrict is set.
  virtual Result<std::unique_ptr<ByteSource>> open() const = 0;
};

std::unique_ptr<KernelLog> open_kernel_log();

// Converts a record of /dev/kmsg: "4,1035,1234567,-;text\n KEY=value\n" becomes
// "[    1.234567] text\n". Each line of the text gets the time stamp. Empty for a malformed record.
std::string format_record(std::string_view record);

}  // namespace manactl::os
