// SPDX-License-Identifier: MIT
//
// Names below sys/ that several steps use, and interfaces by name.

#pragma once

#include <optional>
#include <string>

#include "os/system.h"

namespace manactl::setup {

inline constexpr const char* kNetvsc = "hv_netvsc";
inline constexpr const char* kUio = "uio_hv_generic";
inline constexpr const char* kNicClass = "f8615163-df3e-46c5-913f-f2d2f965ed0e";

std::string device_path(const std::string& id);
std::string driver_path(const std::string& driver);

// The driver of a channel; empty when it has none. Errc::not_found when there is no such channel.
Result<std::string> driver_of(const os::Files& files, const std::string& id);

// driver_override as kernels print it; "" for none. Errc::not_found on kernels without it.
Result<std::string> override_of(const os::Files& files, const std::string& id);

std::optional<std::string> uio_of(const os::Files& files, const std::string& id);
std::optional<std::string> interface_of(const os::Files& files, const std::string& id);

// By name or alternative name; Errc::not_found when there is none.
Result<os::Link> find_link(const os::System& system, const std::string& name);

// Quoted for a shell where that is needed.
std::string quoted(const std::string& word);

}  // namespace manactl::setup
