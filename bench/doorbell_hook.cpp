// SPDX-License-Identifier: MIT
//
// A library that is preloaded into dpdk-testpmd, which runs net_mana on the software adapter. It
// replaces net_mana's doorbell function by a call into the adapter and excludes the time of that
// call. The time between two doorbells of a queue is what the driver and the forwarding loop spend
// on the packets of the second doorbell. The median in cycles per packet is printed at exit.

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

using Ring = void(const void*, std::uint32_t, std::uint64_t);

Ring* ring = nullptr;

// Offsets of the doorbells in their page, by queue type of net_mana: 1 SQ, 2 RQ, 3 CQ.
constexpr std::uint32_t kOffsets[] = {0, 0x000, 0x400, 0x800};
constexpr std::size_t kBuckets = 1U << 14U;  // width of a bucket: a quarter of a cycle per packet

// Measures one direction. One object per direction suffices, because testpmd runs with one queue.
struct Direction {
  std::uint64_t left = 0;  // TSC at the end of the last doorbell
  std::uint32_t tail = 0;
  std::uint64_t bursts = 0;
  std::uint32_t counts[kBuckets] = {};

  void enter(std::uint64_t now, std::uint32_t new_tail) {
    const auto packets = (new_tail - tail) / 32;
    tail = new_tail;
    if (left == 0 || packets == 0) return;
    const auto quarters = 4 * (now - left) / packets;
    ++counts[quarters < kBuckets ? quarters : kBuckets - 1];
    ++bursts;
  }

  double median() const {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < kBuckets; ++i) {
      below += counts[i];
      if (2 * below >= bursts) return static_cast<double>(i) / 4;
    }
    return 0;
  }
};

Direction directions[3];

int ring_doorbell(void* page, int type, std::uint32_t id, std::uint32_t tail, std::uint8_t arm) {
  const auto now = __builtin_ia32_rdtsc();
  auto& direction = directions[type < 3 ? type : 0];
  direction.enter(now, tail);
  const auto armed = std::uint64_t{type == 3 && arm != 0} << 63U;
  ring(page, kOffsets[type & 3], id | std::uint64_t{tail} << 32U | armed);
  direction.left = __builtin_ia32_rdtsc();
  return 0;
}

// Returns the address of a function of the program from its symbol table; 0 if it is not found.
std::uint64_t find(const char* name) {
  const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

  struct stat status{};

  if (fd < 0 || fstat(fd, &status) != 0) return 0;
  const auto size = static_cast<std::size_t>(status.st_size);
  const auto* file = static_cast<const char*>(mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0));
  close(fd);
  if (file == MAP_FAILED) return 0;
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(file);
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file + header.e_shoff);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const auto* names = file + sections[sections[i].sh_link].sh_offset;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(file + sections[i].sh_offset);
    for (std::size_t k = 0; k < sections[i].sh_size / sizeof *symbols; ++k) {
      if (std::strcmp(names + symbols[k].st_name, name) != 0) continue;
      const auto* program = static_cast<const link_map*>(dlopen(nullptr, RTLD_NOW));
      return symbols[k].st_value + (header.e_type == ET_DYN ? program->l_addr : 0);
    }
  }
  return 0;
}

__attribute__((constructor)) void hook() {
  ring = reinterpret_cast<Ring*>(dlsym(RTLD_DEFAULT, "manactl_sim_ring"));
  const auto at = ring == nullptr ? 0 : find("mana_ring_doorbell");
  if (at == 0) return;
  constexpr std::uint64_t kPage = 4096;
  auto* pages = reinterpret_cast<void*>(at & ~(kPage - 1));
  if (mprotect(pages, 2 * kPage, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  // Machine code of: movabs rax, ring_doorbell; jmp rax
  std::uint8_t code[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};
  const auto target = reinterpret_cast<std::uint64_t>(&ring_doorbell);
  std::memcpy(code + 2, &target, sizeof target);
  std::memcpy(reinterpret_cast<void*>(at), code, sizeof code);
}

__attribute__((destructor)) void print_medians() {
  constexpr const char* kNames[] = {"", "tx", "rx"};
  for (int type = 1; type < 3; ++type) {
    const auto& direction = directions[type];
    if (direction.bursts < 1000) continue;
    std::fprintf(stderr, "net_mana %s %.2f cycles\n", kNames[type], direction.median());
  }
}

}  // namespace
