// SPDX-License-Identifier: MIT
//
// A VM in memory that does what the kernel does when channels are bound and links are set: VFs join
// and leave, interfaces come back with another index, routes go with their link. Every change can
// be made to fail, or to be the last thing that its process does.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/captured.h"
#include "os/durable.h"
#include "os/memory_files.h"
#include "os/system.h"
#include "setup/prepare.h"

namespace manactl::test {

// Thrown where a process was killed.
struct Died {};

enum class Fault {
  none,
  killed_before,
  killed_after,
  refused,
  failed_after,    // it happened, and an error was answered
  refused_from,    // and so is every change that follows
  disk_full,       // where a disk is written to
  disk_full_from,  // and at every change that follows
};

// A process of the VM.
struct FakeProcess {
  unsigned pid = 0;
  std::string name, device;  // its program, and what it has open; may be empty
  unsigned started = 4711;
  char state = 'S';
};

struct FakeChannel {
  std::string id, driver, overridden, mac, vf;
  std::string usual_name;  // that udev gives its interface
  std::string uio;
};

// All that a reboot or a test would set back.
struct FakeState {
  std::map<int, os::Link> links;
  std::vector<os::Address> addresses;
  std::vector<os::Route> routes;
  std::vector<FakeChannel> channels;
  std::map<std::string, std::uint64_t> pools;
  std::set<std::string> modules, ids;
  std::map<std::string, std::string> journal;
  int next_index = 10000;
};

class FakeVm {
 public:
  explicit FakeVm(unsigned more_nics = 0);
  ~FakeVm();
  FakeVm(const FakeVm&) = delete;
  FakeVm& operator=(const FakeVm&) = delete;

  setup::Machine& machine();
  setup::Journal& journal();
  setup::Session session(std::string command = "test");
  os::Durable& durable();

  // Links, addresses, routes, bindings, ids, overrides and hugepages, without interface indexes.
  std::string dump() const;

  FakeState state;
  std::string boot_id = "0b5c51d2-9d1f-4a5b-8a5e-1f2e3d4c5b6a";
  bool has_override = true;
  bool vf_joins = true;       // hv_netvsc takes its VF in again
  bool names_by_udev = true;  // else a new interface keeps the kernel's name
  std::uint64_t most_pages = 1U << 20;
  std::vector<FakeProcess> processes;
  Result<std::vector<os::TcpSocket>> sockets;
  std::map<std::string, int> refused;             // path or command -> errno
  std::function<void(const std::string&)> after;  // told of every change

  // The change number `at`, from 1.
  void fail_at(unsigned at, Fault fault);

  unsigned changes() const { return changes_; }

  const std::vector<std::string>& log() const { return log_; }

  mutable std::uint64_t looked_at = 0;  // links, addresses, routes and files that were read

  // The host takes a VF away, or gives it back with another index; the whole NIC number n.
  void unplug_vf(const std::string& name);
  void plug_vf(const std::string& name);
  void unplug_nic(std::size_t n);

  void rebuild() { tree_.reset(); }  // after the state was changed from outside

  const os::Link* link(const std::string& name) const;

 private:
  friend class FakeFiles;
  friend class FakeLinks;
  friend class FakeModules;
  friend class FakeClock;
  friend class FakeDurable;

  Result<> act(const std::string& what, bool disk, const std::function<Result<>()>& effect);
  Result<> write(const std::string& path, const std::string& text);
  Result<> unbind(const std::string& driver, const std::string& id);
  Result<> bind(const std::string& driver, const std::string& id);
  Result<> attach(FakeChannel& channel, const std::string& driver);
  Result<> set_up(int index, bool up);
  bool reaches(const os::Route& route) const;  // its gateway
  void join_later(int synthetic, const std::string& vf);
  int error_now(bool disk) const;
  void remove_link(int index);
  void later(int milliseconds, std::function<void()> event);
  void pass(std::chrono::milliseconds time);
  FakeChannel* channel_of(const std::string& id);
  FakeChannel* channel_with(const std::string& interface);
  os::Link* find(const std::string& name);

  struct Parts;
  const os::MemoryFiles& tree() const;
  std::unique_ptr<os::MemoryFiles> make_tree() const;

  mutable std::unique_ptr<os::MemoryFiles> tree_;  // of the state; made when it is looked at
  std::unique_ptr<Parts> parts_;
  std::chrono::milliseconds now_{1000};
  std::vector<std::pair<std::chrono::milliseconds, std::function<void()>>> events_;
  unsigned changes_ = 0, fail_at_ = 0;
  Fault fault_ = Fault::none;
  std::vector<std::string> log_;
};

}  // namespace manactl::test
