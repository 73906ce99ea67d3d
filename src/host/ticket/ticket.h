// SPDX-License-Identifier: MIT
//
// Facts about the VM from commands that a log contains with their output, as people paste them into
// tickets. The formats are rows of tables: see host/ticket/formats.h.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/facts.h"

namespace manactl::host {

// A line of the log.
struct TicketLine {
  std::uint64_t number = 0;  // from 1
  std::string text;          // without blanks at its ends
};

struct Ticket {
  Facts facts;                       // a fact that the log does not contain is an error
  std::vector<std::string> outputs;  // "lspci (line 3)"; empty if the log has no output
  std::vector<std::string> unused;   // what is not used, and why

  // The lines that show facts: "functions", "drivers", "module mana", "nics", "links",
  // "interfaces", "rdma", "rdma-core", "providers", "dpdk", "pools", "mounts", "kernel".
  std::map<std::string, TicketLine, std::less<>> shown_by;

  // Whether the outputs show these completely, because the members of Facts cannot hold an error.
  bool knows_drivers = false;         // PciFunction::driver of every MANA function
  bool knows_ports = false;           // PciFunction::netdevs of every MANA function
  bool knows_all_functions = false;   // a complete lspci
  bool knows_rdma_devices = false;    // PciFunction::rdma_devices of every MANA function
  bool knows_all_links = false;       // a complete ip link
  bool knows_free_pages = true;       // HugepagePool::free of every pool
  bool is_hyperv = false;             // an output is that of a VM of Hyper-V
  bool has_mana = false;              // any output, used or not, shows MANA
  bool has_several_machines = false;  // so no output is used
  bool has_synthetic_link = false;    // a synthetic interface is up and has a link
  bool has_other_nic = false;         // any output, used or not, shows the VF of another vendor
};

// Every command and every distinctive first line contains one of these texts.
std::vector<std::string> ticket_literals();

// Reads the lines of a log in constant memory. Outside of outputs, it needs only the lines with one
// of the literals.
class TicketReader {
 public:
  // Lines that state facts. A log with more, such as that of a monitor, is not a ticket.
  static constexpr std::uint64_t kMaxLines = 4000;

  TicketReader();
  ~TicketReader();
  TicketReader(const TicketReader&) = delete;
  TicketReader& operator=(const TicketReader&) = delete;

  // True inside an output: the reader needs the next line.
  bool is_reading() const;

  // `line` includes its line end; a line without one may be truncated, and is ignored. `before`
  // ends with the previous line, which may be the command; may be empty.
  void add(std::string_view line, std::uint64_t number, std::string_view before);

  Ticket finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace manactl::host
