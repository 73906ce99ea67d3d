// SPDX-License-Identifier: MIT

#include "adapter/fault_plan.h"

#include <gmock/gmock.h>

#include <cerrno>

namespace manactl::adapter::fault_plan_test {
namespace {

using testing::HasSubstr;

TEST(Fault, ParsesEveryForm) {
  const auto call = Fault::parse("create_qp=errno:ENODEV,after=2,times=3").value();
  EXPECT_EQ(call.kind, FaultKind::error);
  EXPECT_EQ(call.verb, Verb::create_qp);
  EXPECT_EQ(call.number, ENODEV);
  EXPECT_EQ(call.after, 2U);
  EXPECT_EQ(call.times, 3U);
  EXPECT_EQ(Fault::parse("alloc_pd=hang")->kind, FaultKind::hang);
  const auto crash = Fault::parse("create_cq=crash,after=1,times=1").value();
  EXPECT_EQ(crash.kind, FaultKind::crash);
  EXPECT_EQ(crash.after, 1U);
  const auto missing = Fault::parse("alloc_parent_domain=missing").value();
  EXPECT_EQ(missing.kind, FaultKind::missing);
  EXPECT_EQ(missing.verb, Verb::alloc_parent_domain);
  const auto tx = Fault::parse("tx=41,every=100").value();
  EXPECT_EQ(tx.kind, FaultKind::tx_error);
  EXPECT_EQ(tx.number, 41);
  EXPECT_EQ(tx.every, 100U);
  EXPECT_EQ(Fault::parse("rx=truncate")->kind, FaultKind::truncate);
  EXPECT_EQ(Fault::parse("rx=drop")->kind, FaultKind::drop);
  EXPECT_EQ(Fault::parse("doorbell=lost,every=3")->kind, FaultKind::lost);
  EXPECT_EQ(Fault::parse("device=fatal,ms=500")->ms, 500U);
  EXPECT_EQ(Fault::parse("cq=overrun,every=9")->kind, FaultKind::overrun);
  EXPECT_EQ(Fault::parse("doorbell=duplicated")->kind, FaultKind::duplicated);
  EXPECT_EQ(Fault::parse("provider=foreign")->kind, FaultKind::foreign);
  const auto delayed = Fault::parse("doorbell=delayed,every=2,us=50").value();
  EXPECT_EQ(delayed.kind, FaultKind::delayed);
  EXPECT_EQ(delayed.every, 2U);
  EXPECT_EQ(delayed.us, 50U);
  const auto reset = Fault::parse("device=reset,ms=5,back=7").value();
  EXPECT_EQ(reset.kind, FaultKind::reset);
  EXPECT_EQ(reset.ms, 5U);
  EXPECT_EQ(reset.back, 7U);
}

TEST(Fault, ParsesEveryVerb) {
  for (const auto& [verb, word] : kVerbWords) {
    EXPECT_EQ(Fault::parse(fmt::format("{}=errno:EIO", word))->verb, verb);
  }
}

TEST(Fault, ExplainsInvalidFaults) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "TARGET=WHAT"},
      {"create_qp", "TARGET=WHAT"},
      {"creat_qp=errno:EIO", "did you mean 'create_qp'?"},
      {"create_qp=errno:ENODEF", "did you mean 'ENODEV'?"},
      {"create_qp=EBUSY", "did you mean 'create_qp=errno:EBUSY'?"},
      {"create_qp=missin", "did you mean 'missing'?"},
      {"create_qp=hangs", "did you mean 'hang'?"},
      {"create_qp=crash,every=2", "unknown option 'every'; use after or times"},
      {"create_cq=missing", "cannot be missing"},
      {"create_qp=errno:EIO,every=2", "unknown option 'every'; use after or times"},
      {"create_qp=errno:EIO,times=0", "at least 1"},
      {"create_qp=errno:EIO,after=x", "after: "},
      {"create_qp=errno:EIO,", "unknown option ''; use after or times"},
      {"tx=32", "33 to 42"},
      {"tx=43", "33 to 42"},
      {"tx=x", "33 to 42"},
      {"tx=33,every=0", "at least 1"},
      {"rx=drop,ever=10", "unknown option 'ever'; did you mean 'every'?"},
      {"rx=drop,every", "use every=NUMBER"},
      {"rx=33", "unknown fault '33'; use truncate or drop"},
      {"tx", "use TARGET=WHAT"},
      {"rx=truncated", "did you mean 'truncate'?"},
      {"rx=drop,after=1", "unknown option 'after'; use every"},
      {"device=fatal,every=1", "unknown option 'every'; use ms"},
      {"rx=drop,every=1=2", "every: "},
      {"doorbell=late", "fault 'late'"},
      {"doorbell=lost,us=1", "unknown option 'us'; use every"},
      {"doorbell=delayed,us=x", "us: "},
      {"doorbell=delayed,us=18446744073709551615", "us: "},
      {"device=fatal,back=1", "unknown option 'back'; use ms"},
      {"device=reset,back=", "back: "},
      {"provider=mana", "unknown fault 'mana'"},
      {"provider=foreign,every=1", "this fault has no options"},
      {"cq=overrun,after=1", "unknown option 'after'; use every"},
  };
  for (const auto& [text, message] : cases) {
    const auto fault = Fault::parse(text);
    ASSERT_FALSE(fault) << text;
    EXPECT_THAT(fault.error().message, HasSubstr(message)) << text;
  }
}

TEST(VerbFaults, FailCallsBetweenAfterAndTimes) {
  FaultCounts injected{};
  VerbFaults faults({*Fault::parse("reg_mr=errno:ENOMEM,after=1,times=2")}, injected);
  EXPECT_EQ(faults.inject(Verb::reg_mr), 0);
  EXPECT_EQ(faults.inject(Verb::create_qp), 0);
  EXPECT_EQ(faults.inject(Verb::reg_mr), ENOMEM);
  EXPECT_EQ(faults.inject(Verb::reg_mr), ENOMEM);
  EXPECT_EQ(faults.inject(Verb::reg_mr), 0);
  EXPECT_EQ(injected[static_cast<std::size_t>(FaultKind::error)], 2U);
}

TEST(VerbFaults, RemoveTheCallsThatAForeignProviderLacks) {
  FaultCounts injected{};
  VerbFaults faults({*Fault::parse("provider=foreign")}, injected);
  EXPECT_FALSE(faults.is_missing(Verb::query_device_ex));
  for (const auto verb : {Verb::alloc_parent_domain, Verb::create_wq, Verb::create_qp_ex}) {
    EXPECT_TRUE(faults.is_missing(verb));
  }
  EXPECT_EQ(faults.inject(Verb::create_wq), 0);
}

TEST(VerbFaults, RemoveAMissingCall) {
  FaultCounts injected{};
  VerbFaults faults({*Fault::parse("create_wq=missing"), *Fault::parse("tx=33")}, injected);
  EXPECT_TRUE(faults.is_missing(Verb::create_wq));
  EXPECT_FALSE(faults.is_missing(Verb::create_qp_ex));
  EXPECT_EQ(faults.inject(Verb::create_wq), 0);
}

}  // namespace
}  // namespace manactl::adapter::fault_plan_test
