// SPDX-License-Identifier: MIT
//
// The formats of the outputs that a ticket may contain. Each is a row of a table: how it begins,
// how its lines are parsed, and what the end of a complete output proves.

#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/ticket/statements.h"

namespace manactl::host {

using TicketWords = std::vector<std::string_view>;

// An output that is being read.
struct TicketOutput {
  std::string command;  // "lspci -nnk | grep -A3 Ether"; empty if it is unknown
  std::string prompt;   // the text before the command
  std::string host;     // that the prompt shows; may be empty
  TicketLine line;      // of the command or, if it is unknown, the first line
  std::string subject;  // the interface or function that the next lines are about
  std::string note;     // for the functions of the format
  std::set<std::string> seen;
  std::uint64_t lines = 0;   // lines of the output so far
  bool is_complete = false;  // for `finish`: the next prompt, or the end of a code block, follows
};

struct TicketFormat {
  std::string_view name;  // "ip link"

  // Whether this command, without sudo and the path of the program, has the format. May be null.
  bool (*is_command)(const TicketWords& words);

  // Whether this line has the format, whatever precedes it. May be null.
  bool (*is_first)(std::string_view line);

  // Returns false if the line does not belong to the output. Lines have no blanks at their ends.
  bool (*parse)(std::string_view line, TicketOutput& output, TicketStatements& statements);

  // Draws conclusions at the end of an output. May be null.
  void (*finish)(const TicketOutput& output, TicketStatements& statements) = nullptr;

  // Each line is an output of its own: a message in a log. Such lines do not make a log a ticket.
  bool is_message = false;
};

std::vector<TicketFormat> link_formats();      // ip and ethtool
std::vector<TicketFormat> function_formats();  // lspci, dpdk-devbind.py and the kernel log
std::vector<TicketFormat> kernel_formats();    // uname, lsmod, configuration and os-release
std::vector<TicketFormat> system_formats();    // RDMA, hugepages and packages

// ---- helpers of the formats ---------------------------------------------------------------------

bool is_all_digits(std::string_view text);

// Whether one of the words after the first is an option with this letter: -k or -nnk.
bool has_option(const TicketWords& words, char letter);

// The lines that a grep keeps.
struct TicketFilter {
  bool is_known = true;
  bool ignores_case = false;
  std::vector<std::string> patterns;  // plain texts, any of them; empty without a grep

  // Whether each line with this text is kept.
  bool keeps(std::string_view text) const;
};

// The filter of "grep -i 'mana|mlx' ...".
TicketFilter filter_of_grep(const TicketWords& words);

// The filter at the end of "lsmod | grep mana". It is not known if there are several pipes, or
// another program than grep.
TicketFilter filter_of_pipe(std::string_view command);

// States that what `output` should list, but does not, no longer exists: "link eth0 present" is
// "no". `kind` is the first word of the keys, `filter` that of the command.
void add_absent(const std::string& kind,
                const TicketFilter& filter,
                const TicketOutput& output,
                TicketStatements& statements);

}  // namespace manactl::host
