// SPDX-License-Identifier: MIT
#include "datapath/verbs/device_files.h"

#include <dirent.h>

#include <array>
#include <cstdio>
#include <memory>

#include "base/text.h"

namespace manactl::datapath::verbs {

namespace {

constexpr std::size_t kMaxBytes = 4096;
constexpr std::uint64_t kMaxPort = 255;
constexpr std::uint64_t kMaxSpeed = 10'000'000;  // Mbit/s; sysfs shows -1 if unknown
constexpr std::uint64_t kUp = 1;                 // IFF_UP

// Uses fopen() and opendir(), because the software adapter replaces these functions.
std::optional<std::string> read(const std::string& path) {
  const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  if (!file) return std::nullopt;
  std::array<char, kMaxBytes> text{};
  const auto size = std::fread(text.data(), 1, text.size(), file.get());
  return std::string(trim(std::string_view(text.data(), size)));
}

std::vector<std::string> list(const std::string& path) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
  if (!directory) return names;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread uses the stream
  while (const auto* entry = readdir(directory.get())) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

}  // namespace

std::optional<PciAddress> slot_of(const std::string& path) {
  constexpr std::string_view kSlot = "PCI_SLOT_NAME=";
  const auto text = read(path + "/device/uevent");
  if (!text) return std::nullopt;
  for (const auto line : split(*text, '\n')) {
    if (!line.starts_with(kSlot)) continue;
    const auto slot = PciAddress::parse(line.substr(kSlot.size()));
    if (slot) return *slot;
  }
  return std::nullopt;
}

std::vector<std::string> rdma_devices_at(const PciAddress& pci) {
  return list(fmt::format("/sys/bus/pci/devices/{}/infiniband", pci.str()));
}

std::vector<Interface> interfaces_of(const std::string& path) {
  std::vector<Interface> found;
  const auto directory = path + "/device/net";
  for (auto& name : list(directory)) {
    const auto file = [&](const char* leaf) {
      return read(fmt::format("{}/{}/{}", directory, name, leaf));
    };
    const auto index = parse_unsigned(file("dev_port").value_or(""), kMaxPort - 1);
    const auto mac = MacAddress::parse(file("address").value_or(""));
    if (!index || !mac) continue;
    const auto speed = parse_unsigned(file("speed").value_or(""), kMaxSpeed);
    const auto flags = parse_hex(file("flags").value_or(""));
    found.push_back({std::move(name),
                     static_cast<std::uint32_t>(*index) + 1,
                     *mac,
                     flags ? std::optional<bool>((*flags & kUp) != 0) : std::nullopt,
                     speed.value_or(0)});
  }
  return found;
}

}  // namespace manactl::datapath::verbs
