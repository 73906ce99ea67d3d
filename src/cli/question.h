// SPDX-License-Identifier: MIT
//
// What the rooms below cannot know by themselves, because they do not know each other: the DPDK in
// this binary for host, the memory of a bench for diag, and the NIC that a word means.

#pragma once

#include <string>

#include "base/result.h"
#include "diag/check.h"
#include "host/facts.h"

namespace manactl::cli {

host::EmbeddedDpdk embedded_dpdk();

// About a bench with `queues` queues and otherwise the defaults.
diag::Question question_about(unsigned queues);

// Errc::not_found says whether the interface is unknown (and the nearest one) or just no Azure NIC.
Result<const host::Nic*> find_nic(const host::Facts& facts, const std::string& interface);

}  // namespace manactl::cli
