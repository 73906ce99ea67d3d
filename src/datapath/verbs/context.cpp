// SPDX-License-Identifier: MIT
#include "datapath/verbs/context.h"

#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/text.h"
#include "datapath/verbs/device_files.h"

namespace manactl::datapath::verbs {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = 2U << 20U;
constexpr std::uint32_t kEthernetPart = 2;  // vendor_part_id of mana_ib's device for raw packets

// Allocates pages for queues. They are zeroed, because the owner bits of a new CQ start at zero.
void* allocate(std::size_t bytes, void* /*data*/) {
  const auto rounded = (bytes + kPage - 1) / kPage * kPage;
  auto* memory = std::aligned_alloc(kPage, rounded);
  if (memory != nullptr) std::memset(memory, 0, rounded);
  return memory;
}

void release(void* memory, void* /*data*/) {
  std::free(memory);
}

struct Candidate {
  ibv_device* device = nullptr;
  PortInfo port;
};

tl::unexpected<Error> no_device_error(const PciAddress& pci) {
  const auto devices = rdma_devices_at(pci);
  if (devices.empty()) {
    return fail(Errc::unsupported,
                fmt::format("no RDMA device is at {}: is mana_ib loaded? run: modprobe mana_ib",
                            pci.str()));
  }
  return fail(Errc::unsupported,
              fmt::format("the kernel has {} at {}, for which libibverbs has no provider; compare "
                          "the driver ids of kernel and libibverbs: manactl check --only rdma",
                          printable(join(devices, " and ")),
                          pci.str()));
}

// A PCI function may have two RDMA devices: one for raw packets and one for RoCE.
Result<std::vector<Candidate>> find_candidates(std::span<ibv_device*> devices,
                                               const PciAddress& pci,
                                               const MacAddress& mac) {
  std::vector<Candidate> found;
  std::string last_device;
  for (auto* device : devices) {
    const std::string path(device->ibdev_path);
    if (slot_of(path) != pci) continue;
    last_device = printable(device->name);
    for (const auto& [name, port, address, up, link_mbps] : interfaces_of(path)) {
      if (address != mac) continue;
      found.push_back({device, {last_device, pci.str(), port, name, up, link_mbps}});
    }
  }
  if (!found.empty()) return found;
  if (last_device.empty()) return no_device_error(pci);
  return fail(Errc::unsupported,
              fmt::format("{} at {} has no port with the address {} in this network namespace",
                          last_device,
                          pci.str(),
                          mac.str()));
}

// The speed of a link with these InfiniBand codes of width and lane speed; 0 if a code is unknown.
// See active_width and active_speed in ibv_query_port(3).
std::uint64_t mbps_of(std::uint8_t width, std::uint8_t speed) {
  struct Code {
    unsigned code, value;
  };

  constexpr Code kLanes[] = {{1, 1}, {2, 4}, {4, 8}, {8, 12}, {16, 2}};
  constexpr Code kMbps[] = {{1, 2500},
                            {2, 5000},
                            {4, 10000},
                            {8, 10000},
                            {16, 14000},
                            {32, 25000},
                            {64, 50000},
                            {128, 100000}};
  const auto find = [](std::span<const Code> all, unsigned code) -> std::uint64_t {
    const auto at = std::ranges::find(all, code, &Code::code);
    return at == all.end() ? 0 : at->value;
  };
  return find(kLanes, width) * find(kMbps, speed);
}

Error list_error(int number) {
  if (number != 0 && number != ENOSYS) {
    return fail_errno(number, "cannot list the RDMA devices").value();
  }
  return {Errc::unsupported,
          number,
          "this kernel has no RDMA devices: is ib_uverbs loaded? run: modprobe ib_uverbs"};
}

}  // namespace

Context::Context(const Library& library, Owned<ibv_context> handle, PortInfo port)
    : library_(library),
      port_info_(std::move(port)),
      handle_(std::move(handle)),
      domain_(nullptr, library.dealloc_pd),
      parent_domain_(nullptr, library.dealloc_pd) {}

Result<std::unique_ptr<Context>> Context::open(const Library& library,
                                               const PciAddress& pci,
                                               const MacAddress& mac) {
  int count = 0;
  library.before_call("get_device_list");
  errno = 0;
  const std::unique_ptr<ibv_device*, decltype(library.free_device_list)> list(
      library.get_device_list(&count), library.free_device_list);
  if (!list) return tl::unexpected<Error>(list_error(errno));
  const auto found =
      find_candidates({list.get(), static_cast<std::size_t>(std::max(count, 0))}, pci, mac);
  if (!found) return tl::unexpected<Error>(found.error());
  Result<std::unique_ptr<Context>> opened;
  for (const auto& candidate : *found) {
    opened = open_port(library, candidate.device, candidate.port);
    if (opened) break;
  }
  return opened;
}

Result<std::unique_ptr<Context>> Context::open_port(const Library& library,
                                                    ibv_device* device,
                                                    const PortInfo& port) {
  library.before_call("open_device", &port);
  errno = 0;
  Owned<ibv_context> handle(library.open_device(device), library.close_device);
  if (!handle) return tl::unexpected<Error>(call_error(port, "open_device", errno));
  std::unique_ptr<Context> context(new Context(library, std::move(handle), port));
  if (auto good = context->query_limits(); !good) return tl::unexpected<Error>(good.error());
  if (auto good = context->make_domains(); !good) return tl::unexpected<Error>(good.error());
  return context;
}

Result<> Context::query_limits() {
  library_.before_call("query_device_ex");
  // ibv_query_device_ex() is inline, but its fallback ibv_query_device() needs libibverbs linked.
  auto* extended = verbs_get_ctx(handle_.get());
  if (extended == nullptr || extended->query_device_ex == nullptr) {
    return fail_call("query_device_ex", EOPNOTSUPP);
  }
  ibv_device_attr_ex attr{};
  const int number = extended->query_device_ex(handle_.get(), nullptr, &attr, sizeof attr);
  if (number != 0) return fail_call("query_device_ex", number);
  const auto& basic = attr.orig_attr;
  // Older kernels report no vendor part: they have one RDMA device for all purposes.
  if (basic.vendor_part_id != 0 &&
      (basic.vendor_part_id != kEthernetPart || attr.raw_packet_caps == 0)) {
    return fail(
        Errc::unsupported,
        fmt::format("{} at {} is not an Ethernet device (vendor part {}, raw packets {:#x})",
                    port_info_.device,
                    port_info_.slot,
                    basic.vendor_part_id,
                    attr.raw_packet_caps));
  }
  limits_.queues = static_cast<std::uint32_t>(std::max(basic.max_qp, 0));
  limits_.entries =
      static_cast<std::uint32_t>(std::max(std::min(basic.max_qp_wr, basic.max_cqe), 0));
  return {};
}

std::uint64_t Context::link_mbps() const {
  if (port_info_.link_mbps != 0) return port_info_.link_mbps;
  auto* extended = verbs_get_ctx(handle_.get());
  ibv_port_attr attr{};
  const auto port = static_cast<std::uint8_t>(port_info_.port);
  if (extended == nullptr || extended->query_port == nullptr ||
      extended->query_port(handle_.get(), port, &attr, sizeof attr) != 0) {
    return 0;
  }
  return mbps_of(attr.active_width, attr.active_speed);
}

Result<> Context::make_domains() {
  library_.before_call("alloc_pd");
  errno = 0;
  domain_.reset(library_.alloc_pd(handle_.get()));
  if (!domain_) return fail_call("alloc_pd");
  ibv_parent_domain_init_attr attr{};
  attr.pd = domain_.get();
  attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT;
  // libmana reads the port number from this pointer.
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  attr.pd_context = reinterpret_cast<void*>(std::uintptr_t{port_info_.port});
  library_.before_call("alloc_parent_domain");
  errno = 0;
  parent_domain_.reset(ibv_alloc_parent_domain(handle_.get(), &attr));
  if (!parent_domain_) return fail_call("alloc_parent_domain");
  manadv_ctx_allocators allocators{allocate, release, nullptr};
  library_.before_call("manadv_set_context_attr");
  const int number =
      library_.set_context_attr(handle_.get(), MANADV_CTX_ATTR_BUF_ALLOCATORS, &allocators);
  if (number != 0) return fail_call("manadv_set_context_attr", number);
  // is_lost() reads events without blocking.
  // A file whose flags cannot be read rejects new flags, too.
  const int flags = fcntl(handle_->async_fd, F_GETFL);
  if (fcntl(handle_->async_fd, F_SETFL, flags | O_NONBLOCK) != 0) {
    return fail_errno(
        errno, fmt::format("{}: cannot poll for events of {}", port_info_.slot, port_info_.device));
  }
  return {};
}

Result<Owned<ibv_cq>> Context::make_cq(std::uint32_t entries) const {
  library_.before_call("create_cq");
  errno = 0;
  Owned<ibv_cq> cq(library_.create_cq(handle(), static_cast<int>(entries), nullptr, nullptr, 0),
                   library_.destroy_cq);
  if (!cq) return fail_call("create_cq");
  return cq;
}

tl::unexpected<Error> Context::fail_call(std::string_view call) const {
  return fail_call(call, errno == 0 ? EIO : errno);
}

tl::unexpected<Error> Context::fail_call(std::string_view call, int number) const {
  return tl::unexpected<Error>(call_error(port_info_, call, number));
}

bool Context::is_lost() {
  ibv_async_event event{};
  while (!lost_ && library_.get_async_event(handle_.get(), &event) == 0) {
    lost_ = event.event_type == IBV_EVENT_DEVICE_FATAL;
    library_.ack_async_event(&event);
  }
  return lost_;
}

Result<Region> Region::make(const Context& context, std::size_t bytes) {
  const auto page = bytes < kHugePage ? kPage : kHugePage;
  const auto rounded = (bytes + page - 1) / page * page;
  void* at = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return fail_errno(errno, "cannot allocate memory for packets");
  Memory memory(static_cast<std::uint8_t*>(at), Unmap{rounded});
  // Huge pages cause fewer TLB misses. A failure of madvise() does not matter.
  madvise(at, rounded, MADV_HUGEPAGE);
  std::memset(at, 0, rounded);
  errno = 0;
  Owned<ibv_mr> mr(
      context.library().reg_mr(context.protection_domain(), at, rounded, IBV_ACCESS_LOCAL_WRITE),
      context.library().dereg_mr);
  if (!mr) return context.fail_call("reg_mr");
  return Region(std::move(memory), std::move(mr));
}

void Region::Unmap::operator()(std::uint8_t* memory) const noexcept {
  munmap(memory, bytes);
}

}  // namespace manactl::datapath::verbs
