// SPDX-License-Identifier: MIT

#include <optional>

#include "base/text.h"
#include "host/carried_traffic.h"

namespace manactl::host {
namespace {

struct ProcessStat {
  std::string name;
  std::string parent;
};

// proc_pid_stat(5): "1398 (sshd) S 1 ...". The name may contain blanks and parentheses, so it ends
// at the last ')'.
std::optional<ProcessStat> read_stat(const os::Files& files, const std::string& pid) {
  const auto text = files.read("proc/" + pid + "/stat");
  if (!text) return std::nullopt;
  const auto open = text->find('(');
  const auto close = text->rfind(')');
  if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
  const auto rest = words(std::string_view(*text).substr(close + 1));
  if (rest.size() < 2 || !parse_unsigned(rest[1])) return std::nullopt;
  return ProcessStat{text->substr(open + 1, close - open - 1), std::string(rest[1])};
}

// The inode of a socket from the link of its descriptor: "socket:[1234]".
std::optional<std::uint64_t> socket_inode(const os::Files& files, const std::string& path) {
  constexpr std::string_view kSocket = "socket:[";
  const auto target = files.link_target(path);
  if (!target || !target->starts_with(kSocket) || !target->ends_with(']')) return std::nullopt;
  const auto inode = parse_unsigned(
      std::string_view(*target).substr(kSocket.size(), target->size() - kSocket.size() - 1));
  return inode ? std::optional(*inode) : std::nullopt;
}

Result<> add_sockets(const os::Files& files, const std::string& pid, SocketInodes& inodes) {
  const std::string directory = fmt::format("proc/{}/fd", pid);
  const auto open = files.list(directory);
  if (!open) return tl::unexpected<Error>(open.error());
  for (const auto& fd : *open) {
    const auto inode = socket_inode(files, fmt::format("{}/{}", directory, fd));
    if (inode) inodes.insert(*inode);
  }
  return {};
}

// The programs of OpenSSH are sshd and, since 9.8, sshd-session and sshd-auth.
bool is_ssh_server(std::string_view program) {
  return program.starts_with("sshd") || program.starts_with("dropbear");
}

// Checks the executable, since a process can change its name. If the executable cannot be read, the
// name decides.
bool is_ssh_server(const os::Files& files, const std::string& pid) {
  const auto program = files.link_target(fmt::format("proc/{}/exe", pid));
  if (program) {
    const std::string_view path = *program;
    return is_ssh_server(path.substr(path.rfind('/') + 1));
  }
  const auto name = files.read(fmt::format("proc/{}/comm", pid));
  return name && is_ssh_server(*name);
}

}  // namespace

SocketInodes sockets_of_own_sshd(const os::Files& files) {
  constexpr int kMaxAncestors = 32;
  SocketInodes inodes;
  auto pid = files.link_target("proc/self");
  if (!pid) return inodes;
  for (int i = 0; i < kMaxAncestors && *pid != "0" && *pid != "1"; ++i) {
    const auto stat = read_stat(files, *pid);
    if (!stat) break;
    if (is_ssh_server(stat->name)) (void)add_sockets(files, *pid, inodes);
    *pid = stat->parent;
  }
  return inodes;
}

Result<SocketInodes> sockets_of_every_sshd(const os::Files& files) {
  SocketInodes inodes;
  const auto processes = files.list("proc");
  if (!processes) return tl::unexpected<Error>(processes.error());
  for (const auto& pid : *processes) {
    if (!parse_unsigned(pid) || !is_ssh_server(files, pid)) continue;
    const auto added = add_sockets(files, pid, inodes);
    // Ignore other errors: the process may have ended.
    if (!added && added.error().code == Errc::denied) return tl::unexpected<Error>(added.error());
  }
  return inodes;
}

}  // namespace manactl::host
