// SPDX-License-Identifier: MIT
#include "datapath/measure/trial.h"

#include <algorithm>

namespace manactl::datapath {

namespace {

std::uint64_t since(std::uint64_t now, std::uint64_t before) {
  return now - std::min(now, before);
}

}  // namespace

ReportedCount sum_of(const ReportedCount& one, const ReportedCount& other) {
  return one && other ? ReportedCount(*one + *other) : ReportedCount();
}

ReportedCount difference_of(const ReportedCount& now, const ReportedCount& before) {
  return now && before ? ReportedCount(since(*now, *before)) : ReportedCount();
}

Count& Count::operator+=(const Count& other) {
  packets += other.packets;
  bytes += other.bytes;
  missed = sum_of(missed, other.missed);
  no_buffer = sum_of(no_buffer, other.no_buffer);
  errors = sum_of(errors, other.errors);
  return *this;
}

Count Count::operator-(const Count& before) const {
  return {since(packets, before.packets),
          since(bytes, before.bytes),
          difference_of(missed, before.missed),
          difference_of(no_buffer, before.no_buffer),
          difference_of(errors, before.errors)};
}

void set_packets(Count& count, std::uint64_t packets) {
  const auto mean = count.packets == 0
                        ? 0
                        : static_cast<double>(count.bytes) / static_cast<double>(count.packets);
  count.bytes = static_cast<std::uint64_t>(mean * static_cast<double>(packets));
  count.packets = packets;
}

void exclude_failed(Count& sent) {
  constexpr std::uint64_t kRejectedPerError = 100;  // ignores one more error for so many packets
  const auto rejected = sent.missed.value_or(0);
  const auto failed = since(sent.errors.value_or(0), rejected);
  if (failed > rejected / kRejectedPerError) set_packets(sent, since(sent.packets, failed));
}

Effort& Effort::operator+=(const Effort& other) {
  cycles += other.cycles;
  instructions = sum_of(instructions, other.instructions);
  polls += other.polls;
  empty_polls += other.empty_polls;
  full_bursts += other.full_bursts;
  return *this;
}

Effort Effort::operator-(const Effort& before) const {
  return {since(cycles, before.cycles),
          difference_of(instructions, before.instructions),
          since(polls, before.polls),
          since(empty_polls, before.empty_polls),
          since(full_bursts, before.full_bursts)};
}

Sample& Sample::operator+=(const Sample& other) {
  tx += other.tx;
  rx += other.rx;
  effort += other.effort;
  return *this;
}

const Count& headline(Mode mode, const Sample& sample) {
  return receives(mode) ? sample.rx : sample.tx;
}

}  // namespace manactl::datapath
