// SPDX-License-Identifier: MIT
//
// Plays a provider library in the tests of the verbs probe: one call that is not libibverbs' own.

#include <infiniband/verbs.h>

extern "C" int stub_provider_poll(ibv_cq* /*queue*/, int /*most*/, ibv_wc* /*done*/) {
  return 0;
}
