// SPDX-License-Identifier: MIT

#include "setup/plan.h"

#include <algorithm>

#include "base/text.h"
#include "setup/guard.h"
#include "setup/steps.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

std::string shown(const std::string& name) {
  return printable(name, 60);
}

const Entry* entry_of(const std::vector<Entry>& open, const std::string& interface) {
  const auto found = std::find_if(open.begin(), open.end(), [&](const Entry& entry) {
    return !interface.empty() && (entry.interface == interface || entry.id == interface ||
                                  value_of(entry.nic, "vf") == interface);
  });
  return found == open.end() ? nullptr : &*found;
}

// A NIC of which the interface is gone has a name in the journal alone.
Result<const host::Nic*> find_nic(const host::Facts& facts,
                                  const std::string& name,
                                  const std::vector<Entry>& open) {
  if (!facts.nics) return because(facts.nics.error(), "cannot list the NICs");
  if (const auto* nic = facts.find_nic(name)) return nic;
  if (const auto* entry = entry_of(open, name)) {
    if (const auto* nic = facts.find_nic(value_of(entry->nic, "uuid"))) return nic;
  }
  const auto& names = facts.interfaces;
  if (std::find(names.begin(), names.end(), name) != names.end()) {
    return fail(Errc::not_found, fmt::format("interface '{}' is not an Azure NIC", shown(name)));
  }
  const auto like = nearest(name, names);
  return fail(Errc::not_found,
              fmt::format("no interface '{}' here{}",
                          shown(name),
                          like.empty() ? "" : fmt::format("; did you mean '{}'?", shown(like))));
}

Result<> refuse_unfinished(const std::vector<Entry>& open, const std::string& boot) {
  for (const auto& entry : open) {
    const bool unfinished = !entry.unreadable.empty() || entry.damaged || !entry.ready;
    if (!unfinished || (entry.unreadable.empty() && entry.boot_id != boot)) continue;
    const auto& name = entry.interface.empty() ? entry.id : entry.interface;
    return fail(Errc::busy,
                fmt::format("an earlier run did not finish with '{}': run 'manactl restore {}' "
                            "first",
                            shown(name),
                            shown(name)));
  }
  return {};
}

Result<> refuse_kind(const host::Nic& nic, const Request& request, const std::string& name) {
  const auto& vf = nic.vf;
  if (nic.synthetic && vf && vf->name == name) {
    return fail(Errc::invalid,
                fmt::format("'{}' is the VF of '{}': give the synthetic interface, 'manactl "
                            "prepare {}'",
                            shown(name),
                            shown(nic.synthetic->name),
                            shown(nic.synthetic->name)));
  }
  if (!vf) {
    return fail(Errc::unsupported,
                fmt::format("'{}' has no VF: accelerated networking is off for this NIC, or "
                            "the VF was taken away for maintenance",
                            shown(name)));
  }
  if (vf->driver != "mana") {
    return fail(Errc::unsupported,
                fmt::format("'{}' has the VF {} of driver {}: its DPDK driver shares the NIC with "
                            "the kernel and wants the VF up; there is nothing to prepare",
                            shown(name),
                            shown(vf->name),
                            shown(vf->driver)));
  }
  if (!vf->pci) {
    return fail(Errc::unsupported, fmt::format("the PCI address of '{}' is not known", vf->name));
  }
  if (nic.is_direct() && !request.vf_only) {
    return fail(
        Errc::unsupported,
        fmt::format("'{}' is MANA without a synthetic interface: use --vf-only", shown(name)));
  }
  if (!nic.is_direct() && (!nic.synthetic || !nic.vmbus)) {
    return fail(Errc::unsupported,
                fmt::format("channel {} has no driver and so no interface: run 'manactl restore "
                            "{}' first",
                            nic.name(),
                            nic.name()));
  }
  return {};
}

Result<> ask_guard(const host::Nic& nic,
                   const Request& request,
                   const host::Facts& facts,
                   const os::System& system) {
  const auto found = objections(nic, facts, system);
  if (!found) return tl::unexpected<Error>(found.error());
  const std::string name = nic.name();
  if (found->empty() || request.force_interface == name) return {};
  return fail(Errc::denied,
              fmt::format("'{}' is not touched: {}; if you are sure, add '--force-interface {}'",
                          shown(name),
                          join(*found, ", "),
                          shown(name)));
}

Result<std::string> pool_of(const HugepageRequest& request,
                            std::uint64_t kib,
                            int nic_node,
                            const os::Files& files) {
  const std::string nodes = "sys/devices/system/node";
  const std::string size = fmt::format("hugepages-{}kB", kib);
  std::string pool = "sys/kernel/mm/hugepages/" + size;
  if (exists(files, nodes) || request.node) {
    const unsigned node =
        request.node.value_or(nic_node < 0 ? 0U : static_cast<unsigned>(nic_node));
    pool = fmt::format("{}/node{}/hugepages/{}", nodes, node, size);
  }
  if (exists(files, pool)) return pool;
  return fail(
      Errc::unsupported,
      fmt::format(
          "this machine has no hugepages of {} there: no /{}", human_bytes(kib * 1024), pool));
}

Result<std::unique_ptr<Step>> hugepage_step(const HugepageRequest& request,
                                            const host::Facts& facts,
                                            int nic_node,
                                            const os::Files& files,
                                            const std::vector<Entry>& open) {
  constexpr std::uint64_t kUsualKib = 2048;
  constexpr std::uint64_t kMostPages = 1U << 30;
  std::uint64_t kib = request.page_kib;
  if (kib == 0) kib = facts.memory.default_page_kib;
  if (kib == 0) kib = kUsualKib;
  const auto pool = pool_of(request, kib, nic_node, files);
  if (!pool) return tl::unexpected<Error>(pool.error());
  const std::uint64_t page = kib * 1024;
  const std::uint64_t pages =
      request.pages != 0 ? request.pages : request.bytes / page + (request.bytes % page != 0);
  if (pages > kMostPages) return fail(Errc::invalid, "more hugepages than any machine has");
  std::uint64_t others = 0;
  for (const auto& entry : open) {
    for (const auto& step : entry.steps) {
      if (step.kind != "hugepages" || value_of(step.parameters, "pool") != *pool) continue;
      others += parse_unsigned(value_of(step.after, "granted")).value_or(0);
    }
  }
  return reserve_hugepages(*pool, pages, others);
}

int node_of(const host::Nic* nic, const host::Facts& facts) {
  if (nic == nullptr || !nic->vf || !nic->vf->pci || !facts.functions) return -1;
  for (const auto& function : *facts.functions) {
    if (function.address == *nic->vf->pci) return function.numa_node;
  }
  return -1;
}

// driver_override where this kernel has it: it is about one channel, new_id about all.
Result<bool> uses_override(const Request& request,
                           const std::string& id,
                           const host::Facts& facts,
                           const os::Files& files) {
  const bool has = exists(files, device_path(id) + "/driver_override");
  if (request.method == Method::driver_override && !has) {
    return fail(Errc::unsupported, "this kernel has no driver_override for VMBus channels");
  }
  if (has && request.method != Method::new_id) return true;
  for (const auto& nic : *facts.nics) {
    if (!nic.vmbus || nic.vmbus->str() == id || !nic.vmbus_driver.empty()) continue;
    return fail(Errc::unsupported,
                fmt::format("channel {} has no driver, and new_id would bind it to {}, too: bind "
                            "it first",
                            nic.vmbus->str(),
                            kUio));
  }
  return false;
}

bool has_new_id(const std::vector<Entry>& open) {
  for (const auto& entry : open) {
    for (const auto& step : entry.steps) {
      if (step.kind == "new-id" && value_of(step.after, "id") == "added") return true;
    }
  }
  return false;
}

void add_bindings(Plan& plan, const host::Nic& nic, bool by_override, bool shared) {
  const std::string id = nic.vmbus->str();
  const std::string vf = nic.vf->master ? nic.vf->name : "";
  if (!by_override) plan.steps.push_back(announce_class(shared));
  plan.steps.push_back(release_channel(id, nic.synthetic->name, vf));
  if (by_override) plan.steps.push_back(override_driver(id));
  plan.steps.push_back(bind_channel(id));
  plan.steps.push_back(wait_for_uio(id));
  plan.steps.push_back(keep_down(nic.vf->name));
}

// What is there, as far as a plan looks at it.
struct Seen {
  const host::Facts& facts;
  const os::System& system;
  const std::vector<Entry>& open;
};

Result<> add_nic_steps(Plan& plan, const host::Nic& nic, const Request& request, const Seen& seen) {
  const auto& [facts, system, open] = seen;
  std::vector<std::string> interfaces;
  // MANA wants both down, the synthetic one first: it takes the VF down itself and would raise it
  // again. mlx5, which wants its VF up, is refused.
  if (nic.synthetic) interfaces.push_back(nic.synthetic->name);
  interfaces.push_back(nic.vf->name);
  for (const auto& interface : interfaces) plan.steps.push_back(keep_surroundings(interface));
  if (!request.vf_only) plan.steps.push_back(load_module(kUio));
  plan.steps.push_back(load_module("mana_ib"));
  if (request.hugepages) {
    auto step = hugepage_step(*request.hugepages, facts, node_of(&nic, facts), system.files, open);
    if (!step) return tl::unexpected<Error>(step.error());
    plan.steps.push_back(std::move(*step));
  }
  for (const auto& interface : interfaces) {
    if (request.mtu) plan.steps.push_back(set_mtu(interface, *request.mtu));
  }
  for (const auto& interface : interfaces) plan.steps.push_back(take_down(interface));
  if (request.vf_only) {
    plan.steps.push_back(keep_down(nic.vf->name));
    return {};
  }
  const auto by_override = uses_override(request, nic.vmbus->str(), facts, system.files);
  if (!by_override) return tl::unexpected<Error>(by_override.error());
  add_bindings(plan, nic, *by_override, has_new_id(open));
  return {};
}

bool takes_channel(const Entry& entry) {
  return std::any_of(entry.steps.begin(), entry.steps.end(), [](const StepRecord& step) {
    return step.kind == "bind";
  });
}

Result<> note_state(Plan& plan, const os::System& system) {
  for (const auto& step : plan.steps) {
    auto before = step->observe(system);
    if (!before) return because(before.error(), step->title());
    StepRecord record{std::string(step->kind()), step->parameters(), step->title(), {}, {}, {}};
    record.by_hand = step->by_hand(*before);
    record.before = std::move(*before);
    plan.entry.steps.push_back(std::move(record));
  }
  return {};
}

Result<Plan> plan_hugepages(const Request& request,
                            const host::Facts& facts,
                            const os::System& system,
                            const std::vector<Entry>& open) {
  if (!request.hugepages) {
    return fail(Errc::invalid, "name an interface, or ask for --hugepages alone");
  }
  Plan plan;
  unsigned number = 1;
  const auto is_taken = [&](const std::string& id) { return entry_of(open, id) != nullptr; };
  while (is_taken(fmt::format("hugepages-{}", number))) ++number;
  plan.entry.id = fmt::format("hugepages-{}", number);
  auto step = hugepage_step(*request.hugepages, facts, -1, system.files, open);
  if (!step) return tl::unexpected<Error>(step.error());
  plan.steps.push_back(std::move(*step));
  return plan;
}

Result<Plan> plan_nic(const Request& request,
                      const host::Facts& facts,
                      const os::System& system,
                      const std::vector<Entry>& open) {
  const std::string& name = request.interface->str();
  if (printable(name) != name) {
    return fail(Errc::invalid, fmt::format("the name '{}' cannot be written down", shown(name)));
  }
  const auto found = find_nic(facts, name, open);
  if (!found) return tl::unexpected<Error>(found.error());
  const host::Nic& nic = **found;
  Plan plan;
  plan.entry.nic = identity_of(nic);
  const auto* entry = entry_of(open, name);
  if (entry != nullptr && takes_channel(*entry) && !nic.is_prepared()) {
    return fail(Errc::busy,
                fmt::format("'{}' was prepared and something else took it back: run 'manactl "
                            "restore {}' first",
                            shown(name),
                            shown(name)));
  }
  if (nic.is_prepared() || entry != nullptr) {
    plan.prepared = true;
    plan.entry.interface = nic.name();
    if (entry != nullptr) plan.entry = *entry;
    return plan;
  }
  auto allowed = refuse_kind(nic, request, name);
  if (allowed) allowed = ask_guard(nic, request, facts, system);
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  plan.entry.interface = nic.name();
  plan.entry.id = nic.vmbus ? nic.vmbus->str() : "vf-" + nic.vf->mac.str();
  const auto added = add_nic_steps(plan, nic, request, {facts, system, open});
  if (!added) return tl::unexpected<Error>(added.error());
  return plan;
}

}  // namespace

Values identity_of(const host::Nic& nic) {
  Values values;
  if (nic.synthetic) values["interface"] = nic.synthetic->name;
  if (nic.vmbus) values["uuid"] = nic.vmbus->str();
  if (!nic.vf) return values;
  values["vf"] = nic.vf->name;
  values["mac"] = nic.vf->mac.str();
  values["driver"] = nic.vf->driver;
  if (nic.vf->pci) values["pci"] = nic.vf->pci->str();
  return values;
}

Result<std::string> boot_id(const os::Files& files) {
  auto text = files.read("proc/sys/kernel/random/boot_id");
  if (!text) return text;
  return std::string(trim(*text));
}

Result<Plan> make_plan(const Request& request,
                       const host::Facts& facts,
                       const os::System& system,
                       const std::vector<Entry>& open) {
  // A captured tree may have none, and nothing is journaled for it.
  const std::string boot = boot_id(system.files).value_or("");
  const auto free = refuse_unfinished(open, boot);
  if (!free) return tl::unexpected<Error>(free.error());
  auto plan = request.interface ? plan_nic(request, facts, system, open)
                                : plan_hugepages(request, facts, system, open);
  if (!plan || plan->prepared) return plan;
  plan->entry.boot_id = boot;
  const auto noted = note_state(*plan, system);
  if (!noted) return tl::unexpected<Error>(noted.error());
  return plan;
}

}  // namespace manactl::setup
