// SPDX-License-Identifier: MIT

#include "diag/ticket_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "host/numa.h"
#include "host/testpmd.h"

namespace manactl::diag {
namespace {

using host::Ticket;

bool always(const Ticket& /*ticket*/) {
  return true;
}

// A function that is listed proves that there is one. That there is none is certain only if all
// functions of a VM of Hyper-V are listed, and a fault only if no other NIC replaces it.
bool knows_mana(const Ticket& ticket) {
  return host::has_mana_function(ticket.facts.functions) ||
         (ticket.knows_all_functions && ticket.is_hyperv && !ticket.has_other_nic);
}

bool knows_drivers(const Ticket& ticket) {
  return ticket.knows_drivers;
}

bool knows_ports(const Ticket& ticket) {
  return ticket.knows_ports;
}

bool knows_rdma_devices(const Ticket& ticket) {
  return ticket.knows_rdma_devices;
}

// Without every interface, that of net_tap may be missing.
bool knows_interfaces(const Ticket& ticket) {
  return ticket.knows_all_links;
}

// The fixes that a kernel with large pages needs depend on its page size.
bool is_x86(const Ticket& ticket) {
  return ticket.facts.kernel && ticket.facts.kernel->machine == "x86_64";
}

// Pages that are all in use may belong to the program of the ticket.
bool has_decisive_pools(const Ticket& ticket) {
  const auto& memory = ticket.facts.memory;
  return memory.pools && (host::has_free_pages(memory) || !host::has_reserved_pages(memory));
}

// Other programs than those of MANA use hugepages too.
bool has_mana(const Ticket& ticket) {
  return ticket.has_mana;
}

// The checks that facts of a ticket can decide, what each needs, and the line that shows its
// finding. The others examine this process, files, or what a NIC carries.
struct TicketCheck {
  std::string_view id;
  bool (*is_allowed)(const Ticket&);
  std::string_view shown_by;  // see Ticket::shown_by

  // On a VM, a warning is about something that may be intended. A ticket shows it for a reason.
  bool fails_if_warning = false;
};

constexpr std::array kTicketChecks = {
    TicketCheck{"hardware.mana", knows_mana, "functions"},
    TicketCheck{"hardware.driver", knows_drivers, "drivers"},
    TicketCheck{"hardware.ports", knows_ports, "functions"},
    TicketCheck{"hardware.coexistence", always, "module mlx5_core"},
    TicketCheck{"interfaces.pairing", always, "nics"},
    TicketCheck{"interfaces.links", always, "links"},
    TicketCheck{"interfaces.path", always, "nics"},
    TicketCheck{"kernel.version", always, "kernel"},
    TicketCheck{"kernel.mana", always, "module mana"},
    TicketCheck{"kernel.mana-ib", always, "module mana_ib"},
    TicketCheck{"kernel.ib-uverbs", always, "module ib_uverbs"},
    TicketCheck{"kernel.hv-netvsc", always, "module hv_netvsc"},
    TicketCheck{"kernel.uio-hv-generic", always, "module uio_hv_generic"},
    TicketCheck{"rdma.devices", knows_rdma_devices, "rdma"},
    TicketCheck{"rdma.core", always, "rdma-core"},
    TicketCheck{"rdma.driver-id", always, "module ib_uverbs"},
    TicketCheck{"rdma.provider", always, "providers"},
    TicketCheck{"dpdk.installed", always, "dpdk"},
    TicketCheck{"dpdk.fixes", is_x86, "dpdk"},
    TicketCheck{"dpdk.fail-safe", knows_interfaces, "interfaces"},
    TicketCheck{"memory.hugepages", has_decisive_pools, "pools"},
    TicketCheck{"memory.mounts", has_mana, "mounts", true},
};

std::optional<Quote> quote_of(const Ticket& ticket, std::string_view fact, const std::string& log) {
  const auto found = ticket.shown_by.find(fact);
  if (found == ticket.shown_by.end()) return std::nullopt;
  return Quote{log, found->second.number, printable(found->second.text)};
}

// Whether a program has sent or received packets over MANA.
bool has_working_program(const std::vector<Run>& runs) {
  return std::ranges::any_of(runs, [](const Run& run) {
    return run.kind == RunKind::program && run.worked && !is_on_synthetic_path(run);
  });
}

bool has_working_kernel(const std::vector<Run>& runs) {
  return std::ranges::any_of(runs, [](const Run& run) {
    return run.kind == RunKind::boot && run.worked && !run.worked->signature->is_total;
  });
}

// True if other lines of the log show that this failure cannot be true.
bool is_contradicted(const CheckOutcome& outcome, const std::vector<Run>& runs) {
  if (outcome.finding.status != Status::fail) return false;
  const auto group = outcome.check.group();
  if (has_working_program(runs)) return true;
  return has_working_kernel(runs) && (group == "hardware" || outcome.check.id == "kernel.mana");
}

}  // namespace

TicketReport check_ticket(const Ticket& ticket,
                          const std::vector<Run>& runs,
                          const std::string& dpdk_release,
                          const std::string& log) {
  TicketReport report;
  report.outputs = ticket.outputs;
  report.unused = ticket.unused;
  report.has_synthetic_link = ticket.has_synthetic_link;
  report.has_several_machines = ticket.has_several_machines;
  if (ticket.outputs.empty()) return report;
  CheckOptions options;
  options.testpmd_bytes =
      host::size_of_testpmd(ticket.facts, host::common_node(ticket.facts)).hugepage_bytes;
  for (const auto& row : kTicketChecks) {
    const Check* const check = find_check(row.id);
    if (check == nullptr || !row.is_allowed(ticket)) continue;
    // The program of the log has another DPDK.
    const auto is_other = [&](const auto& dpdk) { return dpdk.version != dpdk_release; };
    const bool is_of_other_dpdk = check->group() == "dpdk" && !dpdk_release.empty() &&
                                  ticket.facts.dpdk &&
                                  std::ranges::any_of(*ticket.facts.dpdk, is_other);
    if (is_of_other_dpdk) continue;
    auto outcome = run_all({check, 1}, ticket.facts, options).outcomes.front();
    auto& status = outcome.finding.status;
    if (row.fails_if_warning && status == Status::warn) status = Status::fail;
    if (status == Status::unknown || status == Status::skipped) continue;
    outcome.quote = quote_of(ticket, row.shown_by, log);
    if (is_contradicted(outcome, runs)) {
      report.unused.push_back(fmt::format("the result of {} ({}): the log shows that MANA works",
                                          outcome.check.id,
                                          outcome.finding.detail));
      continue;
    }
    report.checks.outcomes.push_back(std::move(outcome));
  }
  if (!report.checks.outcomes.empty()) report.observations = observations_of(ticket.facts);
  if (!ticket.knows_free_pages) {
    std::erase_if(report.observations, [](const Observation& one) {
      return one.id == "all-hugepages-used" || one.id == "no-free-hugepages";
    });
  }
  return report;
}

}  // namespace manactl::diag
