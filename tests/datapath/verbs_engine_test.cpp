// SPDX-License-Identifier: MIT
//
// The engine of direct verbs on the software adapter: every mode, with the device inside the
// doorbell and on a thread of its own, with one queue and with eight.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "datapath/in_child.h"
#include "datapath/request.h"
#include "datapath/verbs/engine.h"
#include "datapath/verbs_machine.h"

namespace manactl::datapath::verbs {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const MacAddress kMac = MacAddress::parse("00:0d:3a:76:3b:d0").value();

BenchPlan plan_of(Mode mode, std::uint16_t queues = 1) {
  BenchPlan plan;
  plan.mode = mode;
  plan.nics = {{"sim0", PciAddress::parse("7870:00:00.0").value(), kMac, std::nullopt}};
  plan.queues = queues;
  plan.descriptors = 64;
  plan.trial.seconds = 0.1;
  plan.trial.interval_seconds = 0.05;
  return plan;
}

std::unique_ptr<Engine> engine_on(const Machine& port, Rings rings = Rings::calls) {
  return make_engine([&port, rings](const Nic&) { return port.open(rings); }, "44.0");
}

// One trial, and everything is gone again.
Trial run_once(const Machine& port, const BenchPlan& plan, Rings rings = Rings::calls) {
  auto session = engine_on(port, rings)->open(plan).value();
  return session->run(plan.trial, {}, {}).value();
}

struct Case {
  Mode mode;
  const char* engine;
  std::uint16_t queues;
  Rings rings;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << name_of(c.mode) << ' ' << c.engine << ' ' << c.queues
       << (c.rings == Rings::calls ? " calls" : " stores");
}

class VerbsModes : public testing::TestWithParam<Case> {};

// Frames come from a generator, so that all modes have some; answers are requests that came back.
TEST_P(VerbsModes, KeepTheContract) {
  EXPECT_TRUE(in_child([] {
    const auto& [mode, device, queues, rings] = GetParam();
    const auto* backend = mode == Mode::rtt ? "loopback" : "generator";
    Machine port(fmt::format("engine={} backend={}", device, backend),
                 Machine::Ends::as_configured);
    auto plan = plan_of(mode, queues);
    if (mode == Mode::rtt) plan.traffic.sizes = {{kLeastRequestFrame, 1}};
    const auto trial = run_once(port, plan, rings);
    EXPECT_GT(headline(mode, trial.total).packets, 0U);
    EXPECT_EQ(trial.queues.size(), queues);
    EXPECT_EQ(trial.total.tx.errors + trial.total.rx.errors, 0U);
    EXPECT_EQ(trial.total.tx.packets, port.counters().tx_packets);
    // What came after the last look is in the rings.
    EXPECT_LE(trial.total.rx.packets, port.counters().rx_packets);
    EXPECT_THAT(port.broken(), IsEmpty());
  }));
}

// A polled doorbell is stored through one mapping of its page and read through another, by which
// ThreadSanitizer does not see that the one comes before the other.
#if defined(__SANITIZE_THREAD__)
constexpr bool kSeesMappings = false;
#else
constexpr bool kSeesMappings = true;
#endif

bool is_polled(const Case& one) {
  return one.engine == std::string_view("threaded") && one.queues == 1 &&
         one.rings == Rings::stores;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto mode : {Mode::tx, Mode::rx, Mode::txrx, Mode::fwd, Mode::rtt}) {
    for (const auto* device : {"inline", "threaded"}) {
      for (const std::uint16_t queues : {std::uint16_t{1}, std::uint16_t{8}}) {
        for (const auto rings : {Rings::calls, Rings::stores}) {
          const Case one{mode, device, queues, rings};
          if (kSeesMappings || !is_polled(one)) cases.push_back(one);
        }
      }
    }
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Every, VerbsModes, testing::ValuesIn(all_cases()));

Flow flow_of(std::uint16_t port) {
  Flow flow;
  flow.source = kMac;
  flow.source_port = port;
  return flow;
}

TEST(VerbsEngine, SendsTheFlowsAndSizesOfThePlanByteForByte) {
  EXPECT_TRUE(in_child([] {
    Machine port;
    auto plan = plan_of(Mode::tx, 2);
    plan.traffic.flows = 3;
    plan.traffic.sizes = {{64, 2}, {594, 1}};
    plan.trial.seconds = 0.02;
    run_once(port, plan);
    std::map<std::uint16_t, std::map<std::size_t, std::uint64_t>> seen;
    const auto frames = port.cable().taken();
    EXPECT_GT(frames.size(), 0U);
    for (const auto& frame : frames) {
      const auto source =
          static_cast<std::uint16_t>(frame[kSourcePortAt] << 8U | frame[kSourcePortAt + 1]);
      Bytes right(frame.size());
      write_frame(flow_of(source), right);
      if (frame != right) ADD_FAILURE() << "a wrong frame with port " << source;
      ++seen[source][frame.size()];
    }
    for (unsigned queue = 0; queue < 2; ++queue) {
      const auto ports = source_ports(queue, 2, 3);
      for (auto source = ports.first; source <= ports.last; ++source) {
        EXPECT_THAT(seen[source], testing::SizeIs(testing::Ge(1))) << source;
      }
    }
    EXPECT_EQ(seen.size(), 6U);
    EXPECT_THAT(port.broken(), IsEmpty());
  }));
}

TEST(VerbsEngine, CountsBytesWithTheChecksumOfTheFrame) {
  EXPECT_TRUE(in_child([] {
    Machine port;
    auto plan = plan_of(Mode::tx);
    plan.traffic.sizes = {{64, 1}, {1518, 1}};
    const auto trial = run_once(port, plan);
    EXPECT_EQ(trial.total.tx.bytes, port.counters().tx_bytes + trial.total.tx.packets * kFcsBytes);
  }));
}

TEST(VerbsEngine, TellsCompletedPacketsFromFailedOnes) {
  EXPECT_TRUE(in_child([] {
    Machine port("engine=inline fault=tx=33,every=10");
    const auto trial = run_once(port, plan_of(Mode::tx));
    EXPECT_GT(trial.total.tx.errors, 0U);
    EXPECT_EQ(trial.total.tx.errors, port.counters().tx_errors);
    EXPECT_EQ(trial.total.tx.packets, port.counters().tx_packets);
    EXPECT_EQ(trial.queues[0].tx.errors, trial.total.tx.errors);
  }));
}

TEST(VerbsEngine, NotesAddressesThatAzureDoesNotKnow) {
  EXPECT_TRUE(in_child([] {
    const Machine port;
    auto plan = plan_of(Mode::tx);
    const auto nowhere = engine_on(port)->open(plan).value()->about().notes;
    EXPECT_THAT(nowhere, Contains(HasSubstr("--peer ADDRESS")));
    EXPECT_THAT(nowhere, Contains(HasSubstr("--src-ip ADDRESS")));
    plan.traffic.peer_ip = Ipv4Address{0x0a000105};
    plan.nics[0].ip = Ipv4Address{0x0a000104};
    const auto somewhere = engine_on(port)->open(plan).value()->about().notes;
    EXPECT_THAT(somewhere, Not(Contains(HasSubstr("ADDRESS"))));
  }));
}

TEST(VerbsEngine, RunsTrialAfterTrial) {
  EXPECT_TRUE(in_child([] {
    Machine port;
    const auto plan = plan_of(Mode::tx, 2);
    {
      const auto session = engine_on(port)->open(plan).value();
      std::uint64_t sum = 0;
      for (int i = 0; i < 3; ++i) {
        const auto trial = session->run(plan.trial, {}, {}).value();
        EXPECT_GT(trial.total.tx.packets, 0U);
        sum += trial.total.tx.packets;
      }
      EXPECT_EQ(sum, port.counters().tx_packets);
    }
    EXPECT_THAT(port.broken(), IsEmpty());
  }));
}

TEST(VerbsEngine, SendsNoMoreThanTheRate) {
  EXPECT_TRUE(in_child([] {
    Machine port;
    auto plan = plan_of(Mode::tx, 2);
    plan.trial.rate = Rate{Rate::Unit::packets, 10000};
    const auto trial = run_once(port, plan);
    EXPECT_GT(trial.total.tx.packets, 0U);
    constexpr double kSlack = 1.1;  // of the measured length of a tick
    EXPECT_LE(static_cast<double>(trial.total.tx.packets),
              trial.total.seconds * 10000 * kSlack + 1);
  }));
}

TEST(VerbsEngine, StopsWhenItIsAsked) {
  EXPECT_TRUE(in_child([] {
    Machine port;
    auto plan = plan_of(Mode::tx);
    plan.trial.seconds = 3600;
    const auto session = engine_on(port)->open(plan).value();
    std::stop_source stop;
    Progress progress;
    progress.interval = [&](const Interval&) { stop.request_stop(); };
    const auto trial = session->run(plan.trial, stop.get_token(), progress).value();
    EXPECT_TRUE(trial.interrupted);
    EXPECT_GT(trial.total.tx.packets, 0U);
  }));
}

TEST(VerbsEngine, TellsThatItsDeviceIsGone) {
  EXPECT_TRUE(in_child([] {
    // Late enough for all that is made before the first packet.
    Machine port("engine=inline fault=device=fatal,ms=2000");
    auto plan = plan_of(Mode::tx);
    plan.trial.seconds = 60;
    std::stop_source stop;
    Progress progress;
    progress.event = [&](const Event&) { stop.request_stop(); };
    const auto session = engine_on(port)->open(plan).value();
    const auto trial = session->run(plan.trial, stop.get_token(), progress).value();
    ASSERT_EQ(trial.events.size(), 1U);
    EXPECT_EQ(trial.events[0].kind, Event::Kind::removed);
    EXPECT_EQ(trial.events[0].device, "7870:00:00.0");
  }));
}

TEST(VerbsEngine, CountsWhatTheDeviceNeverCompleted) {
  EXPECT_TRUE(in_child([] {
    Machine port("engine=inline fault=doorbell=lost");
    const auto trial = run_once(port, plan_of(Mode::tx));
    EXPECT_EQ(trial.total.tx.packets, 0U);
    EXPECT_THAT(trial.notes, Contains(HasSubstr("64 packets were handed over but not completed")));
  }));
}

struct Refused {
  const char* name;
  std::function<void(BenchPlan&)> change;
  Errc code;
  const char* says;
};

void PrintTo(const Refused& refused, std::ostream* out) {
  *out << refused.name;
}

class VerbsPlan : public testing::TestWithParam<Refused> {};

TEST_P(VerbsPlan, IsRefused) {
  EXPECT_TRUE(in_child([] {
    Machine port;
    auto plan = plan_of(Mode::tx, 2);
    GetParam().change(plan);
    const auto session = engine_on(port)->open(plan);
    EXPECT_FALSE(session.has_value());
    EXPECT_EQ(session.error().code, GetParam().code);
    EXPECT_THAT(session.error().message, HasSubstr(GetParam().says));
    EXPECT_THAT(port.broken(), IsEmpty());
  }));
}

const Refused kRefused[] = {
    {"Descriptors", [](auto& plan) { plan.descriptors = 512; }, Errc::invalid, "at most 256"},
    {"Queues", [](auto& plan) { plan.queues = 3; }, Errc::invalid, "powers of two"},
    {"Virtual",
     [](auto& plan) {
       plan.nics.clear();
       plan.vdevs = {"net_null0"};
     },
     Errc::invalid,
     "--engine verbs"},
    {"Cpu", [](auto& plan) { plan.cpus.cpus = {1023}; }, Errc::invalid, "--cpus 1023"},
};

INSTANTIATE_TEST_SUITE_P(Each, VerbsPlan, testing::ValuesIn(kRefused), [](const auto& one) {
  return std::string(one.param.name);
});

}  // namespace
}  // namespace manactl::datapath::verbs
