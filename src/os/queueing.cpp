// SPDX-License-Identifier: MIT

#include "os/queueing.h"

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/text.h"
#include "os/attributes.h"
#include "os/netlink.h"

namespace manactl::os {
namespace {

// Disciplines without classes. The kernel reports their options in the form in which it takes them.
constexpr std::string_view kSimpleKinds[] = {
    "bfifo", "cake", "codel", "fq", "fq_codel", "fq_pie", "noqueue", "pfifo", "pie", "sfq"};

}  // namespace

std::optional<QueueingDiscipline> decode_queueing_discipline(std::string_view body, int index) {
  const auto head = leading<tcmsg>(body);
  if (!head || head->tcm_ifindex != index || head->tcm_handle == 0) return std::nullopt;
  QueueingDiscipline discipline{{}, head->tcm_handle, head->tcm_parent};
  auto rest = after(body, sizeof(tcmsg));
  while (const auto attribute = next_attribute(rest)) {
    if (attribute->type == TCA_KIND) discipline.kind = attribute->text();
    if (attribute->type == TCA_OPTIONS) discipline.options = attribute->data;
  }
  return discipline;
}

Result<std::vector<QueueingDiscipline>> read_queueing_disciplines(int index) {
  tcmsg head{};
  head.tcm_ifindex = index;
  const auto messages = send_netlink_request(
      NETLINK_ROUTE, encode_request(RTM_GETQDISC, NLM_F_REQUEST | NLM_F_DUMP, bytes_of(head)));
  std::vector<QueueingDiscipline> found;
  if (!messages && messages.error().sys == EOPNOTSUPP) return found;
  if (!messages) return because(messages.error(), "cannot list the queueing disciplines");
  for (const auto& message : *messages) {
    auto discipline = decode_queueing_discipline(message.body, index);
    if (discipline) found.push_back(std::move(*discipline));
  }
  return found;
}

const QueueingDiscipline* root_setting(const std::vector<QueueingDiscipline>& disciplines) {
  if (disciplines.size() != 1 || disciplines[0].parent != TC_H_ROOT) return nullptr;
  const bool is_simple =
      std::ranges::find(kSimpleKinds, disciplines[0].kind) != std::end(kSimpleKinds);
  return is_simple ? &disciplines[0] : nullptr;
}

Result<> read_queueing_setting(int index, InterfaceSettings& target) {
  const auto disciplines = read_queueing_disciplines(index);
  if (!disciplines) return tl::unexpected<Error>(disciplines.error());
  if (const auto* root = root_setting(*disciplines)) {
    target.emplace_back(kQueueingSetting,
                        fmt::format("{} {:x} {}",
                                    root->kind,
                                    root->handle,
                                    root->options.empty() ? "-" : to_hex(root->options)));
  }
  return {};
}

namespace {

// Deletes the root discipline. The kernel then attaches its own, and reports ENOENT if it has.
Result<> attach_default(int index) {
  tcmsg head{};
  head.tcm_ifindex = index;
  head.tcm_parent = TC_H_ROOT;
  const auto deleted = send_route_change(
      RTM_DELQDISC, std::string(bytes_of(head)), "cannot delete the queueing discipline");
  return !deleted && deleted.error().sys == ENOENT ? Result<>() : deleted;
}

}  // namespace

Result<> write_queueing_setting(int index, const std::string& value) {
  if (value == kDefaultQueueing) return attach_default(index);
  const auto parts = words(value);
  const auto handle = parts.size() == 3 ? parse_hex(parts[1], UINT32_MAX) : 0;
  const auto options = parts.size() == 3 && parts[2] != "-" ? from_hex(parts[2]) : std::string();
  const bool is_known =
      parts.size() == 3 && std::ranges::find(kSimpleKinds, parts[0]) != std::end(kSimpleKinds);
  if (!is_known || !handle || !options) {
    return fail(Errc::invalid, fmt::format("'{}' is not a queueing discipline", printable(value)));
  }
  tcmsg head{};
  head.tcm_ifindex = index;
  head.tcm_parent = TC_H_ROOT;
  head.tcm_handle = static_cast<std::uint32_t>(*handle);
  std::string body(bytes_of(head));
  append_attribute(body, TCA_KIND, std::string(parts[0]) + '\0');
  if (!options->empty()) append_attribute(body, TCA_OPTIONS, *options);
  return send_route_change(RTM_NEWQDISC,
                           body,
                           fmt::format("cannot attach the queueing discipline '{}'", parts[0]),
                           NLM_F_CREATE | NLM_F_REPLACE);
}

}  // namespace manactl::os
