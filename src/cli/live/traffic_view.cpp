// SPDX-License-Identifier: MIT

#include "cli/live/traffic_view.h"

#include "cli/live/render_traffic.h"
#include "host/path_switches.h"

namespace manactl::cli {

// The time stamps of the kernel log do not include the time of a suspended VM, nor does this clock.
void TrafficView::read_kernel_log() {
  const auto log = system_.kernel_log.open();
  if (!log) return;  // only root may be allowed to read it
  const auto boot = start_ - std::chrono::duration_cast<std::chrono::system_clock::duration>(
                                 std::chrono::steady_clock::now().time_since_epoch());
  for (const auto& [id, path_switch] : host::read_path_switches(**log)) {
    const std::chrono::duration<double> seconds(path_switch.seconds);
    histories_.set_switch(
        id,
        path_switch.to_vf,
        boot + std::chrono::duration_cast<std::chrono::system_clock::duration>(seconds));
  }
}

Result<host::TrafficSample> TrafficView::sample() {
  auto sample = sampler_.sample(std::chrono::steady_clock::now().time_since_epoch());
  if (!sample) return because(sample.error(), "cannot list the NICs");
  std::erase_if(sample->nics,
                [this](const host::NicTraffic& nic) { return !id_.empty() && nic.id != id_; });
  return sample;
}

Result<> TrafficView::start() {
  auto first = sample();
  if (!first) return tl::unexpected<Error>(first.error());
  last_ = std::move(*first);
  read_kernel_log();
  return {};
}

Exit TrafficView::report(Context& context, bool as_event) {
  auto now = sample();
  if (!now) return report_error(context, now.error());
  const auto interval = host::interval_between(last_, *now);
  last_ = std::move(*now);
  const auto time = std::chrono::system_clock::now();
  histories_.add(interval, time);
  const TrafficReport report{interval, histories_, start_, time, context.verbosity > 0};
  as_event ? print_event(context.out, report) : print_text(context.out, report);
  return Exit::ok;
}

}  // namespace manactl::cli
