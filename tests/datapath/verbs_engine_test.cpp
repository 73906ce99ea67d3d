// SPDX-License-Identifier: MIT
//
// The verbs engine on the software adapter: every mode, with one queue and with eight. The device
// runs inside each doorbell store (engine=inline) or in its own thread (engine=threaded).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "datapath/in_child.h"
#include "datapath/traffic/requests.h"
#include "datapath/verbs/engine_ports.h"
#include "datapath/verbs/modes.h"
#include "datapath/verbs_simulated_port.h"

namespace manactl::datapath::verbs::verbs_engine_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
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

std::unique_ptr<Engine> engine_on(const SimulatedPort& port,
                                  Doorbells doorbells = Doorbells::calls) {
  return make_engine([&port, doorbells](const Nic&) { return port.open(doorbells); }, "44.0");
}

// Runs one trial and closes the session.
Trial run_once(const SimulatedPort& port,
               const BenchPlan& plan,
               Doorbells doorbells = Doorbells::calls) {
  auto session = engine_on(port, doorbells)->open(plan).value();
  return session->run(plan.trial, {}, {}).value();
}

struct Case {
  Mode mode;
  const char* engine;
  std::uint16_t queues;
  Doorbells doorbells;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << name_of(c.mode) << ' ' << c.engine << ' ' << c.queues
       << (c.doorbells == Doorbells::calls ? " calls" : " stores");
}

class VerbsModes : public testing::TestWithParam<Case> {};

// The adapter generates the frames to receive, except in modes that measure latency: there it
// returns the sent frames.
TEST_P(VerbsModes, KeepTheContract) {
  EXPECT_TRUE(in_child([] {
    const auto& [mode, device, queues, doorbells] = GetParam();
    const auto* backend = measures_latency(mode) ? "loopback" : "generator";
    SimulatedPort port(fmt::format("engine={} backend={}", device, backend),
                       SimulatedPort::Wiring::as_configured);
    auto plan = plan_of(mode, queues);
    if (measures_latency(mode)) plan.traffic.sizes = {{kMinRequestFrame, 1}};
    const auto trial = run_once(port, plan, doorbells);
    EXPECT_GT(headline(mode, trial.total).packets, 0U);
    EXPECT_EQ(trial.queues.size(), queues);
    EXPECT_EQ(trial.total.tx.errors.value_or(0), 0U);
    EXPECT_EQ(trial.total.rx.errors.value_or(0), 0U);
    EXPECT_FALSE(trial.total.rx.missed) << "direct verbs do not report it";
    EXPECT_FALSE(trial.total.rx.no_buffer);
    EXPECT_EQ(trial.total.tx.packets, port.counters().tx_packets);
    // Packets that arrived after the last poll are still in the receive rings.
    EXPECT_LE(trial.total.rx.packets, port.counters().rx_packets);
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

// A polled doorbell is stored through one mapping of its page and read through another.
// ThreadSanitizer cannot see the order of accesses through different mappings.
#if defined(__SANITIZE_THREAD__)
constexpr bool kOrdersMappings = false;
#else
constexpr bool kOrdersMappings = true;
#endif

bool is_polled(const Case& c) {
  return c.engine == std::string_view("threaded") && c.queues == 1 &&
         c.doorbells == Doorbells::stores;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const auto& row : kModes) {
    if (find_bursts(row.mode) == nullptr) continue;
    for (const auto* device : {"inline", "threaded"}) {
      for (const std::uint16_t queues : {std::uint16_t{1}, std::uint16_t{8}}) {
        for (const auto doorbells : {Doorbells::calls, Doorbells::stores}) {
          const Case c{row.mode, device, queues, doorbells};
          if (kOrdersMappings || !is_polled(c)) cases.push_back(c);
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

TEST(VerbsEngine, SendsExactlyTheFlowsAndSizesOfThePlan) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port;
    auto plan = plan_of(Mode::tx, 2);
    plan.traffic.flows = 3;
    plan.traffic.sizes = {{64, 2}, {594, 1}};
    plan.trial.seconds = 0.02;
    run_once(port, plan);
    std::map<std::uint16_t, std::map<std::size_t, std::uint64_t>> seen;
    const auto frames = port.cable().take_frames();
    EXPECT_GT(frames.size(), 0U);
    for (const auto& frame : frames) {
      const auto source =
          static_cast<std::uint16_t>(frame[kSourcePortAt] << 8U | frame[kSourcePortAt + 1]);
      Bytes expected(frame.size());
      write_frame(flow_of(source), expected);
      if (frame != expected) ADD_FAILURE() << "a wrong frame with port " << source;
      ++seen[source][frame.size()];
    }
    for (unsigned queue = 0; queue < 2; ++queue) {
      const auto ports = source_ports(queue, 2, 3);
      for (auto source = ports.first; source <= ports.last; ++source) {
        EXPECT_THAT(seen[source], testing::SizeIs(testing::Ge(1))) << source;
      }
    }
    EXPECT_EQ(seen.size(), 6U);
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

TEST(VerbsEngine, CountsBytesWithTheChecksumOfTheFrame) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port;
    auto plan = plan_of(Mode::tx);
    plan.traffic.sizes = {{64, 1}, {1518, 1}};
    const auto trial = run_once(port, plan);
    EXPECT_EQ(trial.total.tx.bytes, port.counters().tx_bytes + trial.total.tx.packets * kFcsBytes);
  }));
}

TEST(VerbsEngine, SeparatesCompletedPacketsFromFailedOnes) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port("engine=inline fault=tx=33,every=10");
    const auto trial = run_once(port, plan_of(Mode::tx));
    EXPECT_GT(trial.total.tx.errors.value_or(0), 0U);
    EXPECT_EQ(trial.total.tx.errors, port.counters().tx_errors.load());
    EXPECT_EQ(trial.total.tx.packets, port.counters().tx_packets);
    EXPECT_EQ(trial.queues[0].tx.errors, trial.total.tx.errors);
    // The rate is that of the intervals. A tenth of the posted packets fails.
    std::uint64_t sent = 0;
    for (const auto& interval : trial.intervals) sent += interval.total.tx.packets;
    EXPECT_LT(sent, trial.total.tx.packets + trial.total.tx.packets / 20 + 100);
  }));
}

TEST(VerbsEngine, NotesUnsetAddresses) {
  EXPECT_TRUE(in_child([] {
    const SimulatedPort port;
    auto plan = plan_of(Mode::tx);
    const auto unset_notes = engine_on(port)->open(plan).value()->about().notes;
    EXPECT_THAT(unset_notes, Contains(HasSubstr("unless the peer address is set")));
    EXPECT_THAT(unset_notes, Contains(HasSubstr("unless the source address is set")));
    plan.traffic.peer_ip = Ipv4Address{0x0a000105};
    plan.nics[0].ip = Ipv4Address{0x0a000104};
    const auto set_notes = engine_on(port)->open(plan).value()->about().notes;
    EXPECT_THAT(set_notes, Not(Contains(HasSubstr("address"))));
  }));
}

TEST(VerbsEngine, RunsTrialAfterTrial) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port;
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
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

TEST(VerbsEngine, SendsNoMoreThanTheRate) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port;
    auto plan = plan_of(Mode::tx, 2);
    plan.trial.rate = Rate{Rate::Unit::packets, 10000};
    const auto trial = run_once(port, plan);
    EXPECT_GT(trial.total.tx.packets, 0U);
    constexpr double kTolerance = 1.1;  // covers the error of the measured clock rate
    EXPECT_LE(static_cast<double>(trial.total.tx.packets),
              trial.total.seconds * 10000 * kTolerance + 1);
  }));
}

TEST(VerbsEngine, StopsOnRequest) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port;
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

TEST(VerbsEngine, ReportsTheRemovalOfItsDevice) {
  EXPECT_TRUE(in_child([] {
    // The device fails after 2 s, when the setup is done and packets flow.
    SimulatedPort port("engine=inline fault=device=fatal,ms=2000");
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

TEST(VerbsEngine, ContinuesWhenItsDeviceHasReturned) {
  EXPECT_TRUE(in_child([] {
    // The device fails after 2 s and returns 0.2 s later.
    SimulatedPort port("engine=inline fault=device=reset,ms=2000,back=200");
    auto plan = plan_of(Mode::txrx, 2);
    plan.trial.seconds = 60;
    std::stop_source stop;
    std::vector<std::string> events;
    std::uint64_t sent = 0;
    Progress progress;
    progress.event = [&](const Event& event) {
      events.emplace_back(event.kind == Event::Kind::removed ? "removed" : "returned");
      sent = port.counters().tx_packets;
    };
    progress.interval = [&](const Interval&) {
      if (events.size() == 2 && port.counters().tx_packets > sent + 1000) stop.request_stop();
    };
    auto session = engine_on(port)->open(plan).value();
    const auto trial = session->run(plan.trial, stop.get_token(), progress).value();
    EXPECT_THAT(events, ElementsAre("removed", "returned"));
    EXPECT_EQ(trial.total.tx.errors, 0U);
    EXPECT_GE(trial.total.tx.packets, port.counters().tx_packets);
    session.reset();
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

TEST(VerbsEngine, ReportsPacketsThatTheDeviceDoesNotComplete) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port("engine=inline fault=doorbell=lost");
    const auto trial = run_once(port, plan_of(Mode::tx));
    EXPECT_EQ(trial.total.tx.packets, 0U);
    EXPECT_THAT(trial.notes, Contains(HasSubstr("64 packets were posted but not completed")));
  }));
}

TEST(VerbsEngine, FailsIfAPartOfAPortFails) {
  for (const auto* call : {"open_device", "create_qp", "create_wq", "reg_mr"}) {
    EXPECT_TRUE(in_child([&] {
      SimulatedPort port(fmt::format("engine=inline fault={}=errno:ENOMEM", call));
      const auto session = engine_on(port)->open(plan_of(Mode::txrx));
      ASSERT_FALSE(session.has_value()) << call;
      EXPECT_EQ(session.error().sys, ENOMEM) << call;
      EXPECT_THAT(session.error().message, HasSubstr(call));
      EXPECT_THAT(port.violations(), IsEmpty());
    }));
  }
}

TEST(VerbsEngine, UsesAllDescriptorsOfTheDevice) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port;
    auto plan = plan_of(Mode::tx);
    plan.descriptors = 256;
    EXPECT_GT(run_once(port, plan).total.tx.packets, 0U);
  }));
}

struct InvalidPlan {
  const char* name;
  std::function<void(BenchPlan&)> change;
  Errc code;
  const char* message;
};

void PrintTo(const InvalidPlan& plan, std::ostream* out) {
  *out << plan.name;
}

class VerbsPlan : public testing::TestWithParam<InvalidPlan> {};

TEST_P(VerbsPlan, IsRejected) {
  EXPECT_TRUE(in_child([] {
    SimulatedPort port;
    auto plan = plan_of(Mode::tx, 2);
    GetParam().change(plan);
    const auto session = engine_on(port)->open(plan);
    EXPECT_FALSE(session.has_value());
    EXPECT_EQ(session.error().code, GetParam().code);
    EXPECT_THAT(session.error().message, HasSubstr(GetParam().message));
    EXPECT_THAT(port.violations(), IsEmpty());
  }));
}

const InvalidPlan kInvalidPlans[] = {
    {"Descriptors", [](auto& plan) { plan.descriptors = 512; }, Errc::invalid, "at most 256"},
    {"Queues", [](auto& plan) { plan.queues = 3; }, Errc::invalid, "a power of two"},
    {"Virtual",
     [](auto& plan) {
       plan.nics.clear();
       plan.vdevs = {"net_null0"};
     },
     Errc::invalid,
     "engine verbs measures MANA only"},
    {"Cpu", [](auto& plan) { plan.cpus.cpus = {1023}; }, Errc::invalid, "plan.cpus 1023"},
};

INSTANTIATE_TEST_SUITE_P(Each, VerbsPlan, testing::ValuesIn(kInvalidPlans), [](const auto& one) {
  return std::string(one.param.name);
});

}  // namespace
}  // namespace manactl::datapath::verbs::verbs_engine_test
