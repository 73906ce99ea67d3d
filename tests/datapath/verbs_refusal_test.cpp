// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "datapath/verbs/refusal.h"

namespace manactl::datapath::verbs {
namespace {

using testing::HasSubstr;

PortPlace place(std::optional<bool> up) {
  return {"mana_0", "7870:00:00.0", 2, "enP30832s1", up};
}

TEST(Refusal, NamesTheCommandThatFreesAPortOfTheKernel) {
  for (const int number : {EBUSY, ENODEV}) {
    const auto error = refused(place(true), "create_qp", number);
    EXPECT_EQ(error.code, Errc::busy);
    EXPECT_EQ(error.sys, number);
    EXPECT_THAT(error.message, HasSubstr("the kernel has it while 'enP30832s1' is up"));
    EXPECT_THAT(error.message, HasSubstr("ip link set enP30832s1 down"));
  }
}

TEST(Refusal, LooksForAnotherProgramWhenTheInterfaceIsDown) {
  const auto error = refused(place(false), "create_qp", EBUSY);
  EXPECT_EQ(error.code, Errc::busy);
  EXPECT_THAT(error.message, HasSubstr("another program"));
  EXPECT_THAT(refused(place(std::nullopt), "create_qp_ex", ENODEV).message,
              HasSubstr("or another program"));
}

TEST(Refusal, SaysWhichKernelsCallABusyPortAbsent) {
  EXPECT_THAT(refused(place(true), "create_qp", ENODEV).message, HasSubstr("kernels before 7.2"));
}

TEST(Refusal, AsksForTheCapabilityOfRawPackets) {
  const auto error = refused(place(false), "create_qp", EPERM);
  EXPECT_EQ(error.code, Errc::denied);
  EXPECT_THAT(error.message, HasSubstr("CAP_NET_RAW"));
}

TEST(Refusal, KnowsAForeignProvider) {
  const auto error = refused(place(false), "alloc_parent_domain", EOPNOTSUPP);
  EXPECT_EQ(error.code, Errc::unsupported);
  EXPECT_THAT(error.message, HasSubstr("not libmana"));
}

TEST(Refusal, TellsAForeignProviderFromAKernelThatCannot) {
  const auto error = refused(place(false), "create_cq", EOPNOTSUPP);
  EXPECT_EQ(error.code, Errc::unsupported);
  EXPECT_THAT(error.message, HasSubstr("mana_ib of this kernel does not do that"));
}

TEST(Refusal, SaysWhatToDoAboutWhatCallsHaveInCommon) {
  EXPECT_THAT(refused(place(false), "open_device", EACCES).message, HasSubstr("run as root"));
  EXPECT_THAT(refused(place(false), "create_wq", ENOMEM).message, HasSubstr("ulimit -l"));
  EXPECT_THAT(refused(place(false), "alloc_pd", ENOMEM).message, testing::EndsWith("memory"));
  EXPECT_THAT(refused(place(false), "create_qp", EPROTO).message, HasSubstr("adapter refused"));
  EXPECT_THAT(refused(place(false), "create_qp", EINVAL).message, HasSubstr("dynamic_debug"));
}

TEST(Refusal, NamesTheCallOfAllElse) {
  const auto error = refused(place(false), "create_cq", ENOMEM);
  EXPECT_THAT(error.message, HasSubstr("create_cq of mana_0"));
  EXPECT_EQ(error.sys, ENOMEM);
}

}  // namespace
}  // namespace manactl::datapath::verbs
