// SPDX-License-Identifier: MIT

#include "host/scrub_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace manactl::host::scrub_json_test {
namespace {

using Json = nlohmann::json;

TreeEntries scrubbed_with_host(const std::map<std::string, std::string>& files,
                               const std::string& host) {
  Recorded recorded;
  for (const auto& [path, text] : files) recorded.tree[path] = {TreeEntry::Kind::file, text};
  recorded.identity_files["proc/sys/kernel/hostname"] = host;
  return scrubbed_tree(std::move(recorded)).value();
}

Json scrubbed_document(const std::string& path, const std::string& text) {
  return Json::parse(scrubbed_with_host({{path, text}}, "hyrule07").at(path).text);
}

TEST(ScrubbedJson, ContainsNoKnownNameInAnyString) {
  for (const char* path : {"manactl/links.json", "manactl/ethtool.json", "manactl/report.json"}) {
    const auto document = scrubbed_document(
        path,
        R"({"a": ["x hyrule07", {"b": "/home/hyrule07/lib"}], "/etc/hyrule07.conf": {"c": 1}})");
    EXPECT_EQ(document, Json::parse(R"({"a": ["x host1", {"b": "/home/host1/lib"}],
                                        "/etc/host1.conf": {"c": 1}})"))
        << path;
  }
}

TEST(ScrubbedJson, ContainsNoSecretOfALog) {
  const auto tree = scrubbed_with_host(
      {{"logs/1", "password=Tr1force!\n"},
       {"manactl/report.json", R"({"line": "got Tr1force!", "other": "token=\"a b\""})"}},
      "hyrule07");
  EXPECT_EQ(Json::parse(tree.at("manactl/report.json").text),
            Json::parse(R"({"line": "got secret1", "other": "token=\"secret2\""})"));
}

// A host may have the name of a state, a driver or an interface, which manactl reads.
TEST(ScrubbedJson, KeepsWordsThatManactlInterprets) {
  const std::string links =
      R"({"links": [{"name": "hyrule07", "operstate": "hyrule07", "kind": "hyrule07"}]})";
  EXPECT_EQ(scrubbed_document("manactl/links.json", links), Json::parse(links));
  const std::string modules = R"({"hyrule07": {"presence": "loaded", "evidence": "hyrule07"}})";
  EXPECT_EQ(scrubbed_document("manactl/modules.json", modules), Json::parse(modules));
  const std::string ethtool = R"({"interfaces": {"hyrule07": {"counters": {"hyrule07": 1}}}})";
  EXPECT_EQ(scrubbed_document("manactl/ethtool.json", ethtool), Json::parse(ethtool));
}

TEST(ScrubbedJson, ReplacesNamesOfPathsLikeThePathsOfTheTree) {
  const auto tree = scrubbed_with_host(
      {{"manactl/nodes.json", R"({"sys/bus/pci/x": "pci", "run/pci/n2": 1, "logs/pci": 2})"}},
      "pci");
  EXPECT_EQ(Json::parse(tree.at("manactl/nodes.json").text),
            Json::parse(R"({"sys/bus/pci/x": "host1", "run/pci/n2": 1, "logs/host1": 2})"));
}

TEST(ScrubbedJson, KeepsMembersWhoseNamesAreNamesOfHosts) {
  const auto tree = scrubbed_with_host({{"manactl/links.json", R"({"mtu": "mtu x"})"}}, "mtu");
  EXPECT_EQ(Json::parse(tree.at("manactl/links.json").text), Json::parse(R"({"mtu": "host1 x"})"));
}

TEST(ScrubbedTree, KeepsNamesOfInterfacesAndDriversInLogs) {
  for (const char* path : {"sys/class/net/hyrule07/mtu",
                           "sys/bus/vmbus/drivers/hyrule07/bind",
                           "sys/module/hyrule07/refcnt"}) {
    const auto tree = scrubbed_with_host({{path, ""}, {"logs/1", "hyrule07 is up"}}, "hyrule07");
    EXPECT_EQ(tree.at("logs/1").text, "hyrule07 is up") << path;
  }
}

TEST(ScrubbedTree, KeepsIdsOfChannelsInLogs) {
  const std::string id = "4c1a2b3c-55aa-4e1f-9c0d-7788990011aa";
  const auto tree = scrubbed_with_host(
      {{"sys/bus/vmbus/devices/" + id + "/device", "0x1\n"}, {"logs/1", "x " + id}}, "hyrule07");
  EXPECT_EQ(tree.at("logs/1").text, "x " + id);
}

TEST(ScrubbedTree, CountsTheReplacementsOfEachKind) {
  Recorded recorded;
  recorded.tree["logs/1"] = {TreeEntry::Kind::file,
                             "hyrule07 10.0.0.4 10.0.0.5 /home/zelda password=x1y2z3 "
                             "4c1a2b3c-55aa-4e1f-9c0d-7788990011aa 00:0d:3a:76:3b:d0\n"};
  recorded.identity_files["etc/hostname"] = "hyrule07.corpnet.example";
  ScrubCounts counts;
  ASSERT_TRUE(scrubbed_tree(recorded, &counts));
  EXPECT_EQ(counts,
            (ScrubCounts{{"MAC addresses", 1},
                         {"IP addresses", 2},
                         {"hosts", 1},
                         {"users", 1},
                         {"ids", 1},
                         {"secrets", 1}}));
}

}  // namespace
}  // namespace manactl::host::scrub_json_test
