// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "datapath/verbs/call_error.h"

namespace manactl::datapath::verbs::verbs_call_error_test {
namespace {

using testing::HasSubstr;

PortInfo port_info(std::optional<bool> up) {
  return {"mana_0", "7870:00:00.0", 2, "enP30832s1", up};
}

TEST(CallError, NamesTheCommandThatReleasesAPortUsedByTheKernel) {
  for (const int number : {EBUSY, ENODEV}) {
    const auto error = call_error(port_info(true), "create_qp", number);
    EXPECT_EQ(error.code, Errc::busy);
    EXPECT_EQ(error.sys, number);
    EXPECT_THAT(error.message, HasSubstr("the kernel uses it while 'enP30832s1' is up"));
    EXPECT_THAT(error.message, HasSubstr("ip link set enP30832s1 down"));
  }
}

TEST(CallError, BlamesAnotherProgramWhenTheInterfaceIsDown) {
  const auto error = call_error(port_info(false), "create_qp", EBUSY);
  EXPECT_EQ(error.code, Errc::busy);
  EXPECT_THAT(error.message, HasSubstr("another program"));
  EXPECT_THAT(call_error(port_info(std::nullopt), "create_qp_ex", ENODEV).message,
              HasSubstr("the kernel or another program"));
}

TEST(CallError, NamesTheKernelsThatReturnEnodevForABusyPort) {
  EXPECT_THAT(call_error(port_info(true), "create_qp", ENODEV).message,
              HasSubstr("kernels before 7.2"));
}

TEST(CallError, NamesTheCapabilityThatRawPacketsRequire) {
  const auto error = call_error(port_info(false), "create_qp", EPERM);
  EXPECT_EQ(error.code, Errc::denied);
  EXPECT_THAT(error.message, HasSubstr("CAP_NET_RAW"));
}

TEST(CallError, RecognizesAForeignProvider) {
  for (const char* call :
       {"query_device_ex", "alloc_parent_domain", "manadv_set_context_attr", "manadv_init_obj"}) {
    const auto error = call_error(port_info(false), call, EOPNOTSUPP);
    EXPECT_EQ(error.code, Errc::unsupported);
    EXPECT_THAT(error.message, HasSubstr("not libmana")) << call;
  }
}

TEST(CallError, DistinguishesAForeignProviderFromAnOldKernel) {
  const auto error = call_error(port_info(false), "create_cq", EOPNOTSUPP);
  EXPECT_EQ(error.code, Errc::unsupported);
  EXPECT_THAT(error.message, HasSubstr("mana_ib of this kernel does not support it"));
}

TEST(CallError, NamesTheNextStepForCommonErrors) {
  EXPECT_THAT(call_error(port_info(false), "open_device", EACCES).message,
              HasSubstr("run as root"));
  EXPECT_THAT(call_error(port_info(false), "create_wq", ENOMEM).message, HasSubstr("ulimit -l"));
  EXPECT_THAT(call_error(port_info(false), "alloc_pd", ENOMEM).message,
              testing::EndsWith("memory"));
  EXPECT_THAT(call_error(port_info(false), "create_qp", EPROTO).message,
              HasSubstr("device rejected"));
  EXPECT_THAT(call_error(port_info(false), "create_qp", EINVAL).message,
              HasSubstr("dynamic_debug"));
}

TEST(CallError, NamesTheCallAndDevice) {
  const auto error = call_error(port_info(false), "create_cq", ENOMEM);
  EXPECT_THAT(error.message, HasSubstr("create_cq of mana_0"));
  EXPECT_EQ(error.sys, ENOMEM);
}

}  // namespace
}  // namespace manactl::datapath::verbs::verbs_call_error_test
