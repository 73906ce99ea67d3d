// SPDX-License-Identifier: MIT
#include "datapath/bench.h"

namespace manactl::datapath {

EngineInfo engine_info() {
  return {"", "off", {}};
}

Result<std::unique_ptr<Engine>> make_engine() {
  return fail(Errc::unsupported, "this manactl was built without DPDK and cannot send packets");
}

}  // namespace manactl::datapath
