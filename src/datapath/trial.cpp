// SPDX-License-Identifier: MIT
#include "datapath/trial.h"

#include <array>

namespace manactl::datapath {

namespace {

std::uint64_t since(std::uint64_t now, std::uint64_t before) {
  return now > before ? now - before : 0;
}

}  // namespace

std::string_view name_of(Mode mode) {
  constexpr std::array<std::string_view, 5> kNames = {"tx", "rx", "txrx", "fwd", "rtt"};
  return kNames[static_cast<std::size_t>(mode)];
}

bool sends(Mode mode) {
  return mode != Mode::rx;
}

bool receives(Mode mode) {
  return mode != Mode::tx;
}

Count& Count::operator+=(const Count& other) {
  packets += other.packets;
  bytes += other.bytes;
  missed += other.missed;
  no_buffer += other.no_buffer;
  errors += other.errors;
  return *this;
}

Count Count::operator-(const Count& before) const {
  return {since(packets, before.packets),
          since(bytes, before.bytes),
          since(missed, before.missed),
          since(no_buffer, before.no_buffer),
          since(errors, before.errors)};
}

Effort& Effort::operator+=(const Effort& other) {
  cycles += other.cycles;
  instructions += other.instructions;
  polls += other.polls;
  empty_polls += other.empty_polls;
  full_bursts += other.full_bursts;
  return *this;
}

Effort Effort::operator-(const Effort& before) const {
  return {since(cycles, before.cycles),
          since(instructions, before.instructions),
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
  return mode == Mode::tx ? sample.tx : sample.rx;
}

}  // namespace manactl::datapath
