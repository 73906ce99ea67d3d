// SPDX-License-Identifier: MIT

#include "host/ticket_text.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::host {
namespace {

bool is_candidate(const std::string& line) {
  static const auto literals = ticket_literals();
  return std::ranges::any_of(
      literals, [&line](const auto& literal) { return line.find(literal) != line.npos; });
}

const char* word_of_presence(Presence presence) {
  switch (presence) {
    case Presence::loaded:
      return "loaded";
    case Presence::builtin:
      return "built in";
    case Presence::available:
      return "available";
    case Presence::blacklisted:
      return "blacklisted";
    case Presence::missing:
      return "missing";
  }
  return "";
}

void add_functions(const Ticket& ticket, std::vector<std::string>& lines) {
  if (!ticket.facts.functions) return;
  if (ticket.facts.functions->empty()) lines.emplace_back("no functions");
  for (const auto& function : *ticket.facts.functions) {
    auto line = fmt::format(
        "function {} {:04x}:{:04x}", function.address.str(), function.vendor, function.device);
    if (ticket.knows_drivers) line += fmt::format(" driver '{}'", function.driver);
    if (!function.netdevs.empty()) line += " " + join(function.netdevs, ",");
    if (!function.rdma_devices.empty()) line += " " + join(function.rdma_devices, ",");
    lines.push_back(std::move(line));
  }
}

void add_nics(const Ticket& ticket, std::vector<std::string>& lines) {
  if (!ticket.facts.nics) return;
  for (const auto& nic : *ticket.facts.nics) {
    auto line = fmt::format("nic {} {}", nic.name(), nic.synthetic->up ? "up" : "down");
    if (nic.vf) {
      line += fmt::format(" vf {} '{}' {} by {}",
                          nic.vf->name,
                          nic.vf->driver,
                          nic.vf->up ? "up" : "down",
                          nic.paired_by);
    }
    lines.push_back(std::move(line));
  }
}

void add_rdma(const Ticket& ticket, std::vector<std::string>& lines) {
  const auto& rdma = ticket.facts.rdma;
  if (rdma.devices && rdma.devices->empty()) lines.emplace_back("no rdma devices");
  for (const auto& device : rdma.devices.value_or(std::vector<RdmaDevice>{})) {
    lines.push_back("rdma " + device.name);
  }
  if (rdma.providers) lines.push_back(fmt::format("{} usable", rdma.providers->size()));
  if (rdma.rdma_core && *rdma.rdma_core) lines.push_back("rdma-core " + (*rdma.rdma_core)->str());
}

void add_memory(const Ticket& ticket, std::vector<std::string>& lines) {
  const auto& pools = ticket.facts.memory.pools;
  if (pools && pools->empty()) lines.emplace_back("no hugepages");
  for (const auto& pool : pools.value_or(std::vector<HugepagePool>{})) {
    lines.push_back(fmt::format(
        "hugepages {}: {} of {} of {}", pool.node, pool.free, pool.total, pool.page_kib));
  }
}

}  // namespace

Ticket read_ticket(const std::string& text) {
  TicketReader reader;
  std::uint64_t number = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end + 1 - at);
    ++number;
    if (reader.is_reading() || is_candidate(line)) {
      reader.add(line, number, std::string_view(text).substr(0, at));
    }
    at = end + 1;
  }
  return reader.finish();
}

std::string ticket_facts(const Ticket& ticket) {
  const auto& facts = ticket.facts;
  std::vector<std::string> lines;
  if (facts.kernel) {
    const auto& kernel = *facts.kernel;
    const auto text = fmt::format("kernel {} {} {} {}",
                                  kernel.release,
                                  kernel.machine,
                                  kernel.distribution,
                                  kernel.distribution_release);
    lines.emplace_back(trim(text));
  }
  add_functions(ticket, lines);
  for (const auto& module : facts.modules) {
    if (!module.presence) continue;
    lines.push_back(fmt::format("module {} {}", module.name, word_of_presence(*module.presence)));
  }
  add_nics(ticket, lines);
  add_rdma(ticket, lines);
  for (const auto& dpdk : facts.dpdk.value_or(std::vector<SystemDpdk>{})) {
    lines.push_back("dpdk " + dpdk.version);
  }
  add_memory(ticket, lines);
  return join(lines, "\n");
}

std::string marked(const std::string& text, const std::string& mark) {
  std::string result;
  for (const auto line : split(text, '\n')) {
    if (!line.empty()) result.append(mark).append(line).append("\n");
  }
  return result;
}

}  // namespace manactl::host
