// SPDX-License-Identifier: MIT

#include "cli/setup/render_status.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/table.h"
#include "host/nic_state.h"
#include "host/numa.h"
#include "host/testpmd.h"

namespace manactl::cli {
namespace {

constexpr unsigned kLabelWidth = 11;
constexpr std::size_t kMaxText = 1000;

std::string confirmation_text(const setup::Confirmation& confirmation) {
  using setup::WatchdogState;
  if (confirmation.watchdog == WatchdogState::dead) {
    return "not confirmed; the watchdog has exited, so the changes will NOT be rolled back";
  }
  if (confirmation.watchdog == WatchdogState::stopped) {
    return "not confirmed; the watchdog is stopped (SIGSTOP or a debugger): the changes will "
           "NOT be rolled back until it continues";
  }
  const bool is_alive = confirmation.watchdog == WatchdogState::alive;
  std::string text = "not confirmed";
  if (confirmation.time_left) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(*confirmation.time_left).count();
    text += seconds > 0 ? fmt::format(": will be rolled back in {} s", seconds)
                        : fmt::format(": the timeout ended {} s ago", -seconds);
    if (seconds <= 0 && is_alive) text += "; the watchdog is rolling the changes back";
  }
  if (!is_alive) text += "; the state of the watchdog is unknown";
  return text;
}

// "enP30832p0s0, mana, up, MTU 1500"
std::string netdev_text(const host::Netdev& netdev) {
  std::string text = fmt::format(
      "{}, {}, {}", printable(netdev.name), printable(netdev.driver), netdev.up ? "up" : "down");
  if (netdev.up && !netdev.running) text += ", no carrier";
  return text + fmt::format(", MTU {}", netdev.mtu);
}

std::string rdma_text(const host::RdmaDevice& device, const host::Facts& facts) {
  std::string text = fmt::format("{}, {}",
                                 printable(device.name),
                                 device.uverbs.empty() ? "no uverbs" : printable(device.uverbs));
  if (device.driver_id) text += fmt::format(", driver id {}", *device.driver_id);
  const auto* provider = find_provider(facts, device.name);
  const bool is_known = provider != nullptr && !provider->library.empty();
  return text + (is_known ? ", provider " + printable(provider->library) : ", provider unknown");
}

// Returns "free", or in short why prepare refuses the NIC, or why DPDK cannot use it.
std::string availability_text(const setup::NicStatus& nic, const host::Facts& facts) {
  const auto availability = host::availability_of(*nic.facts, facts);
  const bool is_used = availability.is_free && !*availability.is_free;
  if (is_used && !nic.facts->carries.empty()) return "refused: " + availability.reason;
  if (nic.objections.empty()) {
    return is_used                ? "not free: " + availability.reason
           : availability.is_free ? "free"
                                  : "unknown: " + availability.reason;
  }
  const auto more = nic.objections.size() - 1;
  return "refused: " + nic.objections.front() +
         (more == 0 ? std::string() : fmt::format(" and {} more", more));
}

bool has_entry(const setup::NicStatus& nic) {
  return nic.journal != setup::JournalState::none && nic.journal != setup::JournalState::unknown;
}

// Describes a NIC in user space without a known journal entry, such as one that driverctl has
// bound.
std::string text_without_entry(const setup::NicStatus& nic) {
  return fmt::format(
      "{}; 'manactl restore {}' returns the NIC to the kernel",
      nic.journal == setup::JournalState::none ? "prepared without manactl" : "journal not read",
      shell_word(nic.name));
}

// Returns the last cell of the row of a NIC or journal entry.
std::string state_text(const setup::NicStatus& nic, const StatusOutput& result) {
  std::vector<std::string> parts;
  if (nic.confirmation) {
    parts.push_back(confirmation_text(*nic.confirmation));
  } else if (has_entry(nic)) {
    parts.emplace_back(word_of(setup::kJournalStateWords, nic.journal));
    // A tuned NIC stays with the kernel.
    if (nic.journal == setup::JournalState::tuned && nic.facts != nullptr)
      parts.push_back(availability_text(nic, result.facts));
  } else if (nic.facts != nullptr) {
    parts.push_back(nic.owner == setup::Owner::uio ? text_without_entry(nic)
                                                   : availability_text(nic, result.facts));
  }
  for (const auto& holder : nic.holders) {
    parts.push_back(fmt::format("in use by process {} ({})", holder.pid, holder.program));
  }
  return join(parts, "; ");
}

TableRow row_of(const setup::NicStatus& nic, const StatusOutput& result) {
  if (nic.facts == nullptr) return {nic.name, "-", "-", "-", state_text(nic, result)};
  return {nic.name,
          std::string(word_of(setup::kOwnerWords, nic.owner)),
          nic.facts->vf ? nic.facts->vf->name : "none",
          std::string(word_of(host::kTrafficPathWords, host::traffic_path_of(*nic.facts))),
          state_text(nic, result)};
}

class StatusWriter {
 public:
  explicit StatusWriter(Screen& screen) : screen_(screen) {}

  void write_rows(const StatusOutput& result);
  void write_function(const host::PciFunction& function, const host::Facts& facts);
  void write_nic(const setup::NicStatus& nic);
  void write_hugepages(const host::Facts& facts);

 private:
  void write_title(const std::string& name, std::string_view what);

  // "  label      text"; further lines start below the text. Pipes get one line.
  void write(std::string_view label, const std::string& text);

  // A command that was broken into lines could not be pasted.
  void write_command(const std::string& command);
  void write_devices(const host::Nic& nic);
  void write_misplaced_pages(const host::Facts& facts);
  void write_journal(const setup::NicStatus& nic);

  Screen& screen_;
};

void StatusWriter::write_title(const std::string& name, std::string_view what) {
  screen_.stream() << screen_.paint(Color::bold, printable(name)) << "  " << what << '\n';
}

void StatusWriter::write(std::string_view label, const std::string& text) {
  write_indented(screen_, fmt::format("  {:<{}}", label, kLabelWidth), printable(text, kMaxText));
}

void StatusWriter::write_command(const std::string& command) {
  screen_.stream() << fmt::format(
      "  {:<{}}{}\n", "run:", kLabelWidth, printable(command, kMaxText));
}

void StatusWriter::write_function(const host::PciFunction& function, const host::Facts& facts) {
  write_title(function.address.str(), "MANA function");
  write("driver",
        fmt::format("{}, NUMA node {}",
                    function.driver.empty() ? "none" : function.driver,
                    function.numa_node < 0 ? "unknown" : std::to_string(function.numa_node)));
  write("ports", function.netdevs.empty() ? "none" : join(function.netdevs, ", "));
  const auto devices = rdma_devices_of(facts, function);
  for (const auto* device : devices) write("RDMA", rdma_text(*device, facts));
  if (devices.empty()) write("RDMA", "none");
}

void StatusWriter::write_rows(const StatusOutput& result) {
  std::vector<TableRow> rows;
  const auto add = [&](const setup::NicStatus& nic) { rows.push_back(row_of(nic, result)); };
  std::ranges::for_each(result.status.nics, add);
  std::ranges::for_each(result.status.others, add);
  if (rows.empty()) return;
  rows.insert(rows.begin(), {"NIC", "owner", "VF", "path", "state"});
  print_table(screen_, rows);
  const auto write_commands = [this](const setup::NicStatus& nic) {
    for (const auto& command : nic.commands) write_command(command);
  };
  std::ranges::for_each(result.status.nics, write_commands);
  std::ranges::for_each(result.status.others, write_commands);
}

void StatusWriter::write_devices(const host::Nic& nic) {
  if (nic.synthetic) write("synthetic", netdev_text(*nic.synthetic));
  if (nic.vf) {
    const bool is_unpaired = nic.synthetic && !host::is_paired(nic);
    write("VF", netdev_text(*nic.vf) + (is_unpaired ? ", not paired" : ""));
    std::string port = nic.vf->mac.str();
    if (nic.vf->dev_port) port += fmt::format(", port {}", *nic.vf->dev_port);
    if (nic.vf->pci) port += fmt::format(" of {}", nic.vf->pci->str());
    write("MAC", port);
  } else {
    write("VF", "none");
    if (nic.synthetic) write("MAC", nic.synthetic->mac.str());
  }
  write("path", std::string(word_of(host::kTrafficPathWords, host::traffic_path_of(nic))));
  if (nic.vmbus) {
    write("channel",
          fmt::format("{}, {}{}",
                      nic.vmbus->str(),
                      nic.vmbus_driver.empty() ? "no driver" : nic.vmbus_driver,
                      nic.uio.empty() ? "" : ", " + nic.uio));
  }
}

void StatusWriter::write_journal(const setup::NicStatus& nic) {
  std::string text(word_of(setup::kJournalStateWords, nic.journal));
  const bool is_foreign = !has_entry(nic) && nic.facts != nullptr && nic.owner == setup::Owner::uio;
  if (is_foreign) text += ": " + text_without_entry(nic);
  write("journal", text);
  if (nic.confirmation) write("watchdog", confirmation_text(*nic.confirmation));
  for (const auto& command : nic.commands) write_command(command);
  for (const auto& step : nic.changes) write("done:", step);
}

void StatusWriter::write_nic(const setup::NicStatus& nic) {
  const bool has_nic = nic.facts != nullptr;
  write_title(nic.name,
              has_nic ? fmt::format("owned by {}", word_of(setup::kOwnerWords, nic.owner))
                      : std::string("no NIC"));
  if (has_nic) write_devices(*nic.facts);
  if (!nic.objections.empty()) {
    write("refused", "prepare refuses this NIC: " + join(nic.objections, ", "));
  }
  for (const auto& holder : nic.holders) {
    write("program", fmt::format("in use by process {} ({})", holder.pid, holder.program));
  }
  write_journal(nic);
}

void StatusWriter::write_hugepages(const host::Facts& facts) {
  bool any = false;
  for (const auto& pool : *facts.memory.pools) {
    if (pool.total == 0) continue;
    if (!any) screen_.stream() << screen_.paint(Color::bold, "Hugepages") << '\n';
    any = true;
    write(
        fmt::format("node {}", pool.node),
        fmt::format(
            "{} of {} pages of {} free", pool.free, pool.total, human_bytes(pool.page_kib << 10U)));
  }
  if (!any) screen_.stream() << screen_.paint(Color::bold, "Hugepages") << "  none reserved\n";
  write_misplaced_pages(facts);
}

// If the node of the MANA functions has too few pages and other nodes have free ones, prints the
// commands that reserve pages on that node and free the others.
void StatusWriter::write_misplaced_pages(const host::Facts& facts) {
  const int node = host::common_node(facts);
  const auto elsewhere = host::pools_elsewhere(facts.memory, {node});
  const auto pool = host::freest_pool(facts.memory, node);
  const auto bytes = host::size_of_testpmd(facts, node).hugepage_bytes;
  // A program may use some of the pages now.
  if (elsewhere.empty() || pool.total >= host::pages_for(bytes, pool.page_kib)) return;
  write("", fmt::format("the NICs are on node {}; to reserve pages for dpdk-testpmd there:", node));
  write_command(host::reserve_command(facts.memory, node, bytes));
  for (const auto& unused : elsewhere) {
    write("", host::unused_text(unused) + "; to release them:");
    write_command(host::release_command(unused));
  }
}

}  // namespace

std::vector<const host::RdmaDevice*> rdma_devices_of(const host::Facts& facts,
                                                     const host::PciFunction& function) {
  std::vector<const host::RdmaDevice*> found;
  if (!facts.rdma.devices) return found;
  for (const auto& device : *facts.rdma.devices) {
    if (device.pci == function.address) found.push_back(&device);
  }
  return found;
}

const host::Provider* find_provider(const host::Facts& facts, const std::string& device) {
  if (!facts.rdma.providers) return nullptr;
  const auto found = std::ranges::find(*facts.rdma.providers, device, &host::Provider::device);
  return found == facts.rdma.providers->end() ? nullptr : &*found;
}

void print_text(Screen& screen, const StatusOutput& result, int verbosity) {
  StatusWriter writer(screen);
  if (verbosity == 0) {
    writer.write_rows(result);
  } else {
    for (const auto* function : result.functions) writer.write_function(*function, result.facts);
    for (const auto& nic : result.status.nics) writer.write_nic(nic);
    for (const auto& other : result.status.others) writer.write_nic(other);
  }
  auto& out = screen.stream();
  if (result.facts.nics->empty()) out << "No Azure NIC was found\n";
  for (const auto& channel : result.facts.channels_elsewhere) {
    out << "NIC " << channel.str() << ": its interface is in another network namespace\n";
  }
  if (result.facts.memory.pools) writer.write_hugepages(result.facts);
  for (const auto& path : result.persistent) out << "at every boot: " << printable(path) << '\n';
  if (!result.journal_error.empty()) {
    out << "the journal cannot be used: " << printable(result.journal_error) << '\n';
  }
}

}  // namespace manactl::cli
