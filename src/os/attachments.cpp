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

#include <filesystem>

#include "base/text.h"
#include "os/attributes.h"
#include "os/netlink.h"

namespace manactl::os {
namespace {

Result<> add_queueing_disciplines(int index, std::vector<std::string>& found) {
  tcmsg head{};
  head.tcm_ifindex = index;
  const auto messages = send_netlink_request(
      NETLINK_ROUTE, encode_request(RTM_GETQDISC, NLM_F_REQUEST | NLM_F_DUMP, bytes_of(head)));
  // A kernel without traffic control has no queueing disciplines.
  if (!messages && messages.error().sys == EOPNOTSUPP) return {};
  if (!messages) return because(messages.error(), "cannot list the queueing disciplines");
  for (const auto& message : *messages) {
    auto text = queueing_discipline_in(message.body, index);
    if (!text.empty()) found.push_back(std::move(text));
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
    if (has_xdp_program(message.body)) found.emplace_back("an XDP program");
  }
  return {};
}

// Without privileges or before Linux 6.6, the kernel refuses the query: such a kernel has no TCX.
void add_tcx(int index, std::vector<std::string>& found) {
  constexpr std::uint32_t kIngress = 46, kEgress = 47;  // BPF_TCX_INGRESS and BPF_TCX_EGRESS
  for (const auto direction : {kIngress, kEgress}) {
    bpf_attr attributes{};
    attributes.query.target_fd = static_cast<std::uint32_t>(index);
    attributes.query.attach_type = direction;
    const auto result = syscall(SYS_bpf, BPF_PROG_QUERY, &attributes, sizeof(attributes.query));
    if (result == 0 && attributes.query.prog_cnt > 0) {
      found.push_back(
          fmt::format("a TCX program ({})", direction == kIngress ? "ingress" : "egress"));
    }
  }
}

Result<> add_hooks(const std::string& name, std::vector<std::string>& found) {
  // The request would load nf_tables, unless the kernel has no modules.
  std::error_code ignored;
  const auto exists = [&](const char* path) { return std::filesystem::exists(path, ignored); };
  if (!exists("/sys/module/nf_tables") && exists("/proc/modules")) return {};
  nfgenmsg head{};
  const auto messages =
      send_netlink_request(NETLINK_NETFILTER,
                           encode_request(NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETCHAIN,
                                          NLM_F_REQUEST | NLM_F_DUMP,
                                          bytes_of(head)));
  if (!messages) return because(messages.error(), "cannot list the hooks of nftables");
  for (const auto& message : *messages) {
    auto text = nftables_hook_in(message.body, name);
    if (!text.empty()) found.push_back(std::move(text));
  }
  return {};
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

// The kernel itself gives its default disciplines the handle 0.
std::string queueing_discipline_in(std::string_view body, int index) {
  const auto head = leading<tcmsg>(body);
  if (!head || head->tcm_ifindex != index || head->tcm_handle == 0) return {};
  auto rest = after(body, sizeof(tcmsg));
  while (const auto attribute = next_attribute(rest)) {
    if (attribute->type == TCA_KIND) {
      return fmt::format("the queueing discipline '{}'", printable(attribute->text()));
    }
  }
  return {};
}

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

Result<std::vector<std::string>> find_attachments(int index, const std::string& name) {
  std::vector<std::string> found;
  auto done = add_queueing_disciplines(index, found);
  if (done) done = add_xdp(index, found);
  if (done) done = add_hooks(name, found);
  if (!done) return tl::unexpected<Error>(done.error());
  add_tcx(index, found);
  return found;
}

}  // namespace manactl::os
