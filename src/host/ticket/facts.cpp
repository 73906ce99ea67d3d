// SPDX-License-Identifier: MIT

#include <algorithm>

#include "base/text.h"
#include "host/driver_modules.h"
#include "host/gather.h"
#include "host/testpmd.h"
#include "host/ticket/statements.h"
#include "host/versions.h"

namespace manactl::host {
namespace {

using Statements = TicketStatements;
using Statement = TicketStatements::Statement;

tl::unexpected<Error> not_in_log() {
  return fail(Errc::unsupported, "not in the log");
}

void show(const Statement& statement, const std::string& fact, Ticket& ticket) {
  ticket.shown_by.try_emplace(fact, statement.line);
}

void set_unknown(Facts& facts) {
  facts.kernel = not_in_log();
  facts.platform = not_in_log();
  facts.functions = not_in_log();
  facts.nics = not_in_log();
  facts.carries_complete = not_in_log();
  facts.rdma.devices = not_in_log();
  facts.rdma.nodes = not_in_log();
  facts.rdma.btf_mana = not_in_log();
  facts.rdma.providers = not_in_log();
  facts.rdma.rdma_core = not_in_log();
  facts.rdma.mana_provider = not_in_log();
  facts.rdma.libraries = not_in_log();
  facts.limits = not_in_log();
  facts.cpus = not_in_log();
  facts.dpdk = not_in_log();
  facts.memory.pools = not_in_log();
  facts.memory.mounts = not_in_log();
}

// ---- the kernel ---------------------------------------------------------------------------------

std::string machine_of(const Statements& statements, const std::string& release) {
  auto machine = statements.value("kernel machine");
  if (!machine.empty()) return machine;
  const auto ends = [&release](std::string_view end) { return release.ends_with(end); };
  if (ends(".aarch64") || ends("-arm64")) return "aarch64";
  return ends(".x86_64") || ends("-amd64") ? "x86_64" : "";
}

void add_kernel(const Statements& statements, Ticket& ticket) {
  const auto* const release = statements.find("kernel release");
  // Only distributions of the family of Red Hat have this package.
  const bool is_red_hat = statements.find("package kernel-modules-extra missing") != nullptr;
  if (release == nullptr && is_red_hat) ticket.facts.kernel = Kernel{"", "", "rhel"};
  if (release == nullptr) return;
  const auto id = statements.value("os id");
  ticket.facts.kernel = Kernel{release->value,
                               machine_of(statements, release->value),
                               id.empty() ? std::string(distribution_of(release->value)) : id,
                               statements.value("os version")};
  show(*release, "kernel", ticket);
}

// ---- PCI functions ------------------------------------------------------------------------------

// `id` is "1414:00ba", or empty for a function of MANA with an unknown id.
PciFunction function_of(const PciAddress& address, std::string_view id) {
  constexpr std::string_view kMostFrequent = "1414:00ba";
  const auto ids = split(id.empty() ? kMostFrequent : id, ':');
  PciFunction function;
  function.address = address;
  function.vendor = static_cast<std::uint16_t>(parse_hex(ids[0], UINT16_MAX).value_or(0));
  function.device = static_cast<std::uint16_t>(parse_hex(ids[1], UINT16_MAX).value_or(0));
  function.adapter = adapter_of_ids(function.vendor, function.device);
  return function;
}

// Names such as enP30832s1d1 contain the domain of the function (systemd.net-naming-scheme(7)).
bool is_of_domain(std::string_view interface, std::uint32_t domain) {
  const auto prefix = fmt::format("enP{}", domain);
  return interface.starts_with(prefix + 's') || interface.starts_with(prefix + 'p');
}

void add_netdevs(const Statements& statements, const std::string& key, PciFunction& function) {
  for (const auto& name : statements.subjects("link")) {
    const bool is_known = statements.find(fmt::format("{} netdev {}", key, name)) != nullptr;
    const bool is_present = statements.value(fmt::format("link {} present", name)) == "yes";
    const bool is_named = is_present && is_of_domain(name, function.address.domain);
    const bool is_here =
        statements.value(fmt::format("link {} device", name)) == function.address.str();
    if (is_known || is_named || is_here) function.netdevs.push_back(name);
  }
}

void add_functions(const Statements& statements, Ticket& ticket) {
  std::vector<PciFunction> functions;
  ticket.knows_drivers = ticket.knows_ports = true;
  for (const auto& name : statements.present("function")) {
    const auto key = "function " + name;
    const auto* const id = statements.find(key + " id");
    const auto* const mana = statements.find(key + " mana");
    const auto address = PciAddress::parse(name);
    if (!address || (id == nullptr && mana == nullptr)) continue;
    auto function = function_of(*address, id != nullptr ? id->value : std::string());
    add_netdevs(statements, key, function);
    const auto* const driver = statements.find(key + " driver");
    if (driver != nullptr) function.driver = driver->value;
    // Only a driver creates interfaces.
    const bool is_bound = driver == nullptr && !function.netdevs.empty() && function.is_mana();
    if (is_bound) function.driver = kManaDriver;
    const auto node = parse_unsigned(statements.value(key + " node"), INT16_MAX);
    if (node) function.numa_node = static_cast<int>(*node);
    if (function.is_mana()) {
      ticket.knows_drivers = ticket.knows_drivers && (driver != nullptr || is_bound);
      ticket.knows_ports = ticket.knows_ports && !function.netdevs.empty();
      show(id != nullptr ? *id : *mana, "functions", ticket);
      const bool is_wrong = driver != nullptr && driver->value != kManaDriver;
      if (is_wrong) ticket.shown_by["drivers"] = (id != nullptr ? *id : *mana).line;
      show(id != nullptr ? *id : *mana, "drivers", ticket);
    }
    functions.push_back(std::move(function));
  }
  const auto* const all = statements.find("functions");
  ticket.knows_all_functions = all != nullptr;
  if (all != nullptr) show(*all, "functions", ticket);
  const bool has_all = ticket.knows_all_functions && ticket.is_hyperv;
  if (!functions.empty() || has_all) ticket.facts.functions = std::move(functions);
}

// ---- modules ------------------------------------------------------------------------------------

// The value of an option in the configuration of the running kernel, or of all kernels.
const Statement* config_of(const Statements& statements, std::string_view option) {
  const auto key = fmt::format("config {}", option);
  if (const auto* const running = statements.find(key)) return running;
  const auto release = statements.value("kernel release");
  return release.empty() ? nullptr : statements.find(key + " " + release);
}

bool is_loaded(const Statements& statements, const char* module) {
  return statements.value(fmt::format("module {} loaded", module)) == "yes";
}

// A module that is not in lsmod may be built in, unless its option depends on one that is a module:
// mana_ib and mana (drivers/infiniband/hw/mana/Kconfig).
bool cannot_be_builtin(const Statements& statements, std::string_view module) {
  return module == "mana_ib" && is_loaded(statements, "mana");
}

// The names that RDMA devices have in the kernel or in libibverbs.
std::set<std::string> rdma_names(const Statements& statements) {
  auto names = statements.present("rdma");
  names.merge(statements.present("ibv"));
  return names;
}

// The newest line with an RDMA device, which only mana_ib creates. Null if there is none.
const Statement* mana_rdma_device(const Statements& statements) {
  const Statement* newest = nullptr;
  for (const auto& name : rdma_names(statements)) {
    if (!is_mana_rdma_name(name)) continue;
    for (const char* const kind : {"rdma", "ibv"}) {
      const auto* const found = statements.find(fmt::format("{} {} present", kind, name));
      const bool is_newer = found != nullptr && found->value == "yes" &&
                            (newest == nullptr || newest->line.number < found->line.number);
      if (is_newer) newest = found;
    }
  }
  return newest;
}

Module module_of(const DriverModule& row, const Statements& statements, Ticket& ticket) {
  const std::string name(row.name);
  const auto key = "module " + name;
  const auto* const loaded = statements.find(key + " loaded");
  const auto* const missing = statements.find(key + " missing");
  const auto* const config = config_of(statements, row.option);
  const auto known = [&](Presence presence, const Statement& statement, std::string evidence = {}) {
    show(statement, key, ticket);
    return Module{name, presence, std::move(evidence)};
  };
  const bool is_absent = loaded == nullptr || loaded->value == "no";
  if (!is_absent) return known(Presence::loaded, *loaded);
  const auto& functions = ticket.facts.functions;
  const auto* const device = name == "mana_ib" ? mana_rdma_device(statements) : nullptr;
  const bool has_device =
      device != nullptr && (loaded == nullptr || loaded->line.number < device->line.number);
  if (has_device) return known(Presence::loaded, *device);
  const bool drives = functions && std::ranges::any_of(*functions, [&name](const auto& function) {
                        return function.driver == name;
                      });
  const std::string value = config == nullptr ? std::string() : config->value;
  // The module of a driver that is in use is built in if lsmod does not list it.
  if (drives && loaded != nullptr) return known(Presence::builtin, *loaded);
  if (drives) {
    ticket.shown_by.try_emplace(key, ticket.shown_by["functions"]);
    return {name, Presence::loaded, ""};
  }
  if (value == "y") return known(Presence::builtin, *config);
  if (value == "n") return known(Presence::missing, *config);
  if (missing != nullptr) return known(Presence::missing, *missing);
  if (loaded != nullptr && value == "m")
    return known(Presence::available, *loaded, "configuration");
  if (loaded != nullptr && cannot_be_builtin(statements, name)) {
    const auto* const package = statements.find("package kernel-modules-extra missing");
    if (package != nullptr) return known(Presence::missing, *package);
    return known(Presence::available, *loaded);
  }
  return {name, not_in_log(), ""};
}

// ---- RDMA ---------------------------------------------------------------------------------------

void add_rdma_devices(const Statements& statements, Ticket& ticket) {
  auto& facts = ticket.facts;
  const auto* const all = statements.find("rdma-devices");
  const auto names = rdma_names(statements);
  std::vector<PciFunction*> functions;
  if (facts.functions) {
    for (auto& function : *facts.functions) {
      if (function.is_mana()) functions.push_back(&function);
    }
  }
  std::vector<RdmaDevice> devices;
  for (const auto& name : names) {
    RdmaDevice device;
    device.name = name;
    device.mana = is_mana_rdma_name(name);
    device.error = "not in the log";
    const bool is_of_function = device.mana && functions.size() == 1;
    if (is_of_function) {
      device.pci = functions.front()->address;
      functions.front()->rdma_devices.push_back(name);
    }
    devices.push_back(std::move(device));
  }
  const bool has_mana = std::ranges::any_of(names, is_mana_rdma_name);
  if (all == nullptr && !has_mana) return;
  ticket.knows_rdma_devices = !has_mana || functions.size() == 1;
  if (all != nullptr) show(*all, "rdma", ticket);
  facts.rdma.devices = std::move(devices);
}

// ibv_devices lists only devices with a provider, but not which provider it is.
void add_providers(const Statements& statements, Ticket& ticket) {
  const auto* const all = statements.find("ibv-devices");
  if (all == nullptr) return;
  std::vector<Provider> providers;
  for (const auto& name : statements.present("ibv")) {
    providers.push_back({name, "", "not in the log"});
  }
  ticket.facts.rdma.providers = std::move(providers);
  show(*all, "providers", ticket);
}

// A library that was built on the VM may replace that of the package, so devices with a provider
// contradict a package that is too old.
void add_rdma_core(const Statements& statements, Ticket& ticket) {
  constexpr Release kFirstWithMana{44, 0, 0};
  auto& rdma = ticket.facts.rdma;
  for (const char* const name : {"libibverbs1", "libibverbs"}) {
    const auto* const package = statements.find(fmt::format("package {} version", name));
    const auto release =
        package == nullptr ? Result<Release>(not_in_log()) : Release::parse(package->value);
    if (!release) continue;
    const bool has_provider = std::ranges::any_of(statements.present("ibv"), is_mana_rdma_name);
    if (*release < kFirstWithMana && has_provider) continue;
    rdma.rdma_core = std::optional<Release>(*release);
    show(*package, "rdma-core", ticket);
    return;
  }
}

}  // namespace

bool shows_mana_rdma(const TicketStatements& statements) {
  return mana_rdma_device(statements) != nullptr;
}

void add_ticket_facts(const TicketStatements& statements, Ticket& ticket) {
  set_unknown(ticket.facts);
  for (const auto& key :
       ticket.outputs.empty() ? std::vector<std::string>() : statements.disputed()) {
    ticket.unused.push_back(fmt::format(
        "'{}': outputs in the log differ, and the prompts do not show that they are of one host",
        printable(key)));
  }
  add_kernel(statements, ticket);
  const auto release = statements.value("kernel release");
  ticket.is_hyperv =
      ticket.is_hyperv || release.ends_with("-azure") || is_loaded(statements, "hv_netvsc");
  add_functions(statements, ticket);
  ticket.has_mana =
      ticket.has_mana || has_mana_function(ticket.facts.functions) || is_loaded(statements, "mana");
  for (const auto& row : kDriverModules) {
    ticket.facts.modules.push_back(module_of(row, statements, ticket));
  }
  add_rdma_devices(statements, ticket);
  add_providers(statements, ticket);
  add_rdma_core(statements, ticket);
  add_ticket_dpdk(statements, ticket);
  add_ticket_memory(statements, ticket);
  add_ticket_nics(statements, ticket);
}

}  // namespace manactl::host
