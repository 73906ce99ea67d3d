// SPDX-License-Identifier: MIT
//
// The steps of prepare, in the order of StepKind. Sources: step_addresses.cpp, step_module.cpp,
// step_hugepages.cpp, step_links.cpp (MTU, down, keep down) and step_channel.cpp (VMBus and uio).
// tune has the steps of the MTU and of step_setting.cpp.

#pragma once

#include <optional>

#include "setup/nic_interface.h"
#include "setup/step.h"

namespace manactl::setup {

// Records MTU, addresses, routes and whether the interface is up, and changes nothing. The revert,
// which runs after both interfaces are up again, restores those values that the kernel does not.
std::unique_ptr<Step> save_addresses(const NicInterface& interface);

// The addresses in a record of save_addresses(), "10.0.1.4/24 broadcast ..."; none for other steps.
std::vector<std::string> saved_addresses(const StepRecord& record);

std::unique_ptr<Step> load_module(const std::string& name);

// Adds `pages` to `pool`, the sysfs directory of one page size of one NUMA node. `held_by_others`
// is the number of the pool's pages that other journal entries have reserved. With `wanted`, the
// number of pages that would be best, the step also succeeds if the kernel grants fewer pages.
std::unique_ptr<Step> reserve_hugepages(const std::string& pool,
                                        std::uint64_t pages,
                                        std::uint64_t held_by_others,
                                        std::optional<std::uint64_t> wanted = std::nullopt);

struct HugepageReservation {
  std::string pool;
  std::uint64_t pages = 0;               // requested
  std::uint64_t others = 0;              // of other entries in the pool before the step
  std::optional<std::uint64_t> wanted;   // empty unless the step accepts fewer pages
  std::optional<std::uint64_t> before;   // pages in the pool before the step
  std::optional<std::uint64_t> granted;  // empty unless the step is done
};

// The reservation in a record of reserve_hugepages(); empty for other steps.
std::optional<HugepageReservation> hugepages_of(const StepRecord& record);

std::unique_ptr<Step> set_mtu(const NicInterface& interface, unsigned mtu);

std::unique_ptr<Step> set_down(const NicInterface& interface);

// A setting of os::Links::settings(), and the words of its value that change: "4096 * * 4096". "*"
// keeps the word. Of a queueing discipline only the kind: "fq", or os::kDefaultQueueing.
struct SettingChange {
  std::string key;
  std::string value;
  std::string what;  // for people: "vf-rx-ring to 4096 and vf-tx-ring to 4096"
};

std::unique_ptr<Step> change_setting(const NicInterface& interface, const SettingChange& change);

// The change in a record of change_setting(); empty for other steps.
std::optional<SettingChange> setting_change_of(const StepRecord& record);

// Unbinds the VMBus channel of `synthetic` from hv_netvsc. `vf` is empty if no VF has joined it.
std::unique_ptr<Step> unbind_channel(const NicInterface& synthetic,
                                     const std::optional<NicInterface>& vf);
std::unique_ptr<Step> override_driver(const std::string& id);

// Writes the class id to new_id, for kernels without driver_override. `shared`: manactl has already
// added the id for another NIC.
std::unique_ptr<Step> add_class_id(bool shared);

// Whether manactl, and not somebody else, added the class id.
bool has_added_class_id(const StepRecord& record);

std::unique_ptr<Step> bind_channel(const std::string& id);
std::unique_ptr<Step> wait_for_uio(const std::string& id);

// Sets the interface down again whenever something sets it up, until it stays down.
std::unique_ptr<Step> keep_down(const NicInterface& interface);

}  // namespace manactl::setup
