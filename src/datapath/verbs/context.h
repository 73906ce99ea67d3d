// SPDX-License-Identifier: MIT
//
// An open port of an RDMA device with its protection domains, and memory that the device may read
// and write. Everything made with a Context must be destroyed before it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/ids.h"
#include "datapath/verbs/call_error.h"
#include "datapath/verbs/library.h"

namespace manactl::datapath::verbs {

struct Limits {
  std::uint32_t queues = 0;   // per direction
  std::uint32_t entries = 0;  // per queue
};

class Context {
 public:
  // Opens the port with this MAC address of an RDMA device of the PCI function `pci`.
  static Result<std::unique_ptr<Context>> open(const Library& library,
                                               const PciAddress& pci,
                                               const MacAddress& mac);

  // Opens `port` of `device` without reading sysfs.
  static Result<std::unique_ptr<Context>> open_port(const Library& library,
                                                    ibv_device* device,
                                                    const PortInfo& port);

  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() = default;

  const Library& library() const { return library_; }

  const PortInfo& port_info() const { return port_info_; }

  const Limits& limits() const { return limits_; }

  // The speed of the interface; if unknown, that of the RDMA port; if that is unknown as well, 0.
  std::uint64_t link_mbps() const;

  ibv_context* handle() const { return handle_.get(); }

  ibv_pd* protection_domain() const { return domain_.get(); }

  // The domain selects the port; queues are created in it.
  ibv_pd* parent_domain() const { return parent_domain_.get(); }

  Result<Owned<ibv_cq>> make_cq(std::uint32_t entries) const;

  // The error of a failed call. Its code is errno or, if the call returned the code, `number`.
  tl::unexpected<Error> fail_call(std::string_view call) const;
  tl::unexpected<Error> fail_call(std::string_view call, int number) const;

  // True once the device has reported IBV_EVENT_DEVICE_FATAL. Does not block.
  bool is_lost();

 private:
  Context(const Library& library, Owned<ibv_context> handle, PortInfo port);

  Result<> query_limits();
  Result<> make_domains();

  Library library_;
  PortInfo port_info_;
  Limits limits_;
  Owned<ibv_context> handle_;
  Owned<ibv_pd> domain_, parent_domain_;
  bool lost_ = false;
};

// Zeroed memory that the device may read and write.
class Region {
 public:
  static Result<Region> make(const Context& context, std::size_t bytes);

  std::uint8_t* data() const { return memory_.get(); }

  std::uint32_t key() const { return mr_->lkey; }

 private:
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(std::uint8_t* memory) const noexcept;
  };

  using Memory = std::unique_ptr<std::uint8_t[], Unmap>;

  Region(Memory memory, Owned<ibv_mr> mr) : memory_(std::move(memory)), mr_(std::move(mr)) {}

  Memory memory_;
  Owned<ibv_mr> mr_;
};

}  // namespace manactl::datapath::verbs
