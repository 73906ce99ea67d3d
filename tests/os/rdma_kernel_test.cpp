// SPDX-License-Identifier: MIT
//
// RDMA devices and TCP sockets that a simulated kernel reports.

#include <gmock/gmock.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <rdma/rdma_netlink.h>

#include "os/memory_files.h"
#include "os/netlink_kernel.h"
#include "os/netlink_messages.h"
#include "os/rdma.h"
#include "os/sockets.h"

namespace manactl::os::rdma_kernel_test {
namespace {

using test::NetlinkKernel;
using ::testing::ElementsAre;
using Reply = NetlinkKernel::Reply;
using Request = NetlinkKernel::Request;

constexpr unsigned command(unsigned type) {
  return type & 0xffU;  // the upper bits are RDMA_NL_NLDEV
}

std::uint32_t number_in(const Request& request, unsigned type) {
  std::string_view rest(request.body);
  while (const auto attribute = next_attribute(rest)) {
    if (attribute->type == type) return attribute->u32().value_or(0);
  }
  return 0;
}

class RdmaKernel : public ::testing::Test {
 protected:
  RdmaKernel() {
    files_.add_directory("sys/class/infiniband_verbs");
    kernel_.answer = [this](const Request& request) -> Reply {
      const auto known = replies_.find(command(request.type));
      if (known != replies_.end()) return known->second(request);
      switch (command(request.type)) {
        case RDMA_NLDEV_CMD_GET:
          return {kernel_.message(request.type, device(4, "mana_1", 1)),
                  kernel_.message(request.type, device(2, "mana_0", 2)),
                  kernel_.status()};
        case RDMA_NLDEV_CMD_PORT_GET:
          return {kernel_.message(request.type, port_of(request)), kernel_.status()};
        default:
          return {kernel_.message(request.type, chardev_of(request)), kernel_.status()};
      }
    };
  }

  static std::string device(std::uint32_t index, std::string_view name, std::uint32_t ports) {
    std::string body;
    append_attribute(body, RDMA_NLDEV_ATTR_DEV_INDEX, bytes_of(index));
    append_attribute(body, RDMA_NLDEV_ATTR_DEV_NAME, name);
    append_attribute(body, RDMA_NLDEV_ATTR_FW_VERSION, "1.2");
    append_attribute(body, RDMA_NLDEV_ATTR_DEV_NODE_TYPE, "\x01");
    append_attribute(body, RDMA_NLDEV_ATTR_PORT_INDEX, bytes_of(ports));
    return body;
  }

  static std::string port_of(const Request& request) {
    const auto number = number_in(request, RDMA_NLDEV_ATTR_PORT_INDEX);
    const auto index = number_in(request, RDMA_NLDEV_ATTR_DEV_INDEX);
    std::string body;
    append_attribute(body, RDMA_NLDEV_ATTR_PORT_INDEX, bytes_of(number));
    append_attribute(body, RDMA_NLDEV_ATTR_PORT_STATE, "\x04");
    append_attribute(body, RDMA_NLDEV_ATTR_NDEV_NAME, fmt::format("eth{}.{}", index, number));
    return body;
  }

  static std::string chardev_of(const Request& request) {
    std::string body;
    append_attribute(body,
                     RDMA_NLDEV_ATTR_CHARDEV_NAME,
                     fmt::format("uverbs{}", number_in(request, RDMA_NLDEV_ATTR_DEV_INDEX)));
    return body;
  }

  // The devices in one line each, or the message of the error.
  std::vector<std::string> texts() {
    const auto devices = open_rdma(files_)->devices();
    if (!devices) return {devices.error().message};
    std::vector<std::string> lines;
    for (const auto& one : *devices) {
      auto line = fmt::format(
          "{} {} type {} firmware {} ports", one.index, one.name, one.node_type, one.firmware);
      for (const auto& port : one.ports) {
        line += fmt::format(" {}:{}:{}", port.port, port.state, port.netdev);
      }
      lines.push_back(line + " " + (one.chardev ? one.chardev->name : one.chardev.error().message));
      if (!one.chardev) errors_.push_back(one.chardev.error().code);
    }
    return lines;
  }

  void reply(unsigned to, std::function<Reply(const Request&)> with) {
    replies_.insert_or_assign(to, std::move(with));
  }

  MemoryFiles files_;
  NetlinkKernel kernel_;
  std::map<unsigned, std::function<Reply(const Request&)>> replies_;
  std::vector<Errc> errors_;
};

TEST_F(RdmaKernel, ListsDevicesByIndexWithTheirPorts) {
  EXPECT_THAT(texts(),
              ElementsAre("2 mana_0 type 1 firmware 1.2 ports 1:4:eth2.1 2:4:eth2.2 uverbs2",
                          "4 mana_1 type 1 firmware 1.2 ports 1:4:eth4.1 uverbs4"));
  for (const auto& request : kernel_.requests) EXPECT_EQ(request.protocol, NETLINK_RDMA);
}

TEST_F(RdmaKernel, AsksForNoUverbsDeviceIfIbUverbsIsNotLoaded) {
  files_ = {};
  EXPECT_THAT(texts(),
              ElementsAre("2 mana_0 type 1 firmware 1.2 ports 1:4:eth2.1 2:4:eth2.2 cannot find "
                          "the uverbs device of 'mana_0': the module ib_uverbs is not loaded",
                          "4 mana_1 type 1 firmware 1.2 ports 1:4:eth4.1 cannot find the uverbs "
                          "device of 'mana_1': the module ib_uverbs is not loaded"));
  EXPECT_THAT(errors_, ElementsAre(Errc::unsupported, Errc::unsupported));
  for (const auto& request : kernel_.requests) {
    EXPECT_NE(command(request.type), unsigned{RDMA_NLDEV_CMD_GET_CHARDEV});
  }
}

TEST_F(RdmaKernel, ExplainsTheErrnosOfAUverbsRequest) {
  struct Case {
    int error;
    Errc code;
    std::string message;
  };

  for (const auto& one :
       {Case{EOPNOTSUPP, Errc::unsupported, "the module ib_uverbs is not loaded"},
        Case{ENOENT, Errc::not_found, "ib_uverbs does not support this device"},
        Case{EINVAL, Errc::not_found, "the device was removed or is in another network namespace"},
        Case{EPERM, Errc::denied, "the kernel rejected the request: Operation not permitted"}}) {
    reply(RDMA_NLDEV_CMD_GET_CHARDEV,
          [&](const Request&) -> Reply { return {kernel_.status(one.error)}; });
    const auto devices = open_rdma(files_)->devices();
    ASSERT_TRUE(devices);
    const auto& chardev = devices->front().chardev;
    ASSERT_FALSE(chardev);
    EXPECT_EQ(chardev.error().code, one.code) << one.error;
    EXPECT_EQ(chardev.error().sys, one.error);
    EXPECT_EQ(chardev.error().message, "cannot find the uverbs device of 'mana_0': " + one.message);
  }
}

TEST_F(RdmaKernel, ReportsAUselessUverbsReply) {
  reply(RDMA_NLDEV_CMD_GET_CHARDEV, [&](const Request&) -> Reply { return {kernel_.status()}; });
  EXPECT_EQ(texts().front(),
            "2 mana_0 type 1 firmware 1.2 ports 1:4:eth2.1 2:4:eth2.2 cannot find the uverbs "
            "device of 'mana_0': the reply from the kernel is empty");
  reply(RDMA_NLDEV_CMD_GET_CHARDEV, [&](const Request& request) -> Reply {
    return {kernel_.message(request.type, "none"), kernel_.status()};
  });
  EXPECT_EQ(texts().front(),
            "2 mana_0 type 1 firmware 1.2 ports 1:4:eth2.1 2:4:eth2.2 cannot find the uverbs "
            "device of 'mana_0': the kernel's reply does not name a uverbs device");
}

TEST_F(RdmaKernel, OmitsPortsOfARemovedDevice) {
  reply(RDMA_NLDEV_CMD_PORT_GET, [&](const Request& request) -> Reply {
    if (number_in(request, RDMA_NLDEV_ATTR_PORT_INDEX) == 1) return {kernel_.status(EINVAL)};
    return {kernel_.message(request.type, port_of(request)), kernel_.status()};
  });
  EXPECT_THAT(texts(),
              ElementsAre("2 mana_0 type 1 firmware 1.2 ports 2:4:eth2.2 uverbs2",
                          "4 mana_1 type 1 firmware 1.2 ports uverbs4"));
}

TEST_F(RdmaKernel, AsksForAtMost255Ports) {
  reply(RDMA_NLDEV_CMD_GET, [&](const Request& request) -> Reply {
    return {kernel_.message(request.type, device(1, "many", 1000000)), kernel_.status()};
  });
  EXPECT_EQ(open_rdma(files_)->devices()->front().ports.size(), 255U);
}

TEST_F(RdmaKernel, FailsIfDevicesCannotBeListed) {
  reply(RDMA_NLDEV_CMD_GET, [&](const Request&) -> Reply { return {kernel_.status(EPERM)}; });
  EXPECT_THAT(texts(),
              ElementsAre("cannot list the RDMA devices: the kernel rejected the request: "
                          "Operation not permitted"));
  reply(RDMA_NLDEV_CMD_GET, [&](const Request& request) -> Reply {
    return {kernel_.message(request.type, "none"), kernel_.status()};
  });
  EXPECT_THAT(texts(),
              ElementsAre("cannot list the RDMA devices: the kernel's reply does not name an RDMA "
                          "device"));
}

// TCP sockets.

class SocketKernel : public ::testing::Test {
 protected:
  SocketKernel() {
    files_.add_file("sys/module/tcp_diag/initstate", "live");
    kernel_.answer = [this](const Request& request) -> Reply {
      const auto asked = leading<inet_diag_req_v2>(request.body).value();
      const bool v6 = asked.sdiag_family == AF_INET6;
      if (v6 ? v6_error_ != 0 : v4_error_ != 0) {
        return {kernel_.status(v6 ? v6_error_ : v4_error_)};
      }
      inet_diag_msg reply{};
      reply.idiag_family = asked.sdiag_family;
      reply.idiag_state = TCP_LISTEN;
      reply.idiag_inode = v6 ? 6 : 4;
      return {kernel_.message(SOCK_DIAG_BY_FAMILY, bytes_of(reply)),
              kernel_.message(SOCK_DIAG_BY_FAMILY, "short"),
              kernel_.status()};
    };
  }

  std::string inodes() {
    const auto sockets = open_sockets(files_)->tcp();
    if (!sockets) return sockets.error().message;
    std::string text;
    for (const auto& socket : *sockets) text += std::to_string(socket.inode);
    return text;
  }

  MemoryFiles files_;
  NetlinkKernel kernel_;
  int v4_error_ = 0, v6_error_ = 0;
};

TEST_F(SocketKernel, ListsSocketsOfBothFamilies) {
  EXPECT_EQ(inodes(), "46");
  for (const auto& request : kernel_.requests) {
    EXPECT_EQ(request.protocol, NETLINK_SOCK_DIAG);
    EXPECT_EQ(request.type, unsigned{SOCK_DIAG_BY_FAMILY});
    EXPECT_EQ(request.flags, unsigned{NLM_F_REQUEST | NLM_F_DUMP});
    const auto asked = leading<inet_diag_req_v2>(request.body).value();
    EXPECT_EQ(asked.sdiag_protocol, IPPROTO_TCP);
    EXPECT_EQ(asked.idiag_states, (1U << TCP_LISTEN) | (1U << TCP_ESTABLISHED));
  }
}

TEST_F(SocketKernel, ToleratesOnlyAKernelWithoutIpv6) {
  v6_error_ = ENOENT;
  EXPECT_EQ(inodes(), "4");
  v6_error_ = EPERM;
  EXPECT_EQ(inodes(),
            "cannot list the TCP sockets: the kernel rejected the request: Operation not "
            "permitted");
  v6_error_ = 0;
  v4_error_ = ENOENT;
  EXPECT_EQ(inodes(),
            "cannot list the TCP sockets: the kernel rejected the request: No such file or "
            "directory");
}

TEST_F(SocketKernel, FailsIfAProcfsFileCannotBeRead) {
  files_ = {};
  EXPECT_EQ(open_sockets(files_)->tcp().error().code, Errc::not_found);
  files_.add_file("proc/net/tcp", "");
  EXPECT_EQ(inodes(), "");
  Node secret{.type = Node::Type::file};
  files_.add_node("proc/net/tcp6", secret);
  EXPECT_EQ(inodes(),
            "cannot list the TCP sockets: cannot read '/proc/net/tcp6': Permission denied");
  EXPECT_TRUE(kernel_.requests.empty());
}

}  // namespace
}  // namespace manactl::os::rdma_kernel_test
