// SPDX-License-Identifier: MIT

#include "cli/bench/merge.h"

#include <algorithm>
#include <cmath>

#include "cli/bench/figures.h"

namespace manactl::cli {
namespace {

using datapath::Count;
using datapath::Sample;

Result<> check_modes(datapath::Mode sender, datapath::Mode receiver) {
  if (!datapath::sends(sender)) {
    return fail(Errc::invalid,
                fmt::format("the first result is of {}, no sender", name_of(sender)));
  }
  if (!datapath::receives(receiver)) {
    return fail(Errc::invalid,
                fmt::format("the second result is of {}, no receiver", name_of(receiver)));
  }
  return {};
}

std::optional<double> mean_bytes(const Count& count) {
  if (count.packets == 0) return std::nullopt;
  return static_cast<double>(count.bytes) / static_cast<double>(count.packets);
}

// What flowed, not what was asked for: a receiver takes every size.
Result<> check_sizes(const Count& sent, const Count& received) {
  constexpr double kClose = 0.01;
  const auto ours = mean_bytes(sent);
  const auto theirs = mean_bytes(received);
  if (!ours || !theirs || std::abs(*ours - *theirs) <= *ours * kClose) return {};
  return fail(
      Errc::invalid,
      fmt::format("other packets arrived than were sent: {:.1f} bytes in the mean, not {:.1f}",
                  *theirs,
                  *ours));
}

Spread spread_of(const std::vector<Sample>& queues, Count Sample::*direction) {
  Spread spread;
  double sum = 0;
  double squares = 0;
  for (const auto& queue : queues) {
    const auto packets = static_cast<double>((queue.*direction).packets);
    sum += packets;
    squares += packets * packets;
  }
  if (sum == 0) return spread;
  spread.least = 1;
  for (const auto& queue : queues) {
    const auto share = static_cast<double>((queue.*direction).packets) / sum;
    spread.least = std::min(spread.least, share);
    spread.most = std::max(spread.most, share);
  }
  const auto count = static_cast<double>(queues.size());
  const auto mean = sum / count;
  spread.variation = std::sqrt(std::max(0.0, squares / count - mean * mean)) / mean;
  return spread;
}

}  // namespace

Result<MergeResult> merge(const BenchResult& sender, const BenchResult& receiver) {
  auto good = check_modes(sender.plan.mode, receiver.plan.mode);
  if (!good) return tl::unexpected<Error>(good.error());
  const auto sent = total_of(sender.report).tx;
  const auto received = total_of(receiver.report).rx;
  good = check_sizes(sent, received);
  if (!good) return tl::unexpected<Error>(good.error());
  const auto first = std::max(sender.began.front(), receiver.began.front());
  const auto last = std::min(sender.ended, receiver.ended);
  if (first >= last) {
    return fail(Errc::invalid,
                fmt::format("the two did not run at the same time: {} to {}, and {} to {}",
                            utc_text(sender.began.front()),
                            utc_text(sender.ended),
                            utc_text(receiver.began.front()),
                            utc_text(receiver.ended)));
  }
  const bool covered =
      receiver.began.front() <= sender.began.front() && sender.ended <= receiver.ended;
  MergeResult result{sender,
                     receiver,
                     sent.packets,
                     received.packets,
                     last - first,
                     covered,
                     std::nullopt,
                     spread_of(queues_of(sender.report), &Sample::tx),
                     spread_of(queues_of(receiver.report), &Sample::rx),
                     std::nullopt,
                     Exit::ok};
  if (result.covered && sent.packets > 0) {
    const auto lost = sent.packets - std::min(sent.packets, received.packets);
    result.loss = static_cast<double>(lost) / static_cast<double>(sent.packets);
  }
  return result;
}

}  // namespace manactl::cli
