// SPDX-License-Identifier: MIT

#include "host/captured.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "host/gather.h"
#include "os/memory_files.h"
#include "support/fixtures.h"

namespace manactl::host::captured_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<std::unique_ptr<CapturedSystem>> with_file(const std::string& path,
                                                  const std::string& text) {
  auto files = std::make_unique<os::MemoryFiles>();
  files->add_file(path, text);
  return open_captured_files(std::move(files));
}

TEST(CapturedTree, IsNotFoundIfThePathDoesNotExist) {
  EXPECT_EQ(open_captured("/nonexistent/tree").error().code, Errc::invalid);
}

TEST(CapturedTree, IsRejectedIfItIsNeitherATreeNorABundle) {
  EXPECT_EQ(open_captured(test::fixture("healthy-two-nics/usr")).error().code, Errc::invalid);
  EXPECT_EQ(open_captured("/dev/null").error().code, Errc::invalid);
}

TEST(CapturedTree, FailsWithNotCapturedForAbsentFiles) {
  const auto captured = with_file("sys/x", "");
  ASSERT_TRUE(captured);
  const os::System system = (*captured)->system();
  const auto name = InterfaceName::parse("eth0");
  const Error errors[] = {system.links.links().error(),
                          system.links.addresses().error(),
                          system.links.routes().error(),
                          system.ethtool.driver(*name).error(),
                          system.ethtool.counters(*name).error(),
                          system.rdma.devices().error(),
                          system.verbs.providers().error(),
                          system.process.privileges().error(),
                          system.process.kernel().error(),
                          system.process.affinity().error(),
                          system.sockets.tcp().error(),
                          system.kernel_log.open().error()};
  for (const auto& error : errors) {
    EXPECT_EQ(error.code, Errc::invalid) << error.message;
    EXPECT_THAT(error.message, HasSubstr("not captured: "));
  }
}

TEST(CapturedTree, CanBeGatheredIfItIsEmpty) {
  const auto captured = with_file("sys/x", "");
  const Facts facts = gather((*captured)->system());
  EXPECT_FALSE(facts.nics);
  EXPECT_FALSE(facts.kernel);
  EXPECT_THAT(*facts.functions, IsEmpty());
}

TEST(CapturedTree, RejectsWrites) {
  const auto system = test::system_of("healthy-two-nics");
  const auto written = system->system().files.write("sys/module/mana/initstate", "x");
  EXPECT_EQ(written.error().code, Errc::unsupported);
}

TEST(CapturedTree, ReturnsTheModesOfDeviceNodes) {
  const auto system = test::system_of("unprivileged");
  const auto node = system->system().files.node("dev/infiniband/uverbs0");
  ASSERT_TRUE(node);
  EXPECT_EQ(node->type, os::Node::Type::character_device);
  EXPECT_EQ(node->mode, 0600U);
}

TEST(CapturedTree, ReturnsCapturedErrors) {
  const auto denied = R"({"error": {"code": "denied", "message": "cannot ask"}})";
  const auto captured = with_file("manactl/links.json", denied);
  ASSERT_TRUE(captured);
  const auto links = (*captured)->system().links.links();
  EXPECT_EQ(links.error().code, Errc::denied);
  EXPECT_EQ(links.error().message, "cannot ask");
}

TEST(CapturedTree, ReturnsCapturedErrorsOfFiles) {
  const auto captured = with_file(
      "manactl/file_errors.json",
      R"({"proc/1/fd": {"error": {"code": "denied", "message": "cannot list 'proc/1/fd'"}}})");
  ASSERT_TRUE(captured);
  EXPECT_EQ((*captured)->system().files.list("proc/1/fd").error().code, Errc::denied);
  EXPECT_EQ((*captured)->system().files.read("proc/1/fd", 10).error().code, Errc::denied);
}

TEST(CapturedTree, KeepsTheOrderOfCounters) {
  const auto captured =
      with_file("manactl/ethtool.json",
                R"({"interfaces": {"eth0": {"counters": {"zeta": 1, "alpha": 2, "error": 3}}}})");
  ASSERT_TRUE(captured);
  const auto counters = (*captured)->system().ethtool.counters(*InterfaceName::parse("eth0"));
  ASSERT_TRUE(counters);
  EXPECT_THAT(*counters,
              ElementsAre(std::pair<std::string, std::uint64_t>("zeta", 1),
                          std::pair<std::string, std::uint64_t>("alpha", 2),
                          std::pair<std::string, std::uint64_t>("error", 3)));
}

TEST(CapturedTree, ReadsUnlimitedMemlock) {
  const auto captured =
      with_file("manactl/process.json",
                R"({"privileges": {"uid": 0, "net_admin": true, "net_raw": true, "ipc_lock": true,
          "sys_admin": true, "memlock_soft": 1, "memlock_hard": "unlimited"}})");
  ASSERT_TRUE(captured) << captured.error().message;
  const auto privileges = (*captured)->system().process.privileges();
  EXPECT_EQ(privileges->memlock_soft, 1U);
  EXPECT_EQ(privileges->memlock_hard, UINT64_MAX);
}

TEST(CapturedTree, AcceptsBothSpellingsOfAModule) {
  const auto captured =
      with_file("manactl/modules.json",
                R"({"ib_uverbs": {"presence": "blacklisted", "evidence": "captured"}})");
  ASSERT_TRUE(captured) << captured.error().message;
  for (const char* name : {"ib_uverbs", "ib-uverbs"}) {
    const auto state = (*captured)->system().modules.state(name);
    ASSERT_TRUE(state) << name;
    EXPECT_EQ(state->evidence, "captured");
  }
}

TEST(CapturedTree, RejectsADirectoryInPlaceOfTheKernelLog) {
  const auto captured = with_file("manactl/kernel.log/part", "[1.0] mana: up\n");
  const auto log = (*captured)->system().kernel_log.open();
  ASSERT_FALSE(log);
  EXPECT_EQ(log.error().code, Errc::invalid);
  EXPECT_EQ(log.error().message, "'manactl/kernel.log' is not a file");
}

TEST(CapturedTree, ReplaysTheKernelLog) {
  const auto captured = with_file("manactl/kernel.log", "[1.0] mana: up\nsecond\n");
  const auto log = (*captured)->system().kernel_log.open();
  ASSERT_TRUE(log);
  std::string text(4, '\0');
  std::string all;
  while (const auto count = (*log)->read(text).value()) all.append(text, 0, count);
  EXPECT_EQ(all, "[1.0] mana: up\nsecond");
}

TEST(CapturedTree, LimitsWhatIsRead) {
  const auto captured = with_file("sys/large", std::string(16U << 20, 'x'));
  const auto system = (*captured)->system();
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(system.files.read("sys/large"));
  const auto refused = system.files.read("sys/large");
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message,
              AllOf(HasSubstr("sys/large"),
                    HasSubstr("the captured system needs more memory than the limit of 128 MiB")));
  EXPECT_FALSE(system.files.list("sys"));
}

TEST(CapturedTree, LimitsItsJson) {
  std::string links = R"({"links": [)";
  for (int i = 0; i < 2'000'000; ++i) links += "{},";
  const auto captured = with_file("manactl/links.json", links + "{}]}");
  ASSERT_FALSE(captured);
  EXPECT_THAT(captured.error().message,
              HasSubstr("manactl/links.json: the JSON below manactl/ needs more memory"));
}

struct Malformed {
  const char* name;
  const char* file;
  const char* text;
  const char* field;
  const char* object;
};

class MalformedSnapshot : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedSnapshot, IsRejectedWithFileAndField) {
  const auto captured = with_file(GetParam().file, GetParam().text);
  ASSERT_FALSE(captured);
  EXPECT_EQ(captured.error().code, Errc::invalid);
  EXPECT_THAT(
      captured.error().message,
      AllOf(HasSubstr(GetParam().file), HasSubstr(GetParam().field), HasSubstr(GetParam().object)));
}

constexpr Malformed kMalformed[] = {
    {"NotJson", "manactl/links.json", "{", "JSON object", ""},
    {"Empty", "manactl/links.json", "", "JSON object", ""},
    {"Array", "manactl/rdma.json", "[]", "JSON object", ""},
    {"Missing", "manactl/links.json", "{}", "'links'", ""},
    {"Scalar", "manactl/links.json", R"({"links": 3})", "'links'", ""},
    {"Element", "manactl/links.json", R"({"links": [null]})", "'links[0]'", ""},
    {"Negative",
     "manactl/addresses.json",
     R"({"addresses": [{"index": 1, "text": "x", "prefix_length": -1}]})",
     "'prefix_length'",
     "(in addresses[0])"},
    {"Float",
     "manactl/addresses.json",
     R"({"addresses": [{"index": 1.5, "text": "x", "prefix_length": 1}]})",
     "'index'",
     "(in addresses[0])"},
    {"Huge",
     "manactl/addresses.json",
     R"({"addresses": [{"index": 99999999999, "text": "x", "prefix_length": 1}]})",
     "'index'",
     "(in addresses[0])"},
    {"Port",
     "manactl/sockets.json",
     R"({"tcp": [{"listening": true, "local_address": "", "remote_address": "",
                  "local_port": 70000, "remote_port": 0, "inode": 0}]})",
     "'local_port'",
     "(in tcp[0])"},
    {"Bool",
     "manactl/sockets.json",
     R"({"tcp": [{"listening": "yes", "local_address": "", "remote_address": "",
                  "local_port": 22, "remote_port": 0, "inode": 0}]})",
     "'listening'",
     "(in tcp[0])"},
    {"Cpus", "manactl/process.json", R"({"affinity": "3-1"})", "'affinity'", ""},
    {"Code",
     "manactl/routes.json",
     R"({"error": {"code": "?", "message": ""}})",
     "'code'",
     "(in error)"},
    {"Counter",
     "manactl/ethtool.json",
     R"({"interfaces": {"eth0": {"counters": {"a": "1"}}}})",
     "'a'",
     "(in interfaces.eth0.counters)"},
    {"Mode",
     "manactl/nodes.json",
     R"({"dev/uio0": {"type": "file", "mode": "0999", "uid": 0, "gid": 0, "readable": true,
                      "writable": true}})",
     "'mode'",
     "(in dev/uio0)"},
    {"Depth",
     "manactl/links.json",
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
     "64 levels",
     ""},
    {"SameIndex",
     "manactl/links.json",
     R"({"links": [
       {"index": 1, "name": "a", "alternative_names": [], "flags": 0, "operstate": "", "mtu": 0,
        "mac": "00:00:00:00:00:00", "kind": "", "rx_packets": 0, "tx_packets": 0},
       {"index": 1, "name": "b", "alternative_names": [], "flags": 0, "operstate": "", "mtu": 0,
        "mac": "00:00:00:00:00:00", "kind": "", "rx_packets": 0, "tx_packets": 0}]})",
     "two links have the index 1",
     ""},
    {"Presence",
     "manactl/modules.json",
     R"({"mana": {"presence": "maybe", "evidence": ""}})",
     "'presence'",
     "(in mana)"},
};

INSTANTIATE_TEST_SUITE_P(Files,
                         MalformedSnapshot,
                         ::testing::ValuesIn(kMalformed),
                         [](const auto& malformed) { return std::string(malformed.param.name); });

}  // namespace
}  // namespace manactl::host::captured_test
