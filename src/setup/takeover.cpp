// SPDX-License-Identifier: MIT

#include "setup/takeover.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "setup/sysfs.h"

namespace manactl::setup {
namespace {

// Whether the VF is down although it has joined a synthetic interface that is up. `index`
// identifies the VF, because udev may rename it meanwhile.
bool awaits_takeover(const os::System& system, int index) {
  const auto links = system.links.links();
  if (!links) return false;
  const auto link_of = [&](int wanted) {
    return std::ranges::find(*links, wanted, &os::Link::index);
  };
  const auto vf = link_of(index);
  if (vf == links->end() || vf->is_up() || !vf->master) return false;
  const auto synthetic = link_of(*vf->master);
  return synthetic != links->end() && synthetic->is_up();
}

}  // namespace

bool wait_for_takeover(const StepContext& context, const NicInterface& vf) {
  constexpr std::chrono::milliseconds kLimit{2000};
  const auto link = find_link(context.system, vf);
  if (!link || !awaits_takeover(context.system, link->index)) return false;
  (void)wait_until(
      context.clock, kLimit, [&] { return !awaits_takeover(context.system, link->index); });
  return true;
}

Result<> hold_down(const StepContext& context, const NicInterface& interface) {
  constexpr std::chrono::milliseconds kQuietTime{300};
  constexpr int kMaxAttempts = 5;
  for (int i = 0; i < kMaxAttempts; ++i) {
    const bool raised = wait_until(context.clock, kQuietTime, [&] {
      const auto link = find_link(context.system, interface);
      return !link || link->is_up();
    });
    if (!raised) return {};
    const auto link = find_link(context.system, interface);
    if (!link) return tl::unexpected<Error>(link.error());
    auto set = context.system.links.set_up(link->index, false);
    if (!set) return set;
  }
  return fail(Errc::busy,
              fmt::format("something repeatedly sets {} up: configure the network manager to "
                          "ignore it",
                          printable(interface.name)));
}

}  // namespace manactl::setup
