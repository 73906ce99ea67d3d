// SPDX-License-Identifier: MIT

#include "azure/model/azgdma_guest.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "azure/kernel/azpci/azgdma.h"
#include "base/text.h"

namespace manactl::device {

std::vector<RamRange> ram_ranges(std::string_view iomem) {
  std::vector<RamRange> ranges;
  for (const auto line : split(iomem, '\n')) {
    const auto colon = line.find(" : ");
    const auto dash = line.find('-');
    if (colon == std::string_view::npos || dash > colon) continue;
    if (line.starts_with(' ') || line.substr(colon + 3) != "System RAM") continue;
    const auto first = parse_hex(line.substr(0, dash));
    const auto last = parse_hex(line.substr(dash + 1, colon - dash - 1), UINT64_MAX - 1);
    if (first && last && *first < *last) ranges.push_back({*first, *last + 1});
  }
  return ranges;
}

Result<std::unique_ptr<AzgdmaGuest>> AzgdmaGuest::open(const std::string& path) {
  std::unique_ptr<AzgdmaGuest> guest(new AzgdmaGuest);
  guest->fd_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
  if (guest->fd_ < 0) return fail_errno(errno, fmt::format("cannot open '{}'", path));
  const auto mapped = guest->map();
  if (!mapped) return because(mapped.error(), path);
  return guest;
}

AzgdmaGuest::~AzgdmaGuest() {
  if (bar_ != nullptr) ::munmap(bar_, AZGDMA_BAR_SIZE);
  if (ram_ != nullptr) ::munmap(ram_, ram_bytes_);
  if (fd_ >= 0) ::close(fd_);
}

Result<> AzgdmaGuest::map() {
  azgdma_info info{};
  if (::ioctl(fd_, AZGDMA_INFO, &info) != 0) return fail_errno(errno, "cannot read the version");
  if (info.version != AZGDMA_VERSION || info.bar_size != AZGDMA_BAR_SIZE) {
    return fail(Errc::unsupported, fmt::format("version {} is not supported", info.version));
  }
  constexpr int kProtection = PROT_READ | PROT_WRITE;
  auto* bar = ::mmap(nullptr, AZGDMA_BAR_SIZE, kProtection, MAP_SHARED, fd_, off_t{1} << 40U);
  if (bar == MAP_FAILED) return fail_errno(errno, "cannot map the BAR");
  bar_ = static_cast<std::uint8_t*>(bar);
  auto* ram = ::mmap(nullptr, info.ram_end, kProtection, MAP_SHARED, fd_, 0);
  if (ram == MAP_FAILED) return fail_errno(errno, "cannot map guest RAM");
  ram_ = static_cast<std::uint8_t*>(ram);
  ram_bytes_ = info.ram_end;

  std::stringstream iomem;
  iomem << std::ifstream("/proc/iomem").rdbuf();
  ranges_ = ram_ranges(iomem.str());
  if (ranges_.empty())
    return fail(Errc::denied, "cannot read System RAM from /proc/iomem: run as root");
  return {};
}

Result<std::vector<Store>> AzgdmaGuest::stores() {
  std::array<azgdma_store, 256> records{};
  const auto got = ::read(fd_, records.data(), sizeof records);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::vector<Store>{};
  if (got < 0) return fail_errno(errno, "cannot read stores");
  std::vector<Store> stores;
  for (std::size_t i = 0; i < static_cast<std::size_t>(got) / sizeof records[0]; ++i) {
    stores.push_back({records.at(i).offset, records.at(i).value});
  }
  return stores;
}

bool AzgdmaGuest::is_ram(std::uint64_t address, std::uint64_t bytes) const {
  if (address > ram_bytes_ || bytes > ram_bytes_ - address) return false;
  return std::ranges::any_of(ranges_, [&](const RamRange& range) {
    return address >= range.first && address <= range.end && bytes <= range.end - address;
  });
}

bool AzgdmaGuest::read(std::uint64_t address, std::span<std::uint8_t> into) {
  if (!is_ram(address, into.size())) return false;
  if (!into.empty()) std::memcpy(into.data(), ram_ + address, into.size());
  return true;
}

bool AzgdmaGuest::write(std::uint64_t address, std::span<const std::uint8_t> from) {
  if (!is_ram(address, from.size())) return false;
  if (!from.empty()) std::memcpy(ram_ + address, from.data(), from.size());
  return true;
}

bool AzgdmaGuest::publish(std::uint64_t address, std::uint32_t value) {
  if (address % 4 != 0 || !is_ram(address, 4)) return false;
  auto* word = reinterpret_cast<std::uint32_t*>(ram_ + address);
  std::atomic_ref<std::uint32_t>(*word).store(value, std::memory_order_release);
  return true;
}

void AzgdmaGuest::read_shared(std::span<std::uint8_t, 32> into) {
  std::memcpy(into.data(), bar_ + AZGDMA_SHM_OFFSET, into.size());
}

void AzgdmaGuest::write_shared_header(std::uint32_t value) {
  auto* word = reinterpret_cast<std::uint32_t*>(bar_ + AZGDMA_SHM_OFFSET + 28);
  std::atomic_ref<std::uint32_t>(*word).store(value, std::memory_order_release);
}

bool AzgdmaGuest::interrupt(std::uint32_t vector) {
  return ::ioctl(fd_, AZGDMA_RAISE, static_cast<unsigned long>(vector)) == 0;
}

}  // namespace manactl::device
