// SPDX-License-Identifier: MIT
//
// A VM in memory that behaves as the kernel does when channels are bound and links are set: VFs
// join and leave, interfaces return with another index, and routes vanish with their link. Each
// change can be made to fail or to kill the process. Sources: fake_vm.cpp, fake_tree.cpp,
// fake_interfaces.h.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/captured.h"
#include "os/durable_directory.h"
#include "os/memory_files.h"
#include "os/system.h"
#include "setup/prepare.h"

namespace manactl::test {

// Thrown where a kill would end the process.
struct Killed {};

enum class Fault {
  none,
  killed_before,
  killed_after,
  refused,
  failed_after,    // the change takes effect but returns an error
  ignored,         // the change returns success but has no effect
  refused_from,    // like `refused`, also for every later change
  disk_full,       // ENOSPC, if the change writes to a disk
  disk_full_from,  // like `disk_full`, also for every later change
};

// Settings of each interface, and the values that they have at first.
inline const std::map<std::string, std::string> kSettings = {
    {"ethtool/channels", "0 0 0 2"},
    {"link/flags", "multicast"},
    {"proc/sys/net/ipv4/conf/@/rp_filter", "0"},
    {"proc/sys/net/ipv6/conf/@/accept_ra", "1"},
    {"sys/class/net/@/ifalias", ""},
    {"sys/class/net/@/queues/rx-0/rps_cpus", "0"},
};

// The path of a setting that is a file.
inline std::string setting_path(std::string key, const std::string& name) {
  const auto at = key.find('@');
  return at == std::string::npos ? key : key.replace(at, 1, name);
}

// A process of the VM.
struct FakeProcess {
  unsigned pid = 0;
  std::string name, device;  // the program, and the device that it has open or ""
  unsigned started = 4711;
  char state = 'S';
};

struct FakeChannel {
  std::string id, driver, overridden, mac, vf;
  std::string usual_name;  // the name that udev gives to its interface
  std::string uio;
};

// The state of the VM, which a test can save and set again.
struct FakeState {
  std::map<int, os::Link> links;
  std::vector<os::Address> addresses;
  std::vector<os::Route> routes;
  os::ForeignUppers foreign_uppers;
  // By index of the link and path of the file, with "@" instead of the name. Default: `defaults`.
  std::map<int, std::map<std::string, std::string>> settings;
  std::map<std::string, std::string> defaults = kSettings;  // of a new interface
  std::map<std::string, std::string> limits;                // of os::Links::limits()
  std::map<int, std::vector<std::string>> attachments;      // see os::Links
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

  setup::Journal& journal();
  setup::Persistence persistence() const;  // in a temporary directory
  setup::SetupContext context(std::string command = "test");
  os::DurableDirectory& durable();
  os::System system_with(os::Files& files);  // the system of context(), with other files

  // Returns links, addresses, routes, bindings, ids, overrides and hugepages as text, without
  // interface indexes.
  std::string dump() const;

  FakeState state;
  std::string boot_id = "0b5c51d2-9d1f-4a5b-8a5e-1f2e3d4c5b6a";
  bool has_override = true;
  bool is_initial_namespace = true;
  bool vf_joins = true;                // the VF joins a new interface of hv_netvsc
  bool udev_renames = true;            // false: a new interface keeps its kernel name
  std::uint64_t max_pages = 1U << 20;  // that the kernel grants
  std::string meminfo = "Hugepagesize:       2048 kB\n";
  std::vector<FakeProcess> processes;
  std::map<std::string, std::string> more_files;  // path -> text
  Result<std::vector<os::TcpSocket>> sockets;
  std::map<int, std::vector<std::uint64_t>> bound_sockets;  // by the index of the interface
  std::map<std::string, int> refused;                       // path or command -> errno
  // A path, "links", "addresses", "routes", "modules", "journal" or "journal entry" -> number of
  // reads that still succeed; the later ones fail with EIO.
  mutable std::map<std::string, unsigned> unreadable;
  std::function<void(const std::string&)>
      after;  // called after each change, with its path or command
  mutable std::function<void()> while_reading;  // called once, when settings are read

  // Injects the fault into change number `at`, counted from now: the next change is number 1.
  void fail_at(unsigned at, Fault fault);

  unsigned changes() const { return changes_; }

  const std::vector<std::string>& log() const { return log_; }

  mutable std::uint64_t reads = 0;  // number of reads of links, addresses, routes and files

  // Simulates the host: removes a VF, adds it again with another index, or removes the NIC number
  // n.
  void unplug_vf(const std::string& name);
  void plug_vf(const std::string& name);
  void unplug_nic(std::size_t n);

  // Simulates the host, which removes the channel number n and offers it again; its interface then
  // gets `name`.
  void reoffer_nic(std::size_t n, const std::string& name);

  // Simulates udev or an administrator.
  void rename(const std::string& name, const std::string& new_name);

  void rebuild() { tree_.reset(); }  // call it after changing `state`

  const os::Link* link(const std::string& name) const;
  std::string setting(const std::string& name, const std::string& key) const;

 private:
  friend class FakeFiles;
  friend class FakeLinks;
  friend class FakeModules;
  friend class FakeClock;
  friend class FakeDurable;

  Result<> may_read(std::string_view what) const;
  Result<> act(const std::string& what, bool disk, const std::function<Result<>()>& effect);
  Result<> write(const std::string& path, const std::string& text);
  Result<> unbind(const std::string& driver, const std::string& id);
  Result<> bind(const std::string& driver, const std::string& id);
  Result<> attach(FakeChannel& channel, const std::string& driver);
  Result<> set_up(int index, bool up);
  bool has_route_to_gateway(const os::Route& route) const;
  void join_later(int synthetic, const std::string& id);
  void take_over(int synthetic, int vf);
  int error_now(bool disk) const;
  void remove_link(int index);
  void later(int milliseconds, std::function<void()> event);
  void pass(std::chrono::milliseconds time);
  FakeChannel* channel_of(const std::string& id);
  FakeChannel* channel_with(const os::Link& synthetic);
  os::Link* synthetic_of(const FakeChannel& channel);
  os::Link* find(const std::string& name);

  struct Parts;
  const os::MemoryFiles& tree() const;
  std::unique_ptr<os::MemoryFiles> make_tree() const;

  mutable std::unique_ptr<os::MemoryFiles> tree_;  // built from `state` at the first read
  std::unique_ptr<Parts> parts_;
  std::chrono::milliseconds now_{1000};
  std::vector<std::pair<std::chrono::milliseconds, std::function<void()>>> events_;
  unsigned changes_ = 0, fail_at_ = 0;
  Fault fault_ = Fault::none;
  std::vector<std::string> log_;
};

}  // namespace manactl::test
