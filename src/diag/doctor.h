// SPDX-License-Identifier: MIT
//
// One root cause out of failed checks and log lines; everything that it explains is named as a
// consequence, what is harmless as benign, and what nobody knows as unknown.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_source.h"
#include "base/result.h"
#include "diag/runner.h"
#include "diag/signatures.h"
#include "diag/witness.h"

namespace manactl::diag {

struct Quote {
  std::string log;         // the file's name, "-" or "kernel log"
  std::uint64_t line = 0;  // from 1
  std::string text;        // printable, without prefix
};

// One signature (or one kind of unknown line) as seen in the logs.
struct LogEntry {
  const Signature* signature = nullptr;  // null for lines that nothing is known about
  Quote first;
  std::uint64_t count = 0;
  Captures captures;  // of the first
  std::uint64_t last_line = 0;
  bool benign = false;  // by what was captured; such lines have an entry of their own
};

struct LogReport {
  std::vector<LogEntry> entries;  // by first appearance; at most one per signature and log
  std::uint64_t lines = 0;
  std::uint64_t matched_lines = 0;  // that any signature matches
  std::uint64_t more_unknown = 0;   // lines that are unknown and not among the entries
  std::string dpdk_release;         // "24.11.2" when the log tells it, else empty
  std::string dpdk_range;           // "22.11 to 24.07", from prefixes; empty when they do not tell
};

// Reads one log to its end. Errc of the source; never of the contents.
Result<LogReport> read_log(ByteSource& source, const std::string& name, const SignatureSet& known);

enum class Confirmation { confirmed, contradicted, not_possible };

struct Diagnosis {
  struct Item {
    std::string id;              // of a signature or a check; empty for unknown lines
    std::string title;           // what is wrong
    std::optional<Quote> quote;  // of a log; without one the id is of a check
    std::uint64_t count = 1;
    std::string cause, fix;
    std::vector<std::string> commands;
    Confirmation confirmation = Confirmation::not_possible;
    std::string
        confirmed_by;  // "rdma.driver-id: kernel 19, libibverbs chose erdma"; of a check: itself
    std::string note;  // what the log's DPDK release means for the fix; may be empty
  };

  std::optional<Item> root;
  std::vector<Item> others;  // further causes that the root does not explain, worst first
  std::vector<Item> consequences;
  std::vector<Item> benign;
  std::vector<Item> unknown;
  std::uint64_t lines = 0;
  std::uint64_t more_unknown = 0;  // lines that look like errors and are too many to list
};

// `logs` may come from different programs; the release of each counts for its own lines.
Diagnosis diagnose(const Report& checks,
                   const std::vector<LogReport>& logs,
                   const std::vector<Witness>& witnesses = {});

}  // namespace manactl::diag
