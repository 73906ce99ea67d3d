// SPDX-License-Identifier: MIT
//
// The kernel's own log, /dev/kmsg: what is in the ring now, as dmesg prints it.

#pragma once

#include <memory>

#include "base/byte_source.h"
#include "base/result.h"

namespace manactl::os {

class KernelLog {
 public:
  virtual ~KernelLog() = default;

  // Errc::denied without CAP_SYSLOG where the kernel restricts dmesg.
  virtual Result<std::unique_ptr<ByteSource>> open() const = 0;
};

std::unique_ptr<KernelLog> open_kernel_log();

}  // namespace manactl::os
