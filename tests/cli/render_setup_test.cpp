// SPDX-License-Identifier: MIT

#include "cli/setup/render_setup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/on_machine.h"

namespace manactl::cli::render_setup_test {
namespace {

using test::fixture_names;
using test::manactl_on;
using testing::HasSubstr;
using testing::StartsWith;
using Json = nlohmann::json;

std::string show(setup::RestoreResult restored) {
  std::ostringstream out;
  Screen screen(out, false, 80, false);
  restored.interface = "eth1";
  print_text(screen, std::vector{std::move(restored)}, 0);
  return out.str();
}

TEST(RestoreText, ReportsACompleteRestore) {
  EXPECT_EQ(show({}), "eth1 is restored\n");
}

TEST(RestoreText, ReportsUnknownSettingsOfADamagedJournal) {
  setup::RestoreResult restored;
  restored.unknown = {"the settings in the journal of 'eth1'"};
  EXPECT_FALSE(restored.is_complete());
  const auto shown = show(restored);
  EXPECT_THAT(shown, StartsWith("eth1 is restored, but some earlier settings are unknown\n"));
  EXPECT_THAT(shown, HasSubstr("These earlier settings are unknown:\n"));
}

TEST(RestoreText, ReportsAnIncompleteRestore) {
  setup::RestoreResult restored;
  restored.reverted.push_back({"take down eth1", fail(Errc::io, "no"), {}});
  restored.unknown = {"something"};
  EXPECT_THAT(show(restored), StartsWith("eth1 is NOT fully restored\n  FAILED    take down"));
}

TEST(RestoreText, SaysThatOnlySettingsDiffer) {
  setup::RestoreResult restored;
  restored.reverted.push_back({"save eth1", fail(Errc::io, "mtu is '9'"), {}});
  restored.reverted.back().kind = setup::StepKind::save_addresses;
  EXPECT_THAT(show(restored),
              StartsWith("eth1 is restored, except for settings, addresses or routes\n"
                         "  FAILED    save eth1: mtu is '9'\n"));
}

TEST(RestoreText, ShowsWhatANetworkManagerHasSet) {
  setup::RestoreResult restored;
  restored.reverted.push_back({"save eth1", {}, {}, false, false, {"a was '2'"}});
  EXPECT_THAT(show(restored), StartsWith("eth1 is restored\n  note      a was '2'\n"));
}

TEST(RestoreText, NamesTheBootConfigurationIfThereIsNoNic) {
  setup::RestoreResult kept;
  kept.journaled = false;
  kept.reverted.push_back({"remove the files of --persist", fail(Errc::io, "no"), {}});
  std::ostringstream out;
  Screen screen(out, false, 80, false);
  print_text(screen, std::vector{std::move(kept)}, 0);
  EXPECT_THAT(out.str(), StartsWith("The boot configuration is NOT fully restored\n"));
}

TEST(RestoreCommand, PrintsThePlanInADryRun) {
  const std::vector<std::string> words = {"restore", "enP30832p0s0d1", "--dry-run"};
  const auto brief = manactl_on("prepared-uio", words);
  ASSERT_EQ(brief.code, 0) << brief.err;
  EXPECT_THAT(brief.out,
              HasSubstr(" would be restored with these steps:\n  would     unbind channel "));
  EXPECT_THAT(brief.out, HasSubstr("Nothing was changed; -v shows each write.\n"));
  auto verbose = words;
  verbose.emplace_back("-v");
  EXPECT_THAT(manactl_on("prepared-uio", verbose).out,
              HasSubstr("              echo 000d3a76-3bd1-000d-3a76-3bd1000d3a76 > "
                        "/sys/bus/vmbus/drivers/uio_hv_generic/unbind\n"));
  auto with_json = words;
  with_json.emplace_back("--json");
  const auto document = Json::parse(manactl_on("prepared-uio", with_json).out);
  EXPECT_EQ(document.at("dry_run"), true);
  EXPECT_FALSE(document.at("restored").at(0).at("complete"));
  EXPECT_EQ(document.at("restored").at(0).at("steps").size(), document.at("commands").size());
  EXPECT_EQ(manactl_on("healthy-two-nics", {"restore", "eth1", "--dry-run"}).out,
            "Nothing to restore\n");
}

TEST(ArgsCommand, PrintsTheArgumentsOfPrepareForANicOfTheKernel) {
  for (const auto& machine : fixture_names()) {
    const auto plan = manactl_on(machine.c_str(), {"prepare", "eth1", "--dry-run"});
    if (plan.code != 0) continue;
    const auto arguments = manactl_on(machine.c_str(), {"args", "eth1", "--for", "eal"});
    EXPECT_EQ(arguments.code, 0) << machine << ": " << arguments.err;
    EXPECT_THAT(plan.out, HasSubstr("\n  " + arguments.out)) << machine;
  }
}

// Each check of a part that prepare does not repair.
TEST(PrepareCommand, IsRefusedOrWarnsIfDpdkCannotUseTheNic) {
  std::size_t warned = 0, refused = 0;
  for (const auto& machine : fixture_names()) {
    const auto report = Json::parse(manactl_on(machine.c_str(), {"check", "--json"}).out);
    const auto has_failed = [&](const std::string& group) {
      const auto& checks = report.at("checks");
      return std::ranges::any_of(checks, [&](const Json& check) {
        return check.at("group") == group && check.at("status") == "fail";
      });
    };
    const std::vector<std::string> groups = {"hardware", "kernel", "rdma", "dpdk"};
    if (std::ranges::none_of(groups, has_failed)) continue;
    const auto plan = manactl_on(machine.c_str(), {"prepare", "eth1", "--dry-run"});
    if (plan.code == 0) {
      EXPECT_THAT(plan.err, HasSubstr("Warning: DPDK cannot use the NIC yet")) << machine;
      ++warned;
    } else {
      EXPECT_EQ(plan.code, 3) << machine;
      ++refused;
    }
  }
  EXPECT_GE(warned, 5U);
  EXPECT_GE(refused, 5U);
}

}  // namespace
}  // namespace manactl::cli::render_setup_test
