// SPDX-License-Identifier: MIT

#include "host/tuning.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "host/captured.h"
#include "host/gather.h"
#include "host/recording.h"
#include "os/memory_files.h"
#include "support/fixtures.h"

namespace manactl::host::tuning_test {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

const Tunable& row(std::string_view name) {
  return *find_tunable(name);
}

TEST(Tunables, HaveNamesReasonsSourcesAndAcceptedValues) {
  std::set<std::string_view> names;
  for (const auto& tunable : tunables()) {
    EXPECT_TRUE(names.insert(tunable.name).second) << tunable.name;
    EXPECT_EQ(tunable.name.starts_with("vf-"), tunable.is_of_vf()) << tunable.name;
    EXPECT_FALSE(tunable.why.empty() || tunable.source.empty()) << tunable.name;
    EXPECT_EQ(tunable.link_option.empty(), tunable.link_since == 0) << tunable.name;
    for (const auto& wanted : tunable.wanted) {
      if (wanted.empty() || wanted.starts_with(kOneForEachCpu)) continue;
      EXPECT_TRUE(check_value(tunable, wanted)) << tunable.name;
    }
  }
}

TEST(Tunables, AcceptOnlyValuesOfTheirForm) {
  EXPECT_EQ(check_value(row("vf-rx-ring"), "127").error().message,
            "'127' is not a value of vf-rx-ring: use a number from 128 to 65536");
  EXPECT_FALSE(check_value(row("vf-rx-ring"), "4096 "));
  EXPECT_EQ(check_value(row("vf-rx-ring"), "3000").error().message,
            "'3000' is not a value of vf-rx-ring: use a power of two, such as 4096: the driver "
            "would round it up");
  EXPECT_TRUE(check_value(row("rx-ring"), "3000"));
  EXPECT_FALSE(check_value(row("tso"), "1"));
  EXPECT_FALSE(check_value(row("vf-adaptive-rx"), "1"));
  EXPECT_FALSE(check_value(row("qdisc"), "htb"));
  EXPECT_FALSE(check_value(row("mtu"), "9001"));
}

TEST(Tunables, HaveTheValuesOfTheirProfile) {
  const auto facts = facts_of("ubuntu-two-nics");
  const auto& vf = *facts.nics->front().vf;
  const auto wanted = [&](const char* name, Profile profile) {
    return wanted_value(row(name), profile, vf, facts);
  };
  EXPECT_EQ(wanted("vf-rx-ring", Profile::standard), "4096");
  EXPECT_EQ(wanted("vf-tx-ring", Profile::latency), "256");
  EXPECT_EQ(wanted("vf-channels", Profile::standard), "8");
  EXPECT_EQ(wanted("vf-adaptive-rx", Profile::throughput), "on");
  EXPECT_EQ(wanted("mtu", Profile::standard), "");
}

TEST(Tunables, AreSatisfiedByLargerValuesExceptForLatency) {
  EXPECT_TRUE(is_satisfied(row("vf-rx-ring"), Profile::standard, "8192", "4096"));
  EXPECT_FALSE(is_satisfied(row("vf-rx-ring"), Profile::latency, "8192", "1024"));
  EXPECT_FALSE(is_satisfied(row("vf-rx-ring"), std::nullopt, "8192", "4096"));
  EXPECT_TRUE(is_satisfied(row("tso"), Profile::standard, "on", "on"));
}

TEST(Tunables, AreOfNewerKernels) {
  auto facts = facts_of("ubuntu-two-nics");
  EXPECT_FALSE(is_kernel_older(row("vf-rx-ring"), facts)) << facts.kernel->release;
  EXPECT_TRUE(is_kernel_older(row("vf-rx-usecs"), facts));
  facts.kernel->release = "7.2.1-azure";
  EXPECT_FALSE(is_kernel_older(row("vf-rx-usecs"), facts));
}

TEST(CapturedSettings, AreThoseOfTheTable) {
  const auto facts = facts_of("slow-settings");
  const auto& nic = facts.nics->back();
  EXPECT_EQ(present_value(row("tso"), *nic.synthetic), "off");
  EXPECT_EQ(present_value(row("vf-rx-ring"), *nic.vf), "128");
  EXPECT_EQ(present_value(row("vf-rx-usecs"), *nic.vf), "500");
  EXPECT_EQ(present_value(row("vf-adaptive-rx"), *nic.vf), "off");
  EXPECT_EQ(limit_of(row("vf-tx-ring"), *nic.vf), 16384U);
  EXPECT_EQ(limit_of(row("vf-rx-usecs"), *nic.vf), std::nullopt);
}

TEST(CapturedSettings, OfAnEarlierVersionAreUnknown) {
  const auto facts = facts_of("healthy-two-nics");
  EXPECT_THAT(facts.nics->front().vf->settings.error().message, HasSubstr("not captured"));
  EXPECT_EQ(present_value(row("vf-rx-ring"), *facts.nics->front().vf), std::nullopt);
}

class LinksWithSettings final : public os::Links {
 public:
  explicit LinksWithSettings(const os::Links& other) : other_(other) {}

  Result<std::vector<os::Link>> links() const override { return other_.links(); }

  Result<std::vector<os::Address>> addresses() const override { return other_.addresses(); }

  Result<std::vector<os::Route>> routes() const override { return other_.routes(); }

  Result<os::InterfaceSettings> settings(int index) const override {
    if (index == 2) return fail(Errc::denied, "refused");
    return os::InterfaceSettings{{"ethtool/rings", "1024 0 0 256"},
                                 {"link/qdisc", "fq 8001 -"},
                                 {"link/neighbor/10.0.0.9", "00:0d:3a:00:00:01 reachable"}};
  }

  Result<os::InterfaceSettings> limits(int /*index*/) const override {
    return os::InterfaceSettings{{"ethtool/rings", "8192 0 0 16384"}};
  }

 private:
  const os::Links& other_;
};

TEST(RecordedSettings, ReturnFromABundleWithoutOthers) {
  const auto captured = test::system_of("ubuntu-two-nics");
  const auto real = captured->system();
  LinksWithSettings links(real.links);
  const auto recorder = start_recording({real.files,
                                         links,
                                         real.ethtool,
                                         real.rdma,
                                         real.verbs,
                                         real.devices,
                                         real.modules,
                                         real.process,
                                         real.sockets,
                                         real.kernel_log});
  auto facts = gather(recorder->system());
  gather_settings(recorder->system().links, *facts.nics);
  auto files = std::make_unique<os::MemoryFiles>();
  for (const auto& [path, entry] : recorder->tree()) {
    if (entry.kind == TreeEntry::Kind::file) files->add_file(path, entry.text);
  }
  EXPECT_THAT(*files->read("manactl/settings.json", 1U << 20),
              ::testing::Not(HasSubstr("neighbor")));
  const auto again = open_captured_files(std::move(files));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_THAT(*(*again)->system().links.settings(3),
              UnorderedElementsAre(std::pair("ethtool/rings", "1024 0 0 256"),
                                   std::pair("link/qdisc", "fq 8001 -")));
  EXPECT_THAT(*(*again)->system().links.limits(3),
              UnorderedElementsAre(std::pair("ethtool/rings", "8192 0 0 16384")));
  EXPECT_EQ((*again)->system().links.settings(2).error().code, Errc::denied);
}

}  // namespace
}  // namespace manactl::host::tuning_test
