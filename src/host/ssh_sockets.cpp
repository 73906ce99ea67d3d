// SPDX-License-Identifier: MIT

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "base/text.h"
#include "host/carried_traffic.h"
#include "os/process.h"

namespace manactl::host {
namespace {

// The inode of a socket from the link of its descriptor: "socket:[1234]".
std::optional<std::uint64_t> socket_inode(std::string_view target) {
  constexpr std::string_view kSocket = "socket:[";
  if (!target.starts_with(kSocket) || !target.ends_with(']')) return std::nullopt;
  const auto inode =
      parse_unsigned(target.substr(kSocket.size(), target.size() - kSocket.size() - 1));
  return inode ? std::optional(*inode) : std::nullopt;
}

// Adds the sockets of the process.
Result<> read_descriptors(const os::Files& files, const std::string& pid, SocketInodes& inodes) {
  const std::string directory = fmt::format("proc/{}/fd", pid);
  const auto open = files.list(directory);
  if (!open) return tl::unexpected<Error>(open.error());
  for (const auto& fd : *open) {
    const auto target = files.link_target(fmt::format("{}/{}", directory, fd));
    if (!target) continue;
    if (const auto inode = socket_inode(*target)) inodes.insert(*inode);
  }
  return {};
}

struct LoginServer {
  std::string_view program;  // the beginning of its name
  bool has_tcp;              // its connection is a TCP socket of the process
  bool is_per_login;         // the process exists only while somebody is logged in
};

// The programs of OpenSSH are sshd and, since 9.8, sshd-session and sshd-auth.
constexpr LoginServer kLoginServers[] = {
    {"sshd", true, false},
    {"dropbear", true, false},
    {"tinysshd", true, false},
    {"in.telnetd", true, false},
    {"telnetd", true, false},
    {"mosh-server", false, true},
    {"etterminal", false, true},
    {"tailscaled", false, false},
};

const LoginServer* find_login_server(std::string_view program) {
  const auto found = std::ranges::find_if(
      kLoginServers, [&](const LoginServer& row) { return program.starts_with(row.program); });
  return found == std::end(kLoginServers) ? nullptr : found;
}

// Returns the program that the process executes, since a process can change its name. If the
// executable cannot be read, returns the name.
std::string program_of(const os::Files& files, const std::string& pid) {
  const auto program = files.link_target(fmt::format("proc/{}/exe", pid));
  if (program) return program->substr(program->rfind('/') + 1);
  return files.read(fmt::format("proc/{}/comm", pid)).value_or("");
}

}  // namespace

OwnLogin find_own_login(const os::Files& files) {
  OwnLogin own;
  for (const auto& pid : os::own_ancestry(files)) {
    const auto stat = os::read_process_stat(files, pid);
    const auto* server = stat ? find_login_server(stat->name) : nullptr;
    if (server == nullptr) continue;
    if (own.server.empty()) {
      own.server = printable(stat->name);
      own.has_tcp = server->has_tcp;
    }
    (void)read_descriptors(files, pid, own.sockets);
  }
  return own;
}

Result<ProcessSockets> read_process_sockets(const os::Files& files) {
  ProcessSockets found;
  const auto processes = files.list("proc");
  if (!processes) return tl::unexpected<Error>(processes.error());
  for (const auto& pid : *processes) {
    if (!parse_unsigned(pid)) continue;
    const auto* server = find_login_server(program_of(files, pid));
    SocketInodes own;
    const auto read = read_descriptors(files, pid, own);
    // Ignore other errors: the process may have ended.
    const bool is_denied = !read && read.error().code == Errc::denied;
    if (server != nullptr && server->has_tcp) {
      if (is_denied) return tl::unexpected<Error>(read.error());
      found.ssh.insert(own.begin(), own.end());
    }
    if (server != nullptr && server->is_per_login) found.other_logins.emplace(server->program);
    found.all.insert(own.begin(), own.end());
  }
  return found;
}

}  // namespace manactl::host
