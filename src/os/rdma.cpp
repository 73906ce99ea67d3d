// SPDX-License-Identifier: MIT

#include "os/rdma.h"

#include <linux/netlink.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "os/netlink.h"
#include "os/netlink_messages.h"

namespace manactl::os {
namespace {

constexpr std::string_view kNoUverbs = "the module ib_uverbs is not loaded";

// Sends a request for a single object and returns the body of the reply.
Result<std::string> request_one(std::string request) {
  auto messages = send_netlink_request(NETLINK_RDMA, std::move(request));
  if (!messages) return tl::unexpected<Error>(std::move(messages.error()));
  if (messages->empty()) return fail(Errc::io, "the reply from the kernel is empty");
  return std::move(messages->front().body);
}

std::string doing(const RdmaDeviceReply& device) {
  return fmt::format("cannot find the uverbs device of '{}'", printable(device.name));
}

Result<UverbsChardev> chardev_of(const RdmaDeviceReply& device) {
  const auto body = request_one(encode_chardev_request(device.index));
  if (body) {
    auto chardev = decode_chardev(*body);
    if (!chardev) return because(chardev.error(), doing(device));
    return chardev;
  }
  Error cause = body.error();
  // RDMA netlink uses these errnos with meanings that differ from their standard texts.
  if (cause.sys == EOPNOTSUPP) cause.message = std::string(kNoUverbs);
  if (cause.sys == ENOENT) cause.message = "ib_uverbs does not support this device";
  if (cause.sys == EINVAL) {
    cause.code = Errc::not_found;
    cause.message = "the device was removed or is in another network namespace";
  }
  return because(std::move(cause), doing(device));
}

Result<UverbsChardev> uverbs_not_loaded(const RdmaDeviceReply& device) {
  return because(Error{Errc::unsupported, EOPNOTSUPP, std::string(kNoUverbs)}, doing(device));
}

std::vector<RdmaPort> ports_of(const RdmaDeviceReply& device) {
  constexpr std::uint32_t kMaxPorts = 255;
  std::vector<RdmaPort> ports;
  for (std::uint32_t number = 1; number <= std::min(device.port_count, kMaxPorts); ++number) {
    const auto body = request_one(encode_port_request(device.index, number));
    if (!body) continue;  // the device was removed; chardev_of() reports it
    if (auto port = decode_port(*body)) ports.push_back(std::move(*port));
  }
  return ports;
}

class NetlinkRdma final : public Rdma {
 public:
  explicit NetlinkRdma(const Files& files) : files_(files) {}

  Result<std::vector<RdmaDevice>> devices() const override {
    const auto messages = send_netlink_request(NETLINK_RDMA, encode_device_dump());
    if (!messages) return because(messages.error(), "cannot list the RDMA devices");
    const bool has_uverbs = exists(files_, "sys/class/infiniband_verbs");
    std::vector<RdmaDevice> devices;
    for (const auto& message : *messages) {
      const auto device = decode_device(message.body);
      if (!device) return because(device.error(), "cannot list the RDMA devices");
      devices.push_back({device->index,
                         device->name,
                         device->node_type,
                         device->firmware,
                         ports_of(*device),
                         has_uverbs ? chardev_of(*device) : uverbs_not_loaded(*device)});
    }
    std::ranges::sort(devices, {}, &RdmaDevice::index);
    return devices;
  }

 private:
  const Files& files_;
};

}  // namespace

std::unique_ptr<Rdma> open_rdma(const Files& files) {
  return std::make_unique<NetlinkRdma>(files);
}

}  // namespace manactl::os
