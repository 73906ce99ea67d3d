// SPDX-License-Identifier: MIT

#include "setup/plan.h"

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "host/nic_state.h"
#include "host/numa.h"
#include "setup/guard.h"
#include "setup/steps.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

std::string shown(const std::string& name) {
  return printable(name);
}

// Also looks up `name` in the journal, because the synthetic interface may have been removed.
Result<const host::Nic*> find_nic(const host::Facts& facts,
                                  const std::string& name,
                                  const std::vector<Entry>& entries) {
  if (const auto* nic = facts.find_nic(name)) return nic;
  if (const auto* entry = find_entry(entries, [&](const Entry& it) { return it.matches(name); })) {
    if (const auto* nic = facts.find_nic(entry->nic.channel_id())) return nic;
  }
  return facts.azure_nic(name);
}

// How the present state of a prepared NIC differs from the request; empty if it does not.
std::string unfulfilled_part(const host::Nic& nic,
                             const Request& request,
                             const Entry* entry,
                             const host::Facts& facts) {
  for (const auto& interface : {nic.synthetic, nic.vf}) {
    if (interface && interface->up) return fmt::format("{} is up again", shown(interface->name));
  }
  if (request.vf_only == nic.is_prepared()) {
    return request.vf_only ? "it is bound to uio_hv_generic" : "it was prepared with --vf-only";
  }
  if (request.mtu && nic.vf && nic.vf->mtu != *request.mtu) {
    return fmt::format("its MTU is {}", nic.vf->mtu);
  }
  const bool has_own_pages = request.hugepages && !request.hugepages->is_default;
  const auto has_pages = [&](const StepRecord& it) {
    return fulfills(it, *request.hugepages, facts);
  };
  if (has_own_pages && (entry == nullptr || std::ranges::none_of(entry->steps, has_pages))) {
    return "these hugepages were not reserved with it";
  }
  return {};
}

Result<> refuse_unfulfilled(const host::Nic& nic,
                            const Request& request,
                            const Entry* entry,
                            const host::Facts& facts) {
  const auto name = shown(nic.name());
  if (entry != nullptr && !entry->confirmed) {
    return fail(Errc::busy,
                fmt::format("'{}' is prepared but not confirmed: run 'manactl confirm {}', or "
                            "'manactl restore {}' first",
                            name,
                            name,
                            name));
  }
  const auto part = unfulfilled_part(nic, request, entry, facts);
  if (part.empty()) return {};
  return fail(
      Errc::busy,
      fmt::format("'{}' is already prepared, but not as requested: {}; run 'manactl restore "
                  "{}' first",
                  name,
                  part,
                  name));
}

// A prepared NIC gets no more hugepages. Empty if the program of --for has enough.
std::string warn_of_shortage(const host::Nic& nic,
                             const Request& request,
                             const host::Facts& facts) {
  if (!request.hugepages) return {};
  const auto shortage = shortage_of(*request.hugepages, facts, host::numa_node_of(facts, nic));
  if (shortage.empty()) return {};
  const auto name = shown(request.interface->str());
  return fmt::format(
      "'{}' was already prepared, and no hugepages were added, but {}: run 'manactl "
      "restore {}', and then this command again",
      name,
      shortage,
      name);
}

Result<> refuse_unsuitable(const host::Nic& nic, const Request& request, const std::string& name) {
  const auto& vf = nic.vf;
  if (nic.synthetic && vf && vf->name == name) {
    return fail(
        Errc::invalid,
        fmt::format("'{}' is the VF of '{}': name the synthetic interface, 'manactl prepare "
                    "{}'",
                    shown(name),
                    shown(nic.synthetic->name),
                    shown(nic.synthetic->name)));
  }
  if (!vf) {
    return fail(
        Errc::unsupported,
        fmt::format("'{}' has no VF: accelerated networking is off for this NIC, the VF was "
                    "removed for maintenance, or no driver is bound to it; run 'manactl "
                    "doctor' to find the reason",
                    shown(name)));
  }
  if (vf->driver != "mana") {
    return fail(
        Errc::unsupported,
        fmt::format("'{}' needs no preparation: DPDK shares its VF {} (driver {}) with the kernel, "
                    "and the VF must stay up",
                    shown(name),
                    shown(vf->name),
                    shown(vf->driver)));
  }
  if (!vf->pci) {
    return fail(Errc::unsupported, fmt::format("the PCI address of '{}' is unknown", vf->name));
  }
  if (nic.is_direct() && !request.vf_only) {
    return fail(
        Errc::unsupported,
        fmt::format("'{}' is MANA without a synthetic interface: use --vf-only", shown(name)));
  }
  // With --vf-only, DPDK does not need the synthetic interface.
  const bool needs_pair = nic.synthetic && nic.vmbus && !request.vf_only;
  if (needs_pair && !host::is_paired(nic)) {
    return fail(Errc::unsupported,
                fmt::format("'{}' and its VF {} are not paired, so DPDK would not find the VF: "
                            "run 'manactl doctor' to find the reason",
                            shown(name),
                            shown(vf->name)));
  }
  if (!nic.is_direct() && (!nic.synthetic || !nic.vmbus)) {
    return fail(Errc::unsupported,
                fmt::format("channel {} has no driver and therefore no interface: run 'manactl "
                            "restore {}' first",
                            nic.name(),
                            nic.name()));
  }
  return {};
}

// Returns what to do instead of changing a NIC that is in use.
std::string safe_alternative(const host::Facts& facts, const os::System& system) {
  for (const auto* other : host::free_nics(facts)) {
    const auto objections = find_objections(*other, facts, system, other->is_direct());
    if (!objections.empty()) continue;
    return fmt::format("'{}' uses a NIC that is free", shown(host::prepare_command(*other)));
  }
  return "use another NIC, or move its traffic to one first";
}

// Returns what the NIC carries although --force-interface allows the change.
Result<std::vector<std::string>> forced_objections(const host::Nic& nic,
                                                   const Request& request,
                                                   const host::Facts& facts,
                                                   const os::System& system) {
  const std::string name = nic.name();
  if (!request.force_interface.empty() && request.force_interface != name) {
    return fail(
        Errc::invalid,
        fmt::format(
            "--force-interface names '{}', not '{}'", shown(request.force_interface), shown(name)));
  }
  auto found = find_objections(nic, facts, system, request.vf_only);
  if (found.empty() || request.force_interface == name) return found;
  return fail(Errc::denied,
              fmt::format("refusing to change '{}': {}; {}",
                          shown(name),
                          join(found, ", "),
                          safe_alternative(facts, system)));
}

Result<> refuse_without_modules(const Request& request, const host::Facts& facts) {
  const auto obstacle = host::obstacle_in_modules(facts, request.vf_only);
  if (obstacle.empty()) return {};
  return fail(Errc::unsupported,
              shown(obstacle) + ": 'manactl check --only kernel -v' prints what to do");
}

// Prefers driver_override, which affects one channel; new_id affects all network channels.
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
    return fail(
        Errc::unsupported,
        fmt::format("channel {} has no driver, and new_id would also bind it to {}: bind it "
                    "to {} first",
                    nic.vmbus->str(),
                    kUio,
                    kNetvsc));
  }
  return false;
}

bool has_class_id(const std::vector<Entry>& entries) {
  return std::ranges::any_of(entries, [](const Entry& entry) {
    return std::ranges::any_of(entry.steps, has_added_class_id);
  });
}

void add_bindings(Plan& plan, const host::Nic& nic, bool by_override, bool shared) {
  const std::string id = nic.vmbus->str();
  if (!by_override) plan.steps.push_back(add_class_id(shared));
  plan.steps.push_back(unbind_channel(interface_of(*nic.synthetic), interface_of(*nic.vf)));
  if (by_override) plan.steps.push_back(override_driver(id));
  plan.steps.push_back(bind_channel(id));
  plan.steps.push_back(wait_for_uio(id));
  plan.steps.push_back(keep_down(interface_of(*nic.vf)));
}

// The engine on direct verbs needs --vf-only but no hugepages. DPDK uses a NIC with --vf-only only
// if it has no synthetic interface.
bool needs_hugepages(const Request& request, const host::Nic& nic) {
  if (!request.hugepages) return false;
  return !request.hugepages->is_default || !request.vf_only || nic.is_direct();
}

struct PlanInput {
  const host::Facts& facts;
  const os::System& system;
  const std::vector<Entry>& entries;
};

Result<> add_nic_steps(Plan& plan,
                       const host::Nic& nic,
                       const Request& request,
                       const PlanInput& input) {
  const auto& [facts, system, entries] = input;
  std::vector<NicInterface> interfaces;
  // net_mana needs both interfaces down. The synthetic one comes first: setting it down also sets
  // the VF down, and while it is up, it would set the VF up again.
  if (nic.synthetic) interfaces.push_back(interface_of(*nic.synthetic));
  interfaces.push_back(interface_of(*nic.vf));
  for (const auto& interface : interfaces) plan.steps.push_back(save_addresses(interface));
  for (const auto& module : host::modules_for_dpdk(request.vf_only)) {
    plan.steps.push_back(load_module(module));
  }
  if (needs_hugepages(request, nic)) {
    const int node = host::numa_node_of(facts, nic);
    auto pages = plan_hugepages(*request.hugepages, facts, node, system.files, entries, nic.name());
    if (!pages) return tl::unexpected<Error>(pages.error());
    if (pages->step) plan.steps.push_back(std::move(pages->step));
    std::ranges::move(pages->warnings, std::back_inserter(plan.warnings));
  }
  if (request.mtu) add_mtu_steps(plan.steps, nic, *request.mtu);
  for (const auto& interface : interfaces) plan.steps.push_back(set_down(interface));
  if (request.vf_only) {
    plan.steps.push_back(keep_down(interface_of(*nic.vf)));
    return {};
  }
  const auto by_override = uses_override(request, nic.vmbus->str(), facts, system.files);
  if (!by_override) return tl::unexpected<Error>(by_override.error());
  add_bindings(plan, nic, *by_override, has_class_id(entries));
  return {};
}

Result<Plan> plan_without_nic(const Request& request, const PlanInput& input) {
  const auto& [facts, system, entries] = input;
  if (!request.hugepages) {
    return fail(Errc::invalid, "neither an interface nor hugepages were requested");
  }
  Plan plan;
  unsigned number = 1;
  const auto is_taken = [&](const Entry& it) {
    return it.matches(fmt::format("hugepages-{}", number));
  };
  while (std::ranges::any_of(entries, is_taken)) ++number;
  plan.entry.id = fmt::format("hugepages-{}", number);
  auto pages = plan_hugepages(
      *request.hugepages, facts, 0, system.files, entries, plan.entry.persistent_name());
  if (!pages) return tl::unexpected<Error>(pages.error());
  plan.steps.push_back(std::move(pages->step));
  return plan;
}

Result<Plan> plan_nic(const Request& request, const PlanInput& input) {
  const auto& [facts, system, entries] = input;
  const std::string& name = request.interface->str();
  if (printable(name) != name) {
    return fail(Errc::invalid, fmt::format("the journal cannot store the name '{}'", shown(name)));
  }
  const auto found = find_nic(facts, name, entries);
  if (!found) return tl::unexpected<Error>(found.error());
  const host::Nic& nic = **found;
  Plan plan;
  plan.entry.nic = identity_of(nic);
  const auto* entry = prepared_entry(nic, entries);
  if (entry != nullptr && entry->has_step(StepKind::bind_channel) && !nic.is_prepared()) {
    return fail(Errc::busy,
                fmt::format("'{}' was prepared, but something else has rebound it: run 'manactl "
                            "restore {}' first",
                            shown(name),
                            shown(name)));
  }
  if (nic.is_prepared() || entry != nullptr) {
    const auto fulfilled = refuse_unfulfilled(nic, request, entry, input.facts);
    if (!fulfilled) return tl::unexpected<Error>(fulfilled.error());
    plan.already_prepared = true;
    plan.entry.interface = nic.name();
    if (entry != nullptr) plan.entry = *entry;
    auto warning = warn_of_shortage(nic, request, facts);
    if (!warning.empty()) plan.warnings.push_back(std::move(warning));
    return plan;
  }
  auto allowed = refuse_taken_name(nic, entries);
  if (allowed) allowed = refuse_unconfirmed_tuning(nic, entries);
  if (allowed) allowed = refuse_unsuitable(nic, request, name);
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  const auto forced = forced_objections(nic, request, facts, system);
  if (!forced) return tl::unexpected<Error>(forced.error());
  allowed = refuse_without_modules(request, facts);
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  plan.entry.interface = nic.name();
  plan.entry.id = entry_id_of(nic);
  const auto added = add_nic_steps(plan, nic, request, input);
  if (!added) return tl::unexpected<Error>(added.error());
  if (!forced->empty()) {
    plan.warnings.push_back(fmt::format(
        "--force-interface cuts what '{}' is used for: {}", shown(name), join(*forced, ", ")));
  }
  auto warning = request.vf_only ? std::string() : warn_of_bound_sockets(nic, system);
  if (!warning.empty()) plan.warnings.push_back(std::move(warning));
  return plan;
}

}  // namespace

void add_mtu_steps(Steps& steps, const host::Nic& nic, unsigned mtu) {
  // hv_netvsc sets the MTU of the VF, and then that of its own interface only as far as the host
  // allows. If it stays smaller, the rollback must know the former MTU of the VF.
  steps.push_back(set_mtu(interface_of(*nic.vf), mtu));
  if (nic.synthetic) steps.push_back(set_mtu(interface_of(*nic.synthetic), mtu));
}

Result<Plan> make_plan(const Request& request,
                       const host::Facts& facts,
                       const os::System& system,
                       const std::vector<Entry>& entries) {
  // Captured files may lack the boot id; a run on them writes no journal.
  const std::string boot = boot_id(system.files).value_or("");
  auto finished = request.interface ? require_initial_namespace(system.files) : Result<>();
  if (finished) finished = refuse_unfinished(entries, boot);
  if (!finished) return tl::unexpected<Error>(finished.error());
  const PlanInput input{facts, system, entries};
  auto plan = request.interface ? plan_nic(request, input) : plan_without_nic(request, input);
  if (!plan || plan->already_prepared) return plan;
  plan->entry.boot_id = boot;
  const auto recorded = record_state(*plan, system);
  if (!recorded) return tl::unexpected<Error>(recorded.error());
  return plan;
}

}  // namespace manactl::setup
