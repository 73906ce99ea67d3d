// SPDX-License-Identifier: MIT

#include "setup/network_managers.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::setup {
namespace {

struct NetworkManager {
  std::string_view running;     // exists if the program has run since the boot
  std::string_view interface;   // the file that the program writes for an interface, without index
  std::string_view unfinished;  // separated by blanks: lines of the file while the program
                                // configures the interface
  std::string_view busy;        // exists while the program works; empty if there is no such file
};

// udev runs programs such as systemd-sysctl after it has written its file about the interface, and
// removes its queue after all of them (udev_queue_get_queue_is_empty in libudev).
// The states of networkd are those of link_state_table in src/network/networkd-link.c of systemd.
constexpr NetworkManager kNetworkManagers[] = {
    {"run/udev/control", "run/udev/data/n", "", "run/udev/queue"},
    {"run/systemd/netif/links",
     "run/systemd/netif/links/",
     "ADMIN_STATE=pending ADMIN_STATE=initialized ADMIN_STATE=configuring",
     ""},
    {"run/NetworkManager/devices", "run/NetworkManager/devices/", "", ""},
};

bool has_finished(const NetworkManager& manager, int index, const os::Files& files) {
  if (!exists(files, manager.running)) return true;
  if (!manager.busy.empty() && exists(files, manager.busy)) return false;
  const auto text = files.read(fmt::format("{}{}", manager.interface, index));
  if (!text) return false;
  const auto lines = split(*text, '\n');
  return std::ranges::none_of(words(manager.unfinished), [&](std::string_view line) {
    return std::ranges::find(lines, line) != lines.end();
  });
}

}  // namespace

void await_network_managers(const StepContext& context, int index) {
  constexpr std::chrono::milliseconds kTimeout{3000};
  (void)wait_until(context.clock, kTimeout, [&] {
    return std::ranges::all_of(kNetworkManagers, [&](const NetworkManager& manager) {
      return has_finished(manager, index, context.system.files);
    });
  });
}

}  // namespace manactl::setup
