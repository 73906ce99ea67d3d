// SPDX-License-Identifier: MIT

#include "os/attachments.h"

#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/text.h"
#include "os/attributes.h"
#include "os/netlink.h"
#include "os/queueing.h"

namespace manactl::os {
namespace {

Result<> add_queueing_disciplines(int index, std::vector<std::string>& found) {
  const auto disciplines = read_queueing_disciplines(index);
  if (!disciplines) return tl::unexpected<Error>(disciplines.error());
  if (root_setting(*disciplines) != nullptr) return {};
  for (const auto& discipline : *disciplines) {
    found.push_back(fmt::format("{}'{}'", kQueueingPrefix, printable(discipline.kind)));
  }
  return {};
}

Result<> add_xdp(int index, std::vector<std::string>& found) {
  ifinfomsg head{};
  head.ifi_index = index;
  const auto messages = send_netlink_request(
      NETLINK_ROUTE, encode_request(RTM_GETLINK, NLM_F_REQUEST | NLM_F_ACK, bytes_of(head)));
  if (!messages) return because(messages.error(), "cannot read the XDP program");
  for (const auto& message : *messages) {
    if (has_xdp_program(message.body)) found.emplace_back(kXdpProgram);
  }
  return {};
}

// Before Linux 6.6, the kernel does not know TCX: it refuses the query with EINVAL.
Result<> add_tcx(int index, std::vector<std::string>& found) {
  constexpr std::uint32_t kIngress = 46, kEgress = 47;  // BPF_TCX_INGRESS and BPF_TCX_EGRESS
  for (const auto direction : {kIngress, kEgress}) {
    bpf_attr attributes{};
    attributes.query.target_fd = static_cast<std::uint32_t>(index);
    attributes.query.attach_type = direction;
    const auto result = syscall(SYS_bpf, BPF_PROG_QUERY, &attributes, sizeof(attributes.query));
    if (result != 0 && errno != EINVAL && errno != ENOSYS) {
      return fail_errno(errno, "cannot look for TCX programs");
    }
    if (result == 0 && attributes.query.prog_cnt > 0) {
      found.push_back(
          fmt::format("a TCX program ({})", direction == kIngress ? "ingress" : "egress"));
    }
  }
  return {};
}

// Adds what `decode` finds in the objects of nftables that the request lists.
Result<> add_of_nftables(unsigned request,
                         std::string (*decode)(std::string_view, const std::string&),
                         const std::string& name,
                         std::vector<std::string>& found) {
  const nfgenmsg head{};
  const auto messages = send_netlink_request(
      NETLINK_NETFILTER,
      encode_request(
          NFNL_SUBSYS_NFTABLES << 8 | request, NLM_F_REQUEST | NLM_F_DUMP, bytes_of(head)));
  // The kernel lacks nftables.
  if (!messages && (messages.error().sys == EINVAL || messages.error().code == Errc::unsupported)) {
    return {};
  }
  if (!messages) return because(messages.error(), "cannot list the hooks of nftables");
  for (const auto& message : *messages) {
    auto text = decode(message.body, name);
    if (!text.empty()) found.push_back(std::move(text));
  }
  return {};
}

Result<> add_hooks(const std::string& name, std::vector<std::string>& found) {
  // The requests load the module nf_tables. Without it there are no hooks, so skip them.
  std::error_code ignored;
  const auto exists = [&](const char* path) { return std::filesystem::exists(path, ignored); };
  if (!exists("/sys/module/nf_tables") && exists("/proc/modules")) return {};
  const auto chains = add_of_nftables(NFT_MSG_GETCHAIN, nftables_hook_in, name, found);
  if (!chains) return chains;
  return add_of_nftables(NFT_MSG_GETFLOWTABLE, flowtable_in, name, found);
}

// Whether the hook is on this interface, alone or with others.
bool hooks_interface(std::string_view hook, const std::string& interface) {
  while (const auto attribute = next_attribute(hook)) {
    if (attribute->type == NFTA_HOOK_DEV && attribute->text() == interface) return true;
    auto devices = attribute->type == NFTA_HOOK_DEVS ? attribute->data : std::string_view();
    while (const auto device = next_attribute(devices)) {
      if (device->text() == interface) return true;
    }
  }
  return false;
}

}  // namespace

bool has_xdp_program(std::string_view body) {
  auto rest = after(body, sizeof(ifinfomsg));
  while (const auto attribute = next_attribute(rest)) {
    auto xdp = attribute->type == IFLA_XDP ? attribute->data : std::string_view();
    while (const auto part = next_attribute(xdp)) {
      if (part->type == IFLA_XDP_ATTACHED)
        return leading<std::uint8_t>(part->data).value_or(0) != 0;
    }
  }
  return false;
}

std::string nftables_hook_in(std::string_view body, const std::string& interface) {
  std::string table, chain;
  bool is_hooked = false;
  auto rest = after(body, sizeof(nfgenmsg));
  while (const auto attribute = next_attribute(rest)) {
    if (attribute->type == NFTA_CHAIN_TABLE) table = attribute->text();
    if (attribute->type == NFTA_CHAIN_NAME) chain = attribute->text();
    if (attribute->type == NFTA_CHAIN_HOOK) is_hooked = hooks_interface(attribute->data, interface);
  }
  if (!is_hooked) return {};
  return fmt::format("the chain '{} {}' of nftables", printable(table), printable(chain));
}

std::string flowtable_in(std::string_view body, const std::string& interface) {
  std::string table, name;
  bool is_hooked = false;
  auto rest = after(body, sizeof(nfgenmsg));
  while (const auto attribute = next_attribute(rest)) {
    if (attribute->type == NFTA_FLOWTABLE_TABLE) table = attribute->text();
    if (attribute->type == NFTA_FLOWTABLE_NAME) name = attribute->text();
    auto hook = attribute->type == NFTA_FLOWTABLE_HOOK ? attribute->data : std::string_view();
    while (const auto part = next_attribute(hook)) {
      auto devices = part->type == NFTA_FLOWTABLE_HOOK_DEVS ? part->data : std::string_view();
      while (const auto device = next_attribute(devices)) {
        is_hooked = is_hooked || device->text() == interface;
      }
    }
  }
  if (!is_hooked) return {};
  return fmt::format("the flowtable '{} {}' of nftables", printable(table), printable(name));
}

Result<std::vector<std::string>> find_attachments(int index, const std::string& name) {
  std::vector<std::string> found;
  auto done = add_queueing_disciplines(index, found);
  if (done) done = add_xdp(index, found);
  if (done) done = add_hooks(name, found);
  if (done) done = add_tcx(index, found);
  if (!done) return tl::unexpected<Error>(done.error());
  return found;
}

}  // namespace manactl::os
