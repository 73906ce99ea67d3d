// SPDX-License-Identifier: MIT
//
// What netlink, ethtool, libibverbs and this process answered, and its form as JSON files below
// manactl/. Written by bundles, read by captured systems; docs/bundle.md describes the fields.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "os/system.h"

namespace manactl::host {

inline tl::unexpected<Error> not_captured(const std::string& what) {
  return fail(Errc::not_found, "not captured: " + what);
}

struct EthtoolAnswer {
  Result<os::DriverInfo> driver = not_captured("ethtool driver");
  Result<os::Counters> counters = not_captured("ethtool counters");
};

struct Answers {
  Result<std::vector<os::Link>> links = not_captured("links");
  Result<std::vector<os::Address>> addresses = not_captured("addresses");
  Result<std::vector<os::Route>> routes = not_captured("routes");
  std::map<std::string, EthtoolAnswer> ethtool;  // by interface
  Result<std::vector<os::RdmaDevice>> rdma = not_captured("RDMA devices");
  Result<std::vector<os::ProviderChoice>> providers = not_captured("verbs providers");
  Result<os::Privileges> privileges = not_captured("privileges");
  Result<os::KernelIdentity> kernel = not_captured("kernel");
  Result<CpuList> affinity = not_captured("affinity");
  std::string ssh_connection;
  Result<std::vector<os::TcpSocket>> tcp = not_captured("TCP sockets");

  // Module states as the live system told them; modules that are missing here are looked up in the
  // tree.
  std::map<std::string, Result<os::ModuleState>> modules;
  std::map<std::string, os::Node> nodes;     // device nodes, which no tree carries
  std::map<std::string, Error> file_errors;  // files that are there and refuse to be read
};

// Files that are absent leave "not captured"; a malformed one is Errc::invalid, naming file and
// field.
Result<Answers> read_answers(const os::Files& files);

// Path below the root and text of every file; what was not captured is left out.
std::map<std::string, std::string> write_answers(const Answers& answers);

}  // namespace manactl::host
