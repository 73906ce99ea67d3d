// SPDX-License-Identifier: MIT

#include "device/vfio_user/server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace manactl::device::vfio_user {
namespace {

// The capabilities that differ from the defaults of the protocol. QEMU 11.1 refuses more than 16
// descriptors per message. The text ends with a zero byte.
constexpr auto kCapabilities = std::to_array(
    R"({"capabilities":{"max_msg_fds":16,"max_data_xfer_size":1048576,"pgsizes":4096}})");

RegionInfo region_info(std::uint32_t index) {
  RegionInfo info{sizeof(RegionInfo), 0, index, 0, 0, 0};
  if (index == kBar0Region) info.bytes = EventfdFunction::kBarBytes;
  if (index == kConfigRegion) info.bytes = EventfdFunction::kConfigBytes;
  if (info.bytes != 0) info.flags = kRegionReadable | kRegionWritable;
  return info;
}

}  // namespace

void Server::detach() {
  channel_.reset();
  function_.forget_guest();
}

std::vector<pollfd> Server::poll_entries() const {
  return channel_ ? std::vector{channel_->poll_entry()} : std::vector<pollfd>();
}

Result<bool> Server::serve(Device& device) {
  auto received = channel_->receive();
  if (!received) return tl::unexpected<Error>(received.error());
  if (!received->message) return !received->closed;
  const auto handled = handle(std::move(*received->message), device);
  return handled ? Result<bool>(true) : tl::unexpected<Error>(handled.error());
}

Result<> Server::negotiate(const Message& message) {
  const auto version = front<Version>(message.body);
  if (!version || version->major != 0) {
    const auto refused = channel_->refuse(message.header, EINVAL);
    return refused ? fail(Errc::unsupported, "QEMU does not support version 0 of vfio-user")
                   : refused;
  }
  // The lower minor version of both sides, and ours is 0.
  const auto head = bytes_of(Version{0, 0});
  return channel_->reply(message.header, concatenated(head, bytes_of(kCapabilities)));
}

// A range without a file is not RAM, such as a ROM: the device cannot access it, and does not need
// to.
int Server::map(const Message& message) {
  const auto request = front<DmaMap>(message.body);
  if (!request) return EINVAL;
  if (message.descriptors.empty()) return 0;
  const auto mapped = function_.memory().map(request->address,
                                             request->bytes,
                                             message.descriptors.front(),
                                             request->offset,
                                             (request->flags & kDmaWritable) != 0);
  if (mapped) return 0;
  trace_.line("vfio-user: " + mapped.error().message);
  return mapped.error().sys != 0 ? mapped.error().sys : EINVAL;
}

Result<int> Server::unmap(const Message& message) {
  const auto request = front<DmaUnmap>(message.body);
  if (!request) return EINVAL;
  const bool is_all = request->flags == kUnmapAll;
  if (is_all ? request->address != 0 || request->bytes != 0 : request->flags != 0) return EINVAL;
  auto& memory = function_.memory();
  const auto unmapped = is_all ? memory.clear() : memory.unmap(request->address, request->bytes);
  return unmapped ? Result<int>(0) : tl::unexpected<Error>(unmapped.error());
}

int Server::set_irqs(Message message) {
  const auto request = front<SetIrqs>(message.body);
  if (!request) return EINVAL;
  if (request->index != kMsixIrq) return 0;  // other kinds have no interrupts
  if (request->count == 0) {
    function_.disconnect_interrupts();
    return 0;
  }
  if ((request->flags & kSetIrqsEventfd) == 0 || request->count > kVectors) return EINVAL;
  message.descriptors.resize(request->count);  // vectors without a descriptor are disconnected
  return function_.connect_interrupts(request->start, std::move(message.descriptors)) ? 0 : EINVAL;
}

int Server::write(const Message& message, Device& device) {
  const auto request = front<RegionAccess>(message.body);
  if (!request || request->count != message.body.size() - sizeof *request) return EINVAL;
  const auto data = std::span(message.body).subspan(sizeof *request);
  if (request->region == kConfigRegion) {
    function_.write_config(request->offset, data);
  } else if (request->region == kBar0Region) {
    function_.write_bar(request->offset, data, device);
  } else {
    return EINVAL;
  }
  return 0;
}

Result<> Server::read(const Message& message) {
  const auto request = front<RegionAccess>(message.body);
  if (!request || request->count > kMaxTransfer) return channel_->refuse(message.header, EINVAL);
  const auto head = bytes_of(*request);
  std::vector<std::uint8_t> body(head.begin(), head.end());
  body.resize(head.size() + request->count);
  const auto data = std::span(body).subspan(head.size());
  if (request->region == kConfigRegion) {
    function_.read_config(request->offset, data);
  } else if (request->region == kBar0Region) {
    function_.read_bar(request->offset, data);
  } else {
    return channel_->refuse(message.header, EINVAL);
  }
  return channel_->reply(message.header, body);
}

Result<> Server::handle(Message message, Device& device) {
  const auto header = message.header;
  // Replies to a request whose only result is success or an errno.
  const auto finish = [&](int error, std::span<const std::uint8_t> body = {}) {
    return error == 0 ? channel_->reply(header, body) : channel_->refuse(header, error);
  };
  switch (header.command) {
    case Command::version:
      return negotiate(message);
    case Command::dma_map:
      return finish(map(message));
    case Command::dma_unmap: {
      const auto error = unmap(message);
      return error ? finish(*error, message.body) : tl::unexpected<Error>(error.error());
    }
    case Command::get_device_info:
      return finish(0,
                    bytes_of(DeviceInfo{
                        sizeof(DeviceInfo), kDeviceResets | kDeviceIsPci, kRegions, kIrqKinds}));
    case Command::get_region_info: {
      const auto request = front<RegionInfo>(message.body);
      if (!request || request->index >= kRegions) return channel_->refuse(header, EINVAL);
      return finish(0, bytes_of(region_info(request->index)));
    }
    case Command::get_irq_info: {
      const auto request = front<IrqInfo>(message.body);
      if (!request || request->index >= kIrqKinds) return channel_->refuse(header, EINVAL);
      const bool msix = request->index == kMsixIrq;
      return finish(
          0,
          bytes_of(IrqInfo{
              sizeof(IrqInfo), msix ? kIrqUsesEventfd : 0, request->index, msix ? kVectors : 0}));
    }
    case Command::set_irqs:
      return finish(set_irqs(std::move(message)));
    case Command::region_read:
      return read(message);
    case Command::region_write: {
      const auto error = write(message, device);
      return finish(
          error,
          std::span(message.body).first(std::min(message.body.size(), sizeof(RegionAccess))));
    }
    case Command::reset:
      device.reset();
      function_.reset();
      return finish(0);
    case Command::get_region_io_fds:
    case Command::dma_read:
    case Command::dma_write:
      break;
  }
  return channel_->refuse(header, ENOTSUP);
}

}  // namespace manactl::device::vfio_user
