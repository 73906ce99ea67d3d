// SPDX-License-Identifier: MIT

#include "device/guest_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace manactl::device {
namespace {

// TMPFS_MAGIC, also of memfd_create(2), and HUGETLBFS_MAGIC of Linux include/uapi/linux/magic.h.
constexpr std::uint32_t kTmpfs = 0x01021994, kHugetlbfs = 0x958458f6;

// The mapping that a thread accesses.
struct Accessed {
  std::span<std::uint8_t> mapping;
  volatile std::sig_atomic_t lost = 0;
};

// Read by the signal handler of the same thread.
constinit thread_local std::atomic<Accessed*> g_accessed = nullptr;

// Replaces the whole mapping by zeros, which the access then continues to use. Only the whole one
// can be replaced if it consists of hugepages. A shared mapping does not count as data of this
// process (RLIMIT_DATA).
void on_bus_error(int signal, siginfo_t* info, void* /*context*/) {
  const int number = errno;
  auto* accessed = g_accessed.load(std::memory_order_relaxed);
  const auto* at = static_cast<std::uint8_t*>(info->si_addr);
  const auto mapping = accessed == nullptr ? std::span<std::uint8_t>() : accessed->mapping;
  const bool is_ours =
      info->si_code > 0 && at >= mapping.data() && at < mapping.data() + mapping.size();
  constexpr int kFlags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
  constexpr int kAccess = PROT_READ | PROT_WRITE;
  if (is_ours && ::mmap(mapping.data(), mapping.size(), kAccess, kFlags, -1, 0) != MAP_FAILED) {
    accessed->lost = 1;
  } else {
    std::signal(signal, SIG_DFL);
    if (info->si_code <= 0) std::raise(signal);  // sent by a process; else the access is repeated
  }
  errno = number;
}

// Returns the size of the file's pages, or 0 if the file is not in memory.
std::uint64_t page_bytes(const Descriptor& file) {
  struct statfs status{};
  if (::fstatfs(file.get(), &status) != 0) return 0;
  const auto type = static_cast<std::uint32_t>(status.f_type);
  return type == kTmpfs || type == kHugetlbfs ? static_cast<std::uint64_t>(status.f_bsize) : 0;
}

// munmap(2) fails with ENOMEM if the kernel has merged the mapping with others, and the process has
// too many mappings to split them again.
Result<> remove_mapping(std::span<std::uint8_t> mapping) {
  if (::munmap(mapping.data(), mapping.size()) == 0) return {};
  return fail_errno(errno, "cannot unmap guest RAM");
}

}  // namespace

void survive_lost_memory() {
  struct sigaction action{};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGBUS, &action, nullptr);
}

GuestMemory::Ranges::const_iterator GuestMemory::containing(std::uint64_t address) const {
  auto it = ranges_.upper_bound(address);
  if (it == ranges_.begin()) return ranges_.end();
  --it;
  return address - it->first < it->second.bytes ? it : ranges_.end();
}

Result<> GuestMemory::map(std::uint64_t address,
                          std::uint64_t bytes,
                          const Descriptor& file,
                          std::uint64_t offset,
                          bool writable) {
  const auto next = ranges_.lower_bound(address);
  if (bytes == 0 || bytes > UINT64_MAX - address || containing(address) != ranges_.end() ||
      (next != ranges_.end() && next->first - address < bytes)) {
    return fail(Errc::invalid,
                fmt::format("a range of {:#x} bytes at {:#x} is empty, overlaps another one or is "
                            "not in the address space",
                            bytes,
                            address));
  }
  if (ranges_.size() >= kMaxRanges) {
    return fail_errno(ENOSPC, fmt::format("the guest has {} ranges of RAM already", kMaxRanges));
  }
  const auto page = page_bytes(file);
  if (page == 0) {
    return fail(Errc::invalid, "the file is not in memory: use memfd, tmpfs or hugetlbfs");
  }
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail_errno(errno, "cannot read the file's size");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (offset > size || bytes > size - offset) {
    return fail(
        Errc::invalid,
        fmt::format(
            "{:#x} bytes at offset {:#x} exceed the file of {:#x} bytes", bytes, offset, size));
  }
  // The kernel maps whole pages of the file, and unmaps and replaces only whole ones.
  const auto in_page = offset % page;
  const auto length = (in_page + bytes + page - 1) / page * page;
  const int protection = PROT_READ | (writable ? PROT_WRITE : 0);
  auto* mapped = ::mmap(
      nullptr, length, protection, MAP_SHARED, file.get(), static_cast<off_t>(offset - in_page));
  if (mapped == MAP_FAILED) return fail_errno(errno, "cannot map guest RAM");
  const std::span mapping(static_cast<std::uint8_t*>(mapped), length);
  ranges_.emplace(address, Range{bytes, mapping.data() + in_page, mapping, writable});
  return {};
}

Result<> GuestMemory::unmap(std::uint64_t address, std::uint64_t bytes) {
  auto it = ranges_.lower_bound(address);
  while (it != ranges_.end() && it->first - address < bytes &&
         it->second.bytes <= bytes - (it->first - address)) {
    auto removed = remove_mapping(it->second.mapping);
    if (!removed) return removed;
    it = ranges_.erase(it);
  }
  return {};
}

Result<> GuestMemory::clear() {
  Result<> result;
  for (const auto& [address, range] : ranges_) {
    auto removed = remove_mapping(range.mapping);
    if (!removed) result = std::move(removed);
  }
  ranges_.clear();
  is_lost_ = false;
  return result;
}

bool GuestMemory::covers(std::uint64_t address, std::uint64_t bytes, bool for_writing) const {
  while (bytes > 0) {
    const auto it = containing(address);
    if (it == ranges_.end() || (for_writing && !it->second.writable)) return false;
    const auto run = std::min(it->second.bytes - (address - it->first), bytes);
    address += run;
    bytes -= run;
  }
  return true;
}

template <class Access>
bool GuestMemory::access(const Range& range, const Access& access) const {
  Accessed accessed{range.mapping};
  g_accessed.store(&accessed, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  access();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  g_accessed.store(nullptr, std::memory_order_relaxed);
  if (accessed.lost != 0) is_lost_ = true;
  return accessed.lost == 0;
}

template <class Copy>
bool GuestMemory::copy(std::uint64_t address,
                       std::size_t bytes,
                       bool for_writing,
                       const Copy& copy) const {
  if (!covers(address, bytes, for_writing)) return false;
  for (std::size_t done = 0; done < bytes;) {
    const auto it = containing(address + done);
    const auto in_range = address + done - it->first;
    const auto run = std::min<std::uint64_t>(it->second.bytes - in_range, bytes - done);
    const bool is_intact =
        access(it->second, [&] { copy(it->second.memory + in_range, done, run); });
    if (!is_intact) return false;
    done += run;
  }
  return true;
}

bool GuestMemory::read(std::uint64_t address, std::span<std::uint8_t> into) const {
  return copy(address, into.size(), false, [&](const auto* memory, auto at, auto bytes) {
    std::memcpy(into.data() + at, memory, bytes);
  });
}

bool GuestMemory::write(std::uint64_t address, std::span<const std::uint8_t> from) const {
  return copy(address, from.size(), true, [&](auto* memory, auto at, auto bytes) {
    std::memcpy(memory, from.data() + at, bytes);
  });
}

bool GuestMemory::publish(std::uint64_t address, std::uint32_t value) const {
  const auto it = containing(address);
  if (it == ranges_.end() || !it->second.writable) return false;
  const auto in_range = address - it->first;
  // The start of a range need not be aligned.
  auto* const at = it->second.memory + in_range;
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(at) % sizeof value == 0;
  if (!is_aligned || it->second.bytes - in_range < sizeof value) return false;
  return access(it->second, [&] {
    std::atomic_ref(*reinterpret_cast<std::uint32_t*>(at)).store(value, std::memory_order_release);
  });
}

}  // namespace manactl::device
