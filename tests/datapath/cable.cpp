// SPDX-License-Identifier: MIT
#include "datapath/cable.h"

#include <gtest/gtest.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <utility>

namespace manactl::datapath {

bool run_tool(const std::string& program, std::vector<std::string> words) {
  words.insert(words.begin(), program);
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  pid_t pid = 0;
  int status = -1;
  if (posix_spawnp(&pid, program.c_str(), nullptr, nullptr, argv.data(), environ) != 0)
    return false;
  return waitpid(pid, &status, 0) == pid && status == 0;
}

bool ip(std::vector<std::string> words) {
  return run_tool("ip", std::move(words));
}

void make_cable() {
  ASSERT_EQ(unshare(CLONE_NEWNET), 0) << "network namespaces need root";
  create_cable();
}

void create_cable() {
  ASSERT_TRUE(ip({"link",
                  "add",
                  "sender",
                  "address",
                  kSenderMac,
                  "mtu",
                  "1500",
                  "type",
                  "veth",
                  "peer",
                  "name",
                  "receiver"}))
      << "this test needs ip of iproute2";
  // Without link-local addresses the kernel sends no neighbor discovery.
  for (const char* name : {"sender", "receiver"}) {
    ASSERT_TRUE(ip({"link", "set", name, "addrgenmode", "none", "up"}));
  }
}

Listener::Listener(const char* interface)
    : socket_(socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL))) {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(ETH_P_ALL);
  address.sll_ifindex = static_cast<int>(if_nametoindex(interface));
  const timeval timeout{10, 0};
  constexpr int kBufferBytes = 64 << 20;  // enough for one second of traffic
  EXPECT_EQ(setsockopt(socket_, SOL_SOCKET, SO_RCVBUFFORCE, &kBufferBytes, sizeof kBufferBytes), 0);
  EXPECT_EQ(setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout), 0);
  EXPECT_EQ(bind(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
}

Listener::~Listener() {
  close(socket_);
}

void Listener::send(const std::vector<std::uint8_t>& frame) const {
  static_cast<void>(::send(socket_, frame.data(), frame.size(), 0));
}

std::vector<std::uint8_t> Listener::next() const {
  std::vector<std::uint8_t> frame(10000);
  const auto size = recv(socket_, frame.data(), frame.size(), 0);
  frame.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
  return frame;
}

std::vector<std::vector<std::uint8_t>> Listener::waiting() const {
  std::vector<std::vector<std::uint8_t>> frames;
  std::vector<std::uint8_t> frame(10000);
  for (;;) {
    const auto size = recv(socket_, frame.data(), frame.size(), MSG_DONTWAIT);
    if (size < 0) return frames;
    frames.emplace_back(frame.begin(), frame.begin() + size);
  }
}

}  // namespace manactl::datapath
