// SPDX-License-Identifier: MIT
//
// The replies of netlink, ethtool, libibverbs and this process, stored as JSON files below manactl/
// (docs/bundle.md describes the fields). Sources: read_snapshot.cpp, write_snapshot.cpp.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "base/result.h"
#include "os/system.h"

namespace manactl::host {

inline constexpr EnumWords<Errc, 7> kErrcWords{{
    {Errc::not_found, "not_found"},
    {Errc::denied, "denied"},
    {Errc::busy, "busy"},
    {Errc::unsupported, "unsupported"},
    {Errc::invalid, "invalid"},
    {Errc::timeout, "timeout"},
    {Errc::io, "io"},
}};

inline constexpr EnumWords<Presence, 5> kPresenceWords{{
    {Presence::loaded, "loaded"},
    {Presence::builtin, "builtin"},
    {Presence::available, "available"},
    {Presence::blacklisted, "blacklisted"},
    {Presence::missing, "missing"},
}};

inline constexpr EnumWords<os::Node::Type, 4> kNodeTypeWords{{
    {os::Node::Type::file, "file"},
    {os::Node::Type::directory, "directory"},
    {os::Node::Type::character_device, "character_device"},
    {os::Node::Type::other, "other"},
}};

inline constexpr std::string_view kNotCaptured = "not captured: ";

inline tl::unexpected<Error> not_captured(std::string_view what) {
  return fail(Errc::invalid, fmt::format("{}{}", kNotCaptured, what));
}

// True for an error of not_captured().
inline bool is_missing_capture(const Error& error) {
  return error.message.starts_with(kNotCaptured);
}

struct EthtoolSnapshot {
  Result<os::DriverInfo> driver = not_captured("ethtool driver");
  Result<os::Counters> counters = not_captured("ethtool counters");
};

// Only the settings of host/tuning.h.
struct SettingsSnapshot {
  Result<os::InterfaceSettings> settings = not_captured("settings of the interface");
  os::InterfaceSettings limits = {};
};

struct Snapshot {
  Result<std::vector<os::Link>> links = not_captured("links");
  Result<std::vector<os::Address>> addresses = not_captured("addresses");
  Result<std::vector<os::Route>> routes = not_captured("routes");
  std::map<std::string, EthtoolSnapshot> ethtool;    // by interface
  std::map<std::string, SettingsSnapshot> settings;  // by interface
  Result<std::vector<os::RdmaDevice>> rdma = not_captured("RDMA devices");
  Result<std::vector<os::ProviderChoice>> providers = not_captured("verbs providers");
  Result<> libraries;  // an error only if libibverbs and libmana could not be loaded
  Result<os::Privileges> privileges = not_captured("privileges");
  Result<os::KernelIdentity> kernel = not_captured("kernel");
  Result<CpuList> affinity = not_captured("affinity");
  std::vector<std::string> ssh_connections;
  Result<std::vector<os::TcpSocket>> tcp = not_captured("TCP sockets");

  // Module states of the live system, by name with '_'. The state of any other module is derived
  // from the files of the tree.
  std::map<std::string, Result<os::ModuleState>> modules;
  std::map<std::string, os::Node> nodes;     // device nodes, which a captured tree cannot contain
  std::map<std::string, Error> file_errors;  // existing paths that could not be read
};

// If a file is absent, the members that it would fill hold the error "not captured". Errc::invalid
// for a malformed file, with a message that names the file and the field.
Result<Snapshot> read_snapshot(const os::Files& files);

// Returns the text of each file by its path. Data that was not captured gets no file.
std::map<std::string, std::string> write_snapshot(const Snapshot& snapshot);

}  // namespace manactl::host
