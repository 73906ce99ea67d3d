// SPDX-License-Identifier: MIT
//
// The journal records the state before a NIC is prepared or tuned, or hugepages are reserved, so
// that it can be restored. Each prepared NIC, each run of tune that changed a NIC, and each
// reservation without a NIC, has one file. Its first line
// contains that state and is on disk before the first step; later lines record the progress. Each
// line has a checksum. If a file is truncated, the complete lines remain valid.

#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "os/durable_directory.h"
#include "setup/nic_identity.h"
#include "setup/persist.h"
#include "setup/step.h"

namespace manactl::setup {

struct Entry {
  // The file name without ".jsonl": a VMBus id, "vf-<mac>", "hugepages-<n>", or of tune the id of
  // the NIC after "tune-<n>-".
  std::string id;
  std::string interface;  // empty for hugepages alone
  NicIdentity nic;
  std::string boot_id;
  std::string created;  // local time, for people
  std::vector<StepRecord> steps;
  bool ready = false;     // every step was done, and no restore has begun
  bool confirmed = true;  // false only while `manactl confirm` is awaited
  std::optional<std::chrono::milliseconds> deadline;  // time of the boot clock (Clock)
  std::vector<PersistentFile> boot_files;             // that `manactl confirm` writes
  bool is_repeated = false;  // by files of tune --persist; set by Journal::entries()
  std::string watchdog;      // process_stamp() of the process that restores the NIC at the deadline
  bool damaged = false;      // a line is invalid
  std::string read_error;  // why the first line is unusable: only `id` is valid, and the file stays

  bool is_readable() const { return read_error.empty(); }

  // Whether the run that opened this entry completed all steps, and no restore has begun since.
  bool is_finished() const { return is_readable() && !damaged && ready; }

  // Whether `manactl tune` opened this entry. It has a number, because each run of tune may change
  // a NIC that an earlier one has changed. The entries of a NIC are restored newest first.
  bool is_tuning() const { return tune_number() != 0; }

  unsigned tune_number() const;  // 0 if this entry is of prepare

  // The id of the NIC: "vf-<mac>", or its VMBus id.
  std::string nic_id() const;

  // Whether the changes exist: they were made in this boot, or files of --persist repeat the
  // settings of tune at each boot. Those of prepare open an entry of their own.
  bool is_valid_in(const std::string& boot) const;

  // The name in the header of its files of --persist.
  std::string persistent_name() const;

  const std::string& name() const { return interface.empty() ? id : interface; }

  // Whether this entry describes changes of `nic`.
  bool belongs_to(const host::Nic& nic) const;

  // Whether `name` is the id, interface, VF, PCI address or MAC address of this entry.
  bool matches(const std::string& name) const;

  bool has_step(StepKind kind) const;

  // Addresses of the interfaces before they were prepared: "10.0.1.4/24 broadcast ...".
  std::vector<std::string> saved_addresses() const;
};

class Journal {
 public:
  explicit Journal(os::DurableDirectory& files) : files_(files) {}

  // All entries, sorted by id; Entry::read_error is set where a file cannot be read. Errc::denied
  // if this process may not read the directory, or if other users may write to it.
  Result<std::vector<Entry>> entries() const;

  Result<> create(const Entry& entry);
  Result<> begin_step(const std::string& id, std::size_t step);
  Result<> finish_step(const std::string& id, std::size_t step, const Values& after);
  Result<> mark_ready(const std::string& id);
  Result<> save_boot_files(const std::string& id, const std::vector<PersistentFile>& files);
  Result<> confirm(const std::string& id);
  Result<> begin_restore(const std::string& id);
  Result<> mark_reverted(const Entry& entry);  // the steps whose `reverted` is set
  Result<> remove(const std::string& id);

 private:
  os::DurableDirectory& files_;
};

inline constexpr const char* kJournalDirectory = "/var/lib/manactl/journal";

// encode_line() adds a checksum and a newline. decode_line() returns the text, or nothing if the
// checksum does not match.
std::string encode_line(const std::string& text);
std::optional<std::string> decode_line(std::string_view line);

Entry read_entry(std::string id, std::string_view text);

// Returns the entry of the newest run of tune for this NIC; null if there is none.
const Entry* newest_tuning(const std::string& nic_id, const std::vector<Entry>& entries);

}  // namespace manactl::setup
