// SPDX-License-Identifier: MIT
//
// The option --imds of check and doctor. The running machine is a captured one, and the metadata
// service is a server on the loopback interface.

#include "cli/imds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command.h"
#include "cli/on_machine.h"
#include "host/captured.h"
#include "support/http_server.h"

namespace manactl::cli::imds_test {
namespace {

using nlohmann::json;
using test::http_reply;
using test::HttpServer;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kCompute =
    R"({"name": "fw-7", "vmSize": "Standard_D4s_v5", "tagsList": [{"name": "owner", "value": "x"}]})";
constexpr const char* kEvents = R"({"Events": [{"EventType": "Redeploy", "Resources": ["fw-7"],
                                   "NotBefore": "Mon, 19 Sep 2016 18:29:47 GMT"}]})";

// Runs a command as on the machine of a fixture. Returns its exit status and prints all output to
// `text`.
Exit run_on(const char* machine,
            CommandAction (*add)(CLI::App&),
            const std::string& arguments,
            std::string& text) {
  const auto captured = host::open_captured(test::fixture(machine));
  std::ostringstream out, err;
  Screen screen(out, false, 200, false), errors(err, false, 200, false);
  Context context{screen, errors, false, 1, {}, {}, {}};
  context.system = [&captured]() -> Result<os::System> {
    if (!captured) return tl::unexpected<Error>(captured.error());
    return (*captured)->system();
  };
  CLI::App app;
  const auto action = add(app);
  app.parse(arguments, false);
  const auto exit = action(context);
  text = out.str() + err.str();
  return exit;
}

std::string check_with(const HttpServer& server, const char* machine = "mlx5-vm") {
  std::string text;
  EXPECT_EQ(run_on(machine, add_check, "--imds --imds-address " + server.address(), text),
            machine == std::string("mlx5-vm") ? Exit::ok : Exit::unsupported);
  return text;
}

TEST(Imds, IsAskedOnlyOnRequestAndOnAzure) {
  HttpServer server({});
  std::string text;
  EXPECT_EQ(run_on("mlx5-vm", add_check, "--imds-address " + server.address(), text), Exit::ok);
  EXPECT_THAT(text, HasSubstr("only with --imds"));
  EXPECT_THAT(check_with(server, "not-azure"), HasSubstr("only with --imds, on an Azure VM"));
  server.stop();
  EXPECT_EQ(server.requests(), "");
}

TEST(Imds, WarnsOfAScheduledMove) {
  const HttpServer server(
      {{test::kComputePath, http_reply(kCompute)}, {test::kEventsPath, http_reply(kEvents)}});
  const auto text = check_with(server);
  EXPECT_THAT(text, HasSubstr("Standard_D4s_v5 (Dsv5) may move to MANA since 2026-05-26"));
  EXPECT_THAT(text, HasSubstr("Redeploy not before Mon, 19 Sep 2016 18:29:47 GMT"));
  EXPECT_THAT(text, HasSubstr("Ready for MANA with the kernel's network stack and DPDK."));
}

TEST(Imds, IsUnknownInOneLineWithoutAReply) {
  HttpServer server({{test::kComputePath, http_reply("{}", "404 Not Found")}});
  const auto unknown =
      "???  move.platform: cannot determine whether no scheduled event may change "
      "the NIC of this VM: the metadata service at " +
      server.address() + ": ";
  const auto refused = check_with(server);
  EXPECT_THAT(refused, HasSubstr(unknown + "the status is 404\n"));
  EXPECT_THAT(refused, HasSubstr("Ready for MANA with the kernel's network stack and DPDK."));
  server.stop();
  EXPECT_THAT(check_with(server), HasSubstr(unknown));
}

// doctor confines its process, so it runs in a child.
TEST(Imds, IsRecordedInAScrubbedBundle) {
  const test::TemporaryDirectory folder;
  const auto bundle = folder.path("vm.tar.gz");
  const HttpServer server(
      {{test::kComputePath, http_reply(kCompute)}, {test::kEventsPath, http_reply(kEvents)}});
  const auto doctor = [&] {
    std::string text;
    const auto exit = run_on(
        "mlx5-vm",
        add_doctor,
        fmt::format("--imds --imds-address {} --scrub --bundle {}", server.address(), bundle),
        text);
    std::cerr << text << std::flush;
    _exit(static_cast<int>(exit));
  };
  EXPECT_EXIT(doctor(), testing::ExitedWithCode(3), HasSubstr("the bundle was written"));
  const auto outcome = test::manactl({"check", "--json", bundle});
  EXPECT_EQ(json::parse(outcome.out).at("host").at("metadata"),
            json::parse(R"({"size": "Standard_D4s_v5", "mana_series": "Dsv5", "legacy_tag": false,
                            "events": [{"type": "Redeploy",
                                        "not_before": "Mon, 19 Sep 2016 18:29:47 GMT"}]})"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("fw-7")));
}

TEST(Imds, CannotBeUsedWithACapturedMachine) {
  for (const auto* command : {"check", "doctor"}) {
    const auto outcome = test::manactl_on("mlx5-vm", {command, "--imds"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--imds cannot be used with --root"));
  }
}

TEST(Imds, HasAnAddressInTheConfigurationFile) {
  const test::TemporaryDirectory folder;
  const auto check = [&](const std::string& address) {
    const auto file = folder.file("config.toml", "[check]\nimds-address = \"" + address + "\"\n");
    return test::manactl({"check", "--config", file, "--root", test::fixture("mlx5-vm")});
  };
  EXPECT_EQ(check("127.0.0.1:80").code, 0) << check("127.0.0.1:80").err;
  EXPECT_EQ(check("metadata.example").code, 2);
  EXPECT_THAT(check("metadata.example").err,
              HasSubstr("'metadata.example' is not an IPv4 address with an optional port"));
}

}  // namespace
}  // namespace manactl::cli::imds_test
