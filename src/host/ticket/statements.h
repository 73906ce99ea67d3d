// SPDX-License-Identifier: MIT
//
// The statements of the outputs in a ticket: a value for each key, with the line that shows it. If
// outputs differ, the newest one counts if the prompts show that both are of one host, because
// states change. Otherwise the key has no value: the outputs may be of two machines.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/ticket/ticket.h"

namespace manactl::host {

// Keys are words: "link eth0 mac", "module mana loaded", "function 7870:00:00.0 driver".
class TicketStatements {
 public:
  struct Statement {
    std::string value;
    TicketLine line;
    std::string host;  // of the prompt; empty if the prompt does not show one
    bool is_disputed = false;
  };

  // Sets the line and the host of the statements that follow.
  void set_place(const TicketLine& line, const std::string& host);

  // An equal value keeps its first line.
  void add(const std::string& key, const std::string& value);

  // As add(), but an equal value has the newest line.
  void renew(const std::string& key, const std::string& value);

  // A short host name, of a prompt or of uname.
  void add_host(std::string_view name);

  // Returns null if the key has no value.
  const Statement* find(const std::string& key) const;

  std::string value(const std::string& key) const;  // empty if the key has no value

  // The second words of the keys that begin with `kind`, such as the names of links.
  std::set<std::string> subjects(const std::string& kind) const;

  // Those of subjects() that exist: no newer list lacks them.
  std::set<std::string> present(const std::string& kind) const;

  // The keys whose outputs differ.
  std::vector<std::string> disputed() const;

  const std::set<std::string>& hosts() const { return hosts_; }

  // The number of lines with statements.
  std::uint64_t lines() const { return lines_; }

 private:
  std::map<std::string, Statement> statements_;
  std::set<std::string> hosts_;
  TicketLine line_;
  std::string host_;
  std::uint64_t lines_ = 0, last_line_ = 0;
};

// Turns the statements into facts; leaves Ticket::outputs unchanged.
void add_ticket_facts(const TicketStatements& statements, Ticket& ticket);

// Whether an output shows an RDMA device of MANA.
bool shows_mana_rdma(const TicketStatements& statements);

// Sets Facts::dpdk.
void add_ticket_dpdk(const TicketStatements& statements, Ticket& ticket);

// Sets the members of Facts::memory.
void add_ticket_memory(const TicketStatements& statements, Ticket& ticket);

// Sets Facts::nics and Facts::interfaces from the statements about links.
void add_ticket_nics(const TicketStatements& statements, Ticket& ticket);

}  // namespace manactl::host
