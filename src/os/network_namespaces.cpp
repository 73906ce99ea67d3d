// SPDX-License-Identifier: MIT

#include "os/network_namespaces.h"

#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>

#include <cerrno>
#include <optional>
#include <set>
#include <vector>

#include "base/descriptor.h"
#include "base/text.h"
#include "os/attributes.h"
#include "os/netlink.h"
#include "os/netlink_messages.h"

namespace manactl::os {
namespace {

constexpr int kNoId = -1;  // NETNSA_NSID_NOT_ASSIGNED

// The inode of a namespace from the target of its link: "net:[4026531840]".
std::optional<std::uint64_t> inode_of(std::string_view target) {
  constexpr std::string_view kStart = "net:[";
  if (!target.starts_with(kStart) || !target.ends_with(']')) return std::nullopt;
  const auto inode =
      parse_unsigned(target.substr(kStart.size(), target.size() - kStart.size() - 1));
  return inode ? std::optional(*inode) : std::nullopt;
}

Descriptor open_file(const std::string& path) {
  return Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

// Collects the namespaces and the first file that leads to each.
class Search {
 public:
  explicit Search(const Files& files) : files_(files) {}

  void add_processes() {
    for (const auto& pid : files_.list("proc").value_or(std::vector<std::string>{})) {
      if (!parse_unsigned(pid)) continue;
      const auto name = files_.read("proc/" + pid + "/comm");
      const auto where = fmt::format(
          "network namespace of process {} ({})", pid, name ? printable(trim(*name)) : "");
      const auto added = add_link("proc/" + pid + "/ns/net", where);
      if (!added && added.error().code == Errc::denied) ++found_.unreadable;
      for (const auto& folder : {"proc/" + pid + "/task", "proc/" + pid + "/fd"}) {
        const bool is_task = folder.ends_with("task");
        for (const auto& entry : files_.list(folder).value_or(std::vector<std::string>{})) {
          (void)add_link(fmt::format("{}/{}{}", folder, entry, is_task ? "/ns/net" : ""), where);
        }
      }
    }
  }

  // ip-netns(8) and container engines mount namespaces. A line of proc_pid_mountinfo(5):
  // "36 35 0:4 net:[4026532245] /run/netns/blue rw - nsfs nsfs rw".
  void add_mounts() {
    constexpr std::size_t kRoot = 3, kPlace = 4;
    const auto text = files_.read("proc/self/mountinfo");
    if (!text) return;
    for (const auto line : split(*text, '\n')) {
      const auto fields = words(line);
      const auto inode = fields.size() > kPlace ? inode_of(fields[kRoot]) : std::nullopt;
      if (!inode) continue;
      const std::string path(fields[kPlace]);
      found_.others.try_emplace(
          *inode, NamespaceFile{path.substr(1), "network namespace " + printable(path)});
    }
  }

  NetworkNamespaces take() {
    const auto own = files_.link_target("proc/self/ns/net");
    if (const auto inode = own ? inode_of(*own) : std::nullopt) found_.others.erase(*inode);
    return std::move(found_);
  }

 private:
  Result<> add_link(const std::string& path, const std::string& where) {
    const auto target = files_.link_target(path);
    if (!target) return tl::unexpected<Error>(target.error());
    if (const auto inode = inode_of(*target)) {
      found_.others.try_emplace(*inode, NamespaceFile{path, where});
    }
    return {};
  }

  const Files& files_;
  NetworkNamespaces found_;
};

// The id that the network namespace of this thread has for the one with the descriptor.
Result<int> nsid_of(int fd) {
  std::string body(bytes_of(rtgenmsg{}));
  body.resize(netlink_aligned(body.size()));
  append_attribute(body, NETNSA_FD, bytes_of(static_cast<std::uint32_t>(fd)));
  const auto reply = send_netlink_request(
      NETLINK_ROUTE, encode_request(RTM_GETNSID, NLM_F_REQUEST | NLM_F_ACK, body));
  if (!reply) return tl::unexpected<Error>(reply.error());
  for (const auto& message : *reply) {
    if (const auto id = decode_nsid(message.body)) return *id;
  }
  return kNoId;
}

// The ids that this network namespace has for others. The kernel assigns one when an interface is
// moved to another namespace (__dev_change_net_namespace).
Result<std::set<int>> known_nsids() {
  const auto reply = send_netlink_request(
      NETLINK_ROUTE, encode_request(RTM_GETNSID, NLM_F_REQUEST | NLM_F_DUMP, bytes_of(rtgenmsg{})));
  if (!reply) return tl::unexpected<Error>(reply.error());
  std::set<int> ids;
  for (const auto& message : *reply) {
    if (const auto id = decode_nsid(message.body)) ids.insert(*id);
  }
  return ids;
}

// As nsid_of(), but assigns an id if there is none, as the kernel itself does when it lists the
// interfaces of a namespace (rtnl_fill_link_netnsid).
Result<int> assigned_nsid(int fd) {
  auto id = nsid_of(fd);
  if (!id || *id != kNoId) return id;
  std::string body(bytes_of(rtgenmsg{}));
  body.resize(netlink_aligned(body.size()));
  append_attribute(body, NETNSA_NSID, bytes_of(std::int32_t{kNoId}));  // the kernel chooses
  append_attribute(body, NETNSA_FD, bytes_of(static_cast<std::uint32_t>(fd)));
  const auto reply = send_netlink_request(
      NETLINK_ROUTE, encode_request(RTM_NEWNSID, NLM_F_REQUEST | NLM_F_ACK, body));
  if (!reply) return tl::unexpected<Error>(reply.error());
  return nsid_of(fd);
}

// The interfaces of another network namespace. Their IFLA_LINK_NETNSID are ids of this one.
Result<std::vector<Link>> links_of(int nsid) {
  std::string body(bytes_of(ifinfomsg{}));
  append_attribute(body, IFLA_TARGET_NETNSID, bytes_of(std::int32_t{nsid}));
  const auto reply = send_netlink_request(
      NETLINK_ROUTE, encode_request(RTM_GETLINK, NLM_F_REQUEST | NLM_F_DUMP, body));
  if (!reply) return tl::unexpected<Error>(reply.error());
  return decode_all(*reply, decode_link, is_any);
}

Result<> search_namespace(const NamespaceFile& file, int fd, int own, ForeignUppers& found) {
  const auto nsid = assigned_nsid(fd);
  if (!nsid) return tl::unexpected<Error>(nsid.error());
  auto links = links_of(*nsid);
  if (!links) return tl::unexpected<Error>(links.error());
  const auto own_id = nsid_of(own);
  if (!own_id) return tl::unexpected<Error>(own_id.error());
  for (auto& link : *links) {
    const bool is_upper = link.foreign_lower && link.foreign_lower->nsid == *own_id;
    if (!is_upper || *own_id == kNoId) continue;
    link.lower = link.foreign_lower->index;
    found.links.push_back({std::move(link), file.where});
  }
  return {};
}

void search_all(const std::map<std::uint64_t, NamespaceFile>& namespaces,
                const Descriptor& own,
                std::set<int>& unseen,
                ForeignUppers& found) {
  for (const auto& [inode, file] : namespaces) {
    const auto other = open_file("/" + file.path);
    const bool has_ended = errno == ENOENT && file.path.starts_with("proc/");
    if (other.get() < 0 && has_ended) continue;
    Result<> searched = fail_errno(errno, "cannot open it");
    if (other.get() >= 0) {
      if (const auto id = nsid_of(other.get())) unseen.erase(*id);
      searched = search_namespace(file, other.get(), own.get(), found);
    }
    if (!searched) found.unsearched.push_back(file.where + ": " + searched.error().message);
  }
}

}  // namespace

std::optional<std::int32_t> decode_nsid(std::string_view body) {
  auto attributes = after(body, sizeof(rtgenmsg));
  while (const auto attribute = next_attribute(attributes)) {
    if (attribute->type == NETNSA_NSID) return leading<std::int32_t>(attribute->data);
  }
  return std::nullopt;
}

NetworkNamespaces find_network_namespaces(const Files& files) {
  Search search(files);
  search.add_mounts();
  search.add_processes();
  return search.take();
}

Result<ForeignUppers> find_foreign_uppers(const Files& files) {
  constexpr std::string_view kInitialPids = "pid:[4026531836]";  // PROC_PID_INIT_INO, proc_ns.h
  ForeignUppers found;
  auto unseen = known_nsids();
  if (!unseen) return because(unseen.error(), "cannot list the network namespaces");
  const auto own = open_file("/proc/self/ns/net");
  if (own.get() < 0) return fail_errno(errno, "cannot open /proc/self/ns/net");
  if (const auto id = nsid_of(own.get())) unseen->erase(*id);
  const auto namespaces = find_network_namespaces(files);
  search_all(namespaces.others, own, *unseen, found);
  if (namespaces.unreadable != 0) {
    found.unsearched.push_back(fmt::format(
        "those of {} processes: no permission to read /proc/PID/ns/net", namespaces.unreadable));
  }
  if (!unseen->empty()) {
    found.unsearched.push_back(fmt::format(
        "{} network namespaces that no process or mount of this system shows", unseen->size()));
  }
  const auto pids = files.link_target("proc/self/ns/pid");
  if (!pids || *pids != kInitialPids) {
    found.unsearched.emplace_back(
        "the network namespaces of processes outside this container (PID namespace)");
  }
  return found;
}

}  // namespace manactl::os
