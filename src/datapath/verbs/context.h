// SPDX-License-Identifier: MIT
//
// One port of an RDMA device, opened: its domains, and memory that it may read and write. Queues
// are made with it and go before it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/ids.h"
#include "datapath/verbs/library.h"
#include "datapath/verbs/refusal.h"

namespace manactl::datapath::verbs {

struct Limits {
  std::uint32_t queues = 0;   // of a direction
  std::uint32_t entries = 0;  // of a queue
};

class Context {
 public:
  // The RDMA device of the function `pci`, at the port with this address.
  static Result<std::unique_ptr<Context>> open(const Library& library,
                                               const PciAddress& pci,
                                               const MacAddress& mac);

  // The port of `place`, whatever the files say.
  static Result<std::unique_ptr<Context>> open_port(const Library& library,
                                                    ibv_device* device,
                                                    const PortPlace& place);

  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() = default;

  const Library& library() const { return library_; }

  const PortPlace& place() const { return place_; }

  const Limits& limits() const { return limits_; }

  // As its interface or else its driver tells; 0: not known.
  std::uint64_t link_mbps() const;

  ibv_context* handle() const { return handle_.get(); }

  ibv_pd* domain() const { return domain_.get(); }

  // Knows the port; queues are made on it.
  ibv_pd* parent() const { return parent_.get(); }

  Result<Owned<ibv_cq>> make_cq(std::uint32_t entries) const;

  // The last call failed with errno, or with this number.
  tl::unexpected<Error> refuse(std::string_view call) const;
  tl::unexpected<Error> refuse(std::string_view call, int number) const;

  // The device has ended (IBV_EVENT_DEVICE_FATAL) since it was opened.
  bool lost();

 private:
  Context(const Library& library, Owned<ibv_context> handle, PortPlace place);

  Result<> ask_limits();
  Result<> make_domains();

  Library library_;
  PortPlace place_;
  Limits limits_;
  Owned<ibv_context> handle_;
  Owned<ibv_pd> domain_, parent_;
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
