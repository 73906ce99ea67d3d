// SPDX-License-Identifier: MIT

#include "cli/bench/virtual_device.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>

namespace manactl::cli::virtual_device_test {
namespace {

using ::testing::HasSubstr;

class MemifSocket : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(directory_.data()), nullptr); }

  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string device(const std::string& arguments) const {
    return fmt::format("net_memif0,role=server,{}", arguments);
  }

  std::string directory_ = "/tmp/manactl-memif-XXXXXX";
};

std::string refusal(const std::string& device) {
  const auto allowed = refuse_shared_memif(device);
  return allowed ? "" : allowed.error().message;
}

TEST_F(MemifSocket, MustBeAFileInAPrivateDirectory) {
  const auto arguments = fmt::format("socket-abstract=no,socket={}/a", directory_);
  EXPECT_EQ(refusal(device(arguments)), "");
  for (const mode_t mode : {0710, 0701, 0755, 0704}) {
    ASSERT_EQ(chmod(directory_.c_str(), mode), 0);
    EXPECT_THAT(refusal(device(arguments)), HasSubstr("other users can enter")) << std::oct << mode;
    EXPECT_EQ(refuse_shared_memif(device(arguments)).error().code, Errc::denied);
  }
}

TEST_F(MemifSocket, IsRefusedIfItIsAbstract) {
  for (const auto* arguments : {"",
                                "socket=SOCKET",
                                "socket-abstract=yes,socket=SOCKET",
                                "socket-abstract=no,socket=SOCKET,socket-abstract=yes",
                                "socket-abstract,socket=SOCKET",
                                "socket-abstract=no",
                                "socket-abstract=no,socket=/tmp/a,socket=SOCKET"}) {
    auto text = device(arguments);
    const auto at = text.find("SOCKET");
    if (at != std::string::npos) text.replace(at, 6, directory_ + "/a");
    EXPECT_THAT(refusal(text), HasSubstr("every user could connect")) << text;
  }
  for (const auto* name : {"net_memif0", "vdev:net_memif0", "vdev_net_memif0"}) {
    EXPECT_THAT(refusal(name), HasSubstr("every user could connect")) << name;
  }
}

TEST_F(MemifSocket, IsRefusedInADirectoryOfOthers) {
  EXPECT_NE(refusal(device("socket-abstract=no,socket=/tmp/a")), "");
  EXPECT_NE(refusal(device("socket-abstract=no,socket=/nonexistent/a")), "");
  EXPECT_NE(refusal(device(fmt::format("socket-abstract=no,socket={}/", directory_))), "");
}

TEST_F(MemifSocket, DoesNotConcernOtherDevices) {
  for (const auto* name :
       {"net_null0", "vdev", "net_af_packet0,iface=eth0", "7870:00:00.0,mac=00:0d:3a:76:3b:d1"}) {
    EXPECT_EQ(refusal(name), "");
  }
}

class RoutedLinks : public os::Links {
 public:
  Result<std::vector<os::Link>> links() const override {
    os::Link first, second;
    first.index = 2;
    first.name = "enp1s0";
    second.index = 3;
    second.name = "veth0";
    return std::vector{first, second};
  }

  Result<std::vector<os::Address>> addresses() const override { return std::vector<os::Address>{}; }

  Result<std::vector<os::Route>> routes() const override {
    os::Route route, other;
    route.destination = "default";
    route.outputs = {7, 2};
    other.destination = "10.0.0.0/24";
    other.outputs = {3};
    return std::vector{route, other};
  }
};

std::string refusal(const std::string& device, datapath::Mode mode) {
  host::Nic nic;
  nic.synthetic = host::Netdev{};
  nic.synthetic->name = "eth1";
  nic.carries = {"SSH session from 10.1.0.9"};
  host::Facts facts;
  facts.nics = std::vector{nic};
  const auto allowed = refuse_busy_interface(device, mode, facts, RoutedLinks());
  return allowed ? "" : allowed.error().message;
}

TEST(PacketInterface, IsRefusedIfItsTrafficMustNotBeInterrupted) {
  EXPECT_THAT(refusal("net_af_packet0,iface=enp1s0", datapath::Mode::tx),
              HasSubstr("'enp1s0' carries the default route"));
  EXPECT_THAT(refusal("net_af_packet0,iface=eth1,qpairs=1", datapath::Mode::fwd),
              HasSubstr("'eth1' carries the SSH session from 10.1.0.9"));
  EXPECT_EQ(refusal("net_af_packet0,iface=eth1", datapath::Mode::rx), "");
  EXPECT_EQ(refusal("net_af_packet0,iface=veth0", datapath::Mode::tx), "");
  EXPECT_EQ(refusal("net_af_packet0,iface=missing", datapath::Mode::tx), "");
  EXPECT_EQ(refusal("net_null0,iface=eth1", datapath::Mode::tx), "");
}

TEST(PacketInterface, IsRefusedForEveryDriverThatSendsOnIt) {
  for (const auto* device : {"eth_af_packet0,iface=eth1",
                             "vdev:net_af_packet0,iface=eth1",
                             "net_pcap0,iface=eth1",
                             "eth_pcap0,iface=eth1",
                             "net_pcap0,rx_iface=veth0,tx_iface=eth1",
                             "net_pcap0,tx_iface=veth0,tx_iface=eth1"}) {
    EXPECT_THAT(refusal(device, datapath::Mode::tx), HasSubstr("another interface, or --mode rx"))
        << device;
    EXPECT_EQ(refusal(device, datapath::Mode::rx), "") << device;
  }
  EXPECT_EQ(refusal("net_pcap0,rx_iface=eth1,tx_iface=veth0", datapath::Mode::fwd), "");
  EXPECT_EQ(refusal("net_tap0,iface=eth1", datapath::Mode::tx), "") << "creates the interface";
}

TEST(PacketInterface, IsRefusedForDriversThatTakeItsReceivedPackets) {
  for (const auto* device : {"net_af_xdp0,iface=eth1", "net_tap0,iface=tap0,remote=eth1"}) {
    const auto message = refusal(device, datapath::Mode::rx);
    EXPECT_THAT(message, HasSubstr("'eth1' carries the SSH session from 10.1.0.9")) << device;
    EXPECT_TRUE(message.ends_with("use another interface")) << message;
  }
  EXPECT_EQ(refusal("net_af_xdp0,iface=veth0", datapath::Mode::rx), "");
}

}  // namespace
}  // namespace manactl::cli::virtual_device_test
