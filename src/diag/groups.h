// SPDX-License-Identifier: MIT
//
// The tables of checks, one function per file of checks, in the order in which they are printed.

#pragma once

#include <span>

#include "diag/check.h"

namespace manactl::diag {

std::span<const Check> hardware_checks();
std::span<const Check> interface_checks();
std::span<const Check> kernel_checks();
std::span<const Check> rdma_checks();
std::span<const Check> dpdk_checks();
std::span<const Check> memory_checks();

}  // namespace manactl::diag
