// SPDX-License-Identifier: MIT

#include "support/fixtures.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "host/gather.h"

namespace manactl::test {
namespace {

const std::string kFixtures = std::string(MANACTL_SOURCE_DIR) + "/tests/fixtures";

}  // namespace

std::string fixture(std::string_view name) {
  return fmt::format("{}/{}", kFixtures, name);
}

std::vector<std::string> fixture_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFixtures)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::unique_ptr<host::CapturedSystem> system_of(std::string_view fixture_name) {
  auto captured = host::open_captured(fixture(fixture_name));
  if (!captured) throw std::runtime_error(captured.error().message);
  return std::move(*captured);
}

}  // namespace manactl::test

namespace manactl::host {

Facts facts_of(std::string_view fixture_name) {
  const auto captured = test::system_of(fixture_name);
  return gather(captured->system(),
                {"25.11.2",
                 {"bus_pci", "bus_vdev", "bus_vmbus", "net_mana", "net_netvsc", "net_null"},
                 "static"});
}

}  // namespace manactl::host
