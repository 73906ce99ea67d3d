// SPDX-License-Identifier: MIT
//
// What was there before, written down before anything is changed. One file for each prepared NIC:
// the first line is complete and durable before the first step, later lines tell how far it got.
// Each line carries its own checksum, so a cut file is noticed and what stands before the cut
// holds.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "os/durable.h"
#include "setup/step.h"

namespace manactl::setup {

struct Entry {
  std::string id;         // of the file: a VMBus id, "vf-<mac>" or "hugepages-<n>"
  std::string interface;  // empty for hugepages alone
  Values nic;             // "vf", "mac", "pci", "uuid", "driver": what vanishes with the unbind
  std::string boot_id;
  std::string created;  // local time, for people
  std::vector<StepRecord> steps;
  bool ready = false;      // every step was done
  bool confirmed = true;   // nobody waits for `manactl confirm`
  std::string deadline;    // milliseconds since boot of the end of that wait; empty without one
  std::string watchdog;    // mark_of() the process that takes it back then
  bool damaged = false;    // lines after the first are lost
  std::string unreadable;  // why the first line cannot be used; then only `id` is known
  bool keep = false;       // the file is not ours to remove: a later version's, somebody else's
};

class Journal {
 public:
  explicit Journal(os::Durable& files) : files_(files) {}

  // All entries, by id; a file that cannot be read is one that is unreadable. Errc::denied without
  // the right to look, or when others could have written there.
  Result<std::vector<Entry>> entries() const;

  Result<> open(const Entry& entry);
  Result<> begin(const std::string& id, std::size_t step);
  Result<> done(const std::string& id, std::size_t step, const Values& after);
  Result<> ready(const std::string& id);
  Result<> confirm(const std::string& id);
  Result<> close(const std::string& id);

 private:
  os::Durable& files_;
};

inline constexpr const char* kJournal = "/var/lib/manactl/journal";

// One line with its checksum; and back, nothing when it does not verify.
std::string sealed(const std::string& text);
std::optional<std::string> unsealed(std::string_view line);

Entry read_entry(std::string id, std::string_view text);

}  // namespace manactl::setup
