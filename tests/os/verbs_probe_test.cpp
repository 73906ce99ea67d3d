// SPDX-License-Identifier: MIT

#include "os/verbs_probe.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <cerrno>

namespace manactl::os::verbs_probe_test {
namespace {

using ::testing::HasSubstr;

Result<std::vector<ProviderChoice>> probe_stub(
    const char* mode, std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
  setenv("STUB_VERBS", mode, 1);
  auto result = open_verbs_probe({MANACTL_STUB_LIBIBVERBS}, timeout)->providers();
  unsetenv("STUB_VERBS");
  return result;
}

TEST(VerbsProbe, ReturnsTheLibraryOfTheProvider) {
  const auto choices = probe_stub("");
  ASSERT_TRUE(choices) << choices.error().message;
  ASSERT_EQ(choices->size(), 2U);
  EXPECT_EQ(choices->front().device, "mana_0");
  EXPECT_EQ(choices->front().library.value(), "libstub_provider.so");
}

TEST(VerbsProbe, ReturnsTheErrnoIfADeviceCannotBeOpened) {
  const auto choices = probe_stub("");
  ASSERT_TRUE(choices);
  ASSERT_FALSE(choices->back().library);
  EXPECT_EQ(choices->back().library.error().sys, EACCES);
  EXPECT_EQ(choices->back().library.error().code, Errc::denied);
}

TEST(VerbsProbe, RemovesVariablesOfLibibverbs) {
  setenv("IBV_SHOW_WARNINGS", "1", 1);
  const auto choices = probe_stub("");
  unsetenv("IBV_SHOW_WARNINGS");
  ASSERT_TRUE(choices);
  EXPECT_EQ(choices->back().device, "mana_1");
}

TEST(VerbsProbe, ReportsADeviceWithoutProvider) {
  const auto choices = probe_stub("bare");
  ASSERT_TRUE(choices);
  ASSERT_FALSE(choices->front().library);
  EXPECT_EQ(choices->front().library.error().message,
            "libibverbs has no provider function for this device");
}

TEST(VerbsProbe, RecognizesAProviderByAnyFunction) {
  for (const char* function : {"poll_cq",
                               "post_send",
                               "post_recv",
                               "req_notify_cq",
                               "post_srq_recv",
                               "create_qp_ex",
                               "create_cq_ex",
                               "create_wq",
                               "modify_wq",
                               "destroy_wq",
                               "create_rwq_ind_table",
                               "destroy_rwq_ind_table",
                               "alloc_parent_domain",
                               "query_device_ex",
                               "create_srq_ex",
                               "create_flow"}) {
    const auto choices = probe_stub(function);
    ASSERT_TRUE(choices);
    EXPECT_EQ(choices->front().library.value_or("none"), "libstub_provider.so") << function;
  }
}

TEST(VerbsProbe, ReportsAnErrorWithoutErrno) {
  EXPECT_EQ(probe_stub("no errno")->back().library.error().sys, EIO);
  EXPECT_TRUE(probe_stub("none")->empty()) << "an empty list is not an error";
}

TEST(VerbsProbe, RejectsALongReport) {
  const auto choices = probe_stub("many");
  ASSERT_FALSE(choices);
  EXPECT_THAT(choices.error().message, HasSubstr("cannot query libibverbs: "));
}

TEST(VerbsProbe, RejectsALibraryWithoutItsFunctions) {
  EXPECT_EQ(open_verbs_probe({"libc.so.6"})->providers().error().message,
            "libibverbs cannot list devices: the library lacks functions of libibverbs");
}

TEST(VerbsProbe, SurvivesACrash) {
  const auto choices = probe_stub("crash");
  ASSERT_FALSE(choices);
  EXPECT_THAT(choices.error().message, HasSubstr("SIGSEGV"));
}

TEST(VerbsProbe, KillsAChildThatHangs) {
  const auto choices = probe_stub("hang", std::chrono::milliseconds(200));
  ASSERT_FALSE(choices);
  EXPECT_EQ(choices.error().code, Errc::timeout);
}

TEST(VerbsProbe, ReportsAChildThatExitsEarly) {
  EXPECT_EQ(probe_stub("exit").error().code, Errc::io);
  EXPECT_THAT(probe_stub("refuse").error().message, HasSubstr("Permission denied"));
}

TEST(VerbsProbe, HasNoDevicesWithoutRdmaInTheKernel) {
  const auto choices = probe_stub("nokernel");
  ASSERT_TRUE(choices);
  EXPECT_TRUE(choices->empty());
}

TEST(VerbsProbe, ReportsAMissingLibrary) {
  const auto choices = open_verbs_probe({"libmanactl-absent.so.1"})->providers();
  ASSERT_FALSE(choices);
  EXPECT_EQ(choices.error().code, Errc::not_found);
}

TEST(VerbsProbe, LoadsBothLibraries) {
  const auto reason = [](const char* verbs, const char* mana) {
    const auto loaded = open_verbs_probe({verbs, mana})->load_libraries();
    return loaded ? std::string("loaded") : loaded.error().message;
  };
  EXPECT_EQ(reason(MANACTL_RDMA_CORE_STUBS "/60/libibverbs.so.1",
                   MANACTL_RDMA_CORE_STUBS "/60/libmana.so.1"),
            "loaded");
  EXPECT_EQ(
      reason("libmanactl-absent.so.1", "libc.so.6"),
      "cannot load 'libmanactl-absent.so.1': libmanactl-absent.so.1: cannot open shared object "
      "file: No such file or directory");
  EXPECT_THAT(reason(MANACTL_RDMA_CORE_STUBS "/60/libibverbs.so.1", "libmanactl-absent.so.1"),
              HasSubstr("cannot load 'libmanactl-absent.so.1'"));
  EXPECT_THAT(reason(MANACTL_RDMA_CORE_STUBS "/60/libibverbs.so.1",
                     MANACTL_RDMA_CORE_STUBS "/44/libmana.so.1"),
              HasSubstr("version `IBVERBS_PRIVATE_34' not found"));
  EXPECT_THAT(reason(MANACTL_RDMA_CORE_STUBS "/60/libibverbs.so.1", "libc.so.6"),
              HasSubstr("'libc.so.6' does not export 'manadv_set_context_attr'"));
}

TEST(ProviderReport, ListsDevicesOrAnError) {
  const auto choices = decode_provider_report(
      "mana_0\tlibrary\tlibmana.so\nmana_1\terrno\t4095\nmana_2\terrno\t4096\n"
      "missing\tlibrary\tx\nend\nignored\nend\n");
  ASSERT_TRUE(choices);
  ASSERT_EQ(choices->size(), 4U);
  EXPECT_EQ((*choices)[0].device, "mana_0");
  EXPECT_EQ(*(*choices)[0].library, "libmana.so");
  EXPECT_EQ((*choices)[1].library.error().sys, 4095) << "the largest errno (MAX_ERRNO)";
  EXPECT_EQ((*choices)[2].library.error().sys, EIO);
  EXPECT_EQ((*choices)[3].device, "missing");
  const auto missing = decode_provider_report("missing\tno library\nend\n");
  EXPECT_EQ(missing.error().code, Errc::not_found);
  EXPECT_EQ(missing.error().message, "no library");
  const auto refused = decode_provider_report("refused\twhy\nend\n");
  EXPECT_EQ(refused.error().code, Errc::io);
  EXPECT_EQ(refused.error().message, "libibverbs cannot list devices: why");
}

TEST(ProviderReport, IsRejectedIfMalformed) {
  for (const std::string_view bad :
       {"a\tb\tc\td\nend\n", "", "end", "a\tb\nend\n", "mana_0\tlibrary\n", "\nend\n"}) {
    EXPECT_FALSE(decode_provider_report(bad)) << bad;
  }
  EXPECT_TRUE(decode_provider_report("end\n")->empty());
}

}  // namespace
}  // namespace manactl::os::verbs_probe_test
