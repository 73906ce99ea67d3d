// SPDX-License-Identifier: MIT

#include "os/rdma.h"

#include <linux/netlink.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "os/netlink.h"
#include "os/rdma_messages.h"

namespace manactl::os {
namespace {

constexpr std::string_view kNoUverbs = "the module ib_uverbs is not loaded";

// The one answer to a question that is no dump.
Result<std::string> ask_one(std::string request) {
  auto messages = ask_netlink(NETLINK_RDMA, std::move(request));
  if (!messages) return tl::unexpected<Error>(std::move(messages.error()));
  if (messages->empty()) return fail(Errc::io, "the kernel did not answer");
  return std::move(messages->front().body);
}

std::string doing(const RdmaDeviceAnswer& device) {
  return fmt::format("cannot find the uverbs device of '{}'", printable(device.name));
}

Result<UverbsChardev> chardev_of(const RdmaDeviceAnswer& device) {
  const auto body = ask_one(encode_chardev_request(device.index));
  if (body) {
    auto chardev = decode_chardev(*body);
    if (!chardev) return because(chardev.error(), doing(device));
    return chardev;
  }
  Error cause = body.error();
  // What the kernel means by these numbers here is not what their texts say.
  if (cause.sys == EOPNOTSUPP) cause.message = std::string(kNoUverbs);
  if (cause.sys == ENOENT) cause.message = "ib_uverbs does not serve this device";
  if (cause.sys == EINVAL) {
    cause.code = Errc::not_found;
    cause.message = "the device is gone, or in another network namespace";
  }
  return because(std::move(cause), doing(device));
}

Result<UverbsChardev> not_asked(const RdmaDeviceAnswer& device) {
  return because(Error{Errc::unsupported, EOPNOTSUPP, std::string(kNoUverbs)}, doing(device));
}

std::vector<RdmaPort> ports_of(const RdmaDeviceAnswer& device) {
  constexpr std::uint32_t kMostPorts = 255;
  std::vector<RdmaPort> ports;
  for (std::uint32_t number = 1; number <= std::min(device.port_count, kMostPorts); ++number) {
    const auto body = ask_one(encode_port_request(device.index, number));
    if (!body) continue;  // the device went away: its chardev says so
    if (auto port = decode_port(*body)) ports.push_back(std::move(*port));
  }
  return ports;
}

class NetlinkRdma final : public Rdma {
 public:
  explicit NetlinkRdma(const Files& files) : files_(files) {}

  Result<std::vector<RdmaDevice>> devices() const override {
    const auto messages = ask_netlink(NETLINK_RDMA, encode_device_dump());
    if (!messages) return because(messages.error(), "cannot list the RDMA devices");
    const bool has_uverbs = exists(files_, "sys/class/infiniband_verbs");
    std::vector<RdmaDevice> devices;
    for (const auto& message : *messages) {
      const auto answer = decode_device(message.body);
      if (!answer) return because(answer.error(), "cannot list the RDMA devices");
      devices.push_back({answer->index,
                         answer->name,
                         answer->node_type,
                         answer->firmware,
                         ports_of(*answer),
                         has_uverbs ? chardev_of(*answer) : not_asked(*answer)});
    }
    std::sort(devices.begin(), devices.end(), [](const RdmaDevice& a, const RdmaDevice& b) {
      return a.index < b.index;
    });
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
