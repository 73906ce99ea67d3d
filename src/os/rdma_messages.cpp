// SPDX-License-Identifier: MIT

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include <optional>

#include "os/attributes.h"
#include "os/netlink.h"
#include "os/netlink_messages.h"

namespace manactl::os {
namespace {

constexpr unsigned message_type(unsigned operation) {
  return RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, operation);
}

void append_u32(std::string& body, unsigned type, std::uint32_t value) {
  append_attribute(body, type, bytes_of(value));
}

// Decodes a u64, u32 or u8. The driver id is u32, although rdma_netlink.h documents it as u64.
std::optional<std::uint64_t> number(std::string_view data) {
  if (const auto wide = leading<std::uint64_t>(data)) return wide;
  if (const auto narrow = leading<std::uint32_t>(data)) return *narrow;
  if (const auto byte = leading<std::uint8_t>(data)) return *byte;
  return std::nullopt;
}

std::uint32_t number32(std::string_view data) {
  return static_cast<std::uint32_t>(number(data).value_or(0));
}

std::optional<std::uint32_t> driver_id(std::string_view data) {
  const auto id = number(data);
  if (!id) return std::nullopt;
  return static_cast<std::uint32_t>(*id);
}

}  // namespace

std::string encode_device_dump() {
  return encode_request(message_type(RDMA_NLDEV_CMD_GET), NLM_F_REQUEST | NLM_F_DUMP, {});
}

std::string encode_chardev_request(std::uint32_t device) {
  using namespace std::string_view_literals;
  std::string body;
  append_attribute(body, RDMA_NLDEV_ATTR_CHARDEV_TYPE, "uverbs\0"sv);
  append_u32(body, RDMA_NLDEV_ATTR_DEV_INDEX, device);
  return encode_request(message_type(RDMA_NLDEV_CMD_GET_CHARDEV), NLM_F_REQUEST | NLM_F_ACK, body);
}

std::string encode_port_request(std::uint32_t device, std::uint32_t port) {
  std::string body;
  append_u32(body, RDMA_NLDEV_ATTR_DEV_INDEX, device);
  append_u32(body, RDMA_NLDEV_ATTR_PORT_INDEX, port);
  return encode_request(message_type(RDMA_NLDEV_CMD_PORT_GET), NLM_F_REQUEST | NLM_F_ACK, body);
}

Result<RdmaDeviceReply> decode_device(std::string_view body) {
  RdmaDeviceReply device;
  bool indexed = false;
  while (const auto attribute = next_attribute(body)) {
    switch (attribute->type) {
      case RDMA_NLDEV_ATTR_DEV_INDEX:
        device.index = number32(attribute->data);
        indexed = attribute->u32().has_value();
        break;
      case RDMA_NLDEV_ATTR_DEV_NAME:
        device.name = attribute->text();
        break;
      case RDMA_NLDEV_ATTR_FW_VERSION:
        device.firmware = attribute->text();
        break;
      case RDMA_NLDEV_ATTR_DEV_NODE_TYPE:
        device.node_type = number32(attribute->data);
        break;
      case RDMA_NLDEV_ATTR_PORT_INDEX:  // for a device: the number of its ports
        device.port_count = number32(attribute->data);
        break;
      default:
        break;
    }
  }
  if (!indexed || device.name.empty()) {
    return fail(Errc::invalid, "the kernel's reply does not name an RDMA device");
  }
  return device;
}

Result<UverbsChardev> decode_chardev(std::string_view body) {
  UverbsChardev chardev;
  while (const auto attribute = next_attribute(body)) {
    switch (attribute->type) {
      case RDMA_NLDEV_ATTR_CHARDEV_NAME:
        chardev.name = attribute->text();
        break;
      case RDMA_NLDEV_ATTR_CHARDEV_ABI:
        chardev.abi = number(attribute->data).value_or(0);
        break;
      case RDMA_NLDEV_ATTR_UVERBS_DRIVER_ID:
        chardev.driver_id = driver_id(attribute->data);
        break;
      default:
        break;
    }
  }
  if (chardev.name.empty()) {
    return fail(Errc::invalid, "the kernel's reply does not name a uverbs device");
  }
  return chardev;
}

Result<RdmaPort> decode_port(std::string_view body) {
  RdmaPort port;
  while (const auto attribute = next_attribute(body)) {
    switch (attribute->type) {
      case RDMA_NLDEV_ATTR_PORT_INDEX:
        port.port = number32(attribute->data);
        break;
      case RDMA_NLDEV_ATTR_PORT_STATE:
        port.state = number32(attribute->data);
        break;
      case RDMA_NLDEV_ATTR_NDEV_NAME:
        port.netdev = attribute->text();
        break;
      default:
        break;
    }
  }
  if (port.port == 0) return fail(Errc::invalid, "the kernel's reply has no port number");
  return port;
}

}  // namespace manactl::os
