// SPDX-License-Identifier: MIT
//
// The notes of bench about outages, as doctor reads them in a result.

#include <gtest/gtest.h>

#include <vector>

#include "datapath/analysis/outages.h"
#include "diag/signature_set.h"

namespace manactl::cli::outage_note_test {
namespace {

// The note on a trial that received these numbers of packets.
std::string note_on(const std::vector<std::uint64_t>& packets) {
  datapath::Trial trial;
  for (const auto count : packets) {
    datapath::Interval interval;
    interval.total.seconds = 0.5;
    interval.total.rx.packets = count;
    interval.total.effort.polls = 1000;
    trial.intervals.push_back(interval);
  }
  datapath::mark_outages(datapath::Mode::txrx, trial);
  return trial.notes.empty() ? std::string() : trial.notes.front();
}

TEST(OutageNote, IsAKnownLineOfDoctor) {
  const auto known = diag::SignatureSet::load();
  ASSERT_TRUE(known);
  for (const auto& packets :
       {std::vector<std::uint64_t>{9000, 9000, 0, 0, 9000}, {9000, 9000, 2, 1, 9000}}) {
    const auto match = known->match(note_on(packets));
    ASSERT_TRUE(match) << note_on(packets);
    EXPECT_EQ(match->signature->id, "bench-outage");
  }
}

}  // namespace
}  // namespace manactl::cli::outage_note_test
