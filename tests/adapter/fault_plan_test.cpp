// SPDX-License-Identifier: MIT

#include "adapter/fault_plan.h"

#include <gmock/gmock.h>

#include <cerrno>

namespace manactl::adapter {
namespace {

using testing::HasSubstr;

TEST(Fault, IsParsedFromEveryForm) {
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

TEST(Fault, KnowsEveryVerbByItsName) {
  for (std::size_t i = 0; i < kVerbs; ++i) {
    const auto verb = static_cast<Verb>(i);
    EXPECT_EQ(Fault::parse(fmt::format("{}=errno:EIO", name_of(verb)))->verb, verb);
  }
}

TEST(Fault, SaysWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "TARGET=WHAT"},
      {"create_qp", "TARGET=WHAT"},
      {"creat_qp=errno:EIO", "'create_qp' is"},
      {"create_qp=errno:ENODEF", "'ENODEV' is"},
      {"create_qp=missin", "'missing' is"},
      {"create_qp=hangs", "'hang' is"},
      {"create_qp=crash,every=2", "does not belong"},
      {"create_cq=missing", "cannot be missing"},
      {"create_qp=errno:EIO,every=2", "does not belong"},
      {"create_qp=errno:EIO,times=0", "at least 1"},
      {"create_qp=errno:EIO,after=x", "after: "},
      {"create_qp=errno:EIO,", "does not belong"},
      {"tx=32", "33 to 42"},
      {"tx=43", "33 to 42"},
      {"tx=x", "33 to 42"},
      {"tx=33,every=0", "at least 1"},
      {"rx=truncated", "'truncate' is"},
      {"rx=drop,after=1", "does not belong"},
      {"device=fatal,every=1", "does not belong"},
      {"rx=drop,every=1=2", "does not belong"},
      {"doorbell=late", "fault 'late'"},
      {"doorbell=lost,us=1", "does not belong"},
      {"doorbell=delayed,us=x", "us: "},
      {"doorbell=delayed,us=18446744073709551615", "us: "},
      {"device=fatal,back=1", "does not belong"},
      {"device=reset,back=", "back: "},
      {"provider=mana", "'mana' is not known"},
      {"provider=foreign,every=1", "does not belong"},
      {"cq=overrun,after=1", "does not belong"},
  };
  for (const auto& [text, words] : cases) {
    const auto fault = Fault::parse(text);
    ASSERT_FALSE(fault) << text;
    EXPECT_THAT(fault.error().message, HasSubstr(words)) << text;
  }
}

TEST(VerbFaults, StrikeBetweenAfterAndTimes) {
  VerbFaults faults({*Fault::parse("reg_mr=errno:ENOMEM,after=1,times=2")});
  EXPECT_EQ(faults.strike(Verb::reg_mr), 0);
  EXPECT_EQ(faults.strike(Verb::create_qp), 0);
  EXPECT_EQ(faults.strike(Verb::reg_mr), ENOMEM);
  EXPECT_EQ(faults.strike(Verb::reg_mr), ENOMEM);
  EXPECT_EQ(faults.strike(Verb::reg_mr), 0);
}

TEST(VerbFaults, KnowWhatAForeignProviderHas) {
  VerbFaults faults({*Fault::parse("provider=foreign")});
  EXPECT_FALSE(faults.missing(Verb::query_device_ex));
  for (const auto verb : {Verb::alloc_parent_domain, Verb::create_wq, Verb::create_qp_ex}) {
    EXPECT_TRUE(faults.missing(verb));
  }
  EXPECT_EQ(faults.strike(Verb::create_wq), 0);
}

TEST(VerbFaults, KnowWhatIsMissing) {
  VerbFaults faults({*Fault::parse("create_wq=missing"), *Fault::parse("tx=33")});
  EXPECT_TRUE(faults.missing(Verb::create_wq));
  EXPECT_FALSE(faults.missing(Verb::create_qp_ex));
  EXPECT_EQ(faults.strike(Verb::create_wq), 0);
}

}  // namespace
}  // namespace manactl::adapter
