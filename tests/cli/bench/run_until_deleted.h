// SPDX-License-Identifier: MIT

#pragma once

#include <string>
#include <vector>

namespace manactl::test {

// The arguments of a run that ends when `file` is deleted, or after a minute.
inline std::vector<std::string> run_until_deleted(const std::string& file,
                                                  const std::string& duration = "60") {
  return {"bench",
          "--vdev",
          "net_null0",
          "--no-huge",
          "--json",
          "--duration",
          duration,
          "--until-deleted",
          file};
}

}  // namespace manactl::test
