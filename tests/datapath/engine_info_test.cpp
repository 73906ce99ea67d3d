// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "base/ids.h"
#include "datapath/bench.h"
#include "datapath/engines.h"

namespace manactl::datapath::engine_info_test {
namespace {

using testing::IsSupersetOf;

// Each driver that is linked into a program leaves a PMD_INFO_STRING in it.
std::set<std::string> linked_drivers() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  const std::string program{std::istreambuf_iterator<char>(file), {}};
  const std::string marker = std::string("PMD_INFO_STRING= ") + "{\"name\": \"net_";
  std::set<std::string> names;
  for (auto at = program.find(marker); at != std::string::npos; at = program.find(marker, at + 1)) {
    const auto begin = at + marker.size() - 4;
    names.insert(program.substr(begin, program.find('"', begin) - begin));
  }
  return names;
}

TEST(EngineInfo, ListsExactlyTheLinkedDrivers) {
  const auto info = kDpdkEngine.info();
  std::set<std::string> named;
  for (const auto& driver : info.drivers) {
    if (driver.starts_with("net_")) named.insert(driver);
  }
  EXPECT_EQ(named, linked_drivers());
}

TEST(EngineInfo, ListsTheDriversThatBenchNeeds) {
  EXPECT_THAT(kDpdkEngine.info().drivers,
              IsSupersetOf({"bus_pci",
                            "bus_vdev",
                            "bus_vmbus",
                            "net_null",
                            "net_ring",
                            "net_af_packet",
                            "net_tap",
                            "net_memif",
                            "net_netvsc"}));
}

TEST(EngineInfo, HasTheReleaseOfDpdk) {
  const auto release = Release::parse(kDpdkEngine.info().version);
  ASSERT_TRUE(release.has_value()) << kDpdkEngine.info().version;
  EXPECT_GE(release->major, 20U);
}

}  // namespace
}  // namespace manactl::datapath::engine_info_test
