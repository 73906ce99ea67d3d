// SPDX-License-Identifier: MIT

#include "os/verbs_probe.h"

#include <gmock/gmock.h>
#include <stdlib.h>

#include <cerrno>

namespace manactl::os {
namespace {

using ::testing::HasSubstr;

Result<std::vector<ProviderChoice>> probe_stub(
    const char* mode, std::chrono::milliseconds timeout = std::chrono::seconds(30)) {
  setenv("STUB_VERBS", mode, 1);
  auto result = open_verbs_probe(MANACTL_STUB_LIBIBVERBS, timeout)->providers();
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
  EXPECT_FALSE(choices->front().library);
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
  const auto choices = open_verbs_probe("libmanactl-absent.so.1")->providers();
  ASSERT_FALSE(choices);
  EXPECT_EQ(choices.error().code, Errc::not_found);
}

TEST(ProviderReport, IsRejectedIfMalformed) {
  for (const char* bad : {"", "end", "a\tb\nend\n", "mana_0\tlibrary\n", "\nend\n"}) {
    EXPECT_FALSE(decode_provider_report(bad)) << bad;
  }
  EXPECT_TRUE(decode_provider_report("end\n")->empty());
}

}  // namespace
}  // namespace manactl::os
