// SPDX-License-Identifier: MIT
//
// The device behind x-pci-proxy-dev of QEMU, from the other end of its two sockets.

#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "device/listener.h"
#include "device/options.h"
#include "device/pci_proxy/server.h"
#include "device/qemu_client.h"

namespace manactl::device::pci_proxy {

inline constexpr std::uint32_t kBar = 0xfe00'0000, kRam = 0x100000, kPage = 4096;
inline constexpr std::uint32_t kCommand = 0x04, kBar0 = 0x10, kControl = 0x42, kTable = 0x2000;
inline constexpr std::uint32_t kPending = 0x3000, kMaskOfEntry = 12;
inline constexpr std::uint32_t kBusMaster = 4, kMsixEnable = 0x8000, kMsixMaskAll = 0x4000;

inline std::uint32_t entry(std::uint32_t vector) {
  return kTable + vector * 16;
}

// Both sockets of a QEMU. The device runs in the thread of the test, which serves each message.
class PciProxyTest : public testing::Test {
 protected:
  PciProxyTest() {
    auto opened = Listener::open(path_, SOCK_STREAM);
    EXPECT_TRUE(opened.has_value());
    listener_.emplace(std::move(*opened));
    server_.attach(std::move(ends_.device));
  }

  // Sends a message and lets the device handle it.
  void send(Command command,
            const std::vector<std::uint8_t>& bytes,
            std::span<const int> descriptors = {}) {
    auto message = body(Header{command, 0, bytes.size()});
    message.insert(message.end(), bytes.begin(), bytes.end());
    send_bytes(ends_.qemu, message, descriptors);
    serve();
  }

  // Whether the connection is still open.
  bool serve() {
    const auto served = server_.serve(device_);
    error_ = served ? "" : served.error().message;
    return served && *served;
  }

  std::uint64_t ask(Command command, const std::vector<std::uint8_t>& bytes) {
    send(command, bytes);
    EXPECT_EQ(error_, "");
    const auto reply = receive_bytes(ends_.qemu, sizeof(Header) + 8);
    EXPECT_EQ(front<Header>(reply)->command, Command::reply);
    EXPECT_EQ(front<Header>(reply)->bytes, 8U);
    return wire::load(reply, sizeof(Header), 8);
  }

  std::uint64_t read_config(std::uint32_t offset, std::uint32_t bytes) {
    return ask(Command::read_config, body(ConfigAccess{offset, 0, bytes}));
  }

  void write_config(std::uint32_t offset, std::uint32_t bytes, std::uint32_t value) {
    EXPECT_EQ(ask(Command::write_config, body(ConfigAccess{offset, value, bytes})), 0U);
  }

  std::uint64_t read_bar(std::uint32_t offset, std::uint32_t bytes) {
    return ask(Command::read_bar, body(BarAccess{kBar + offset, 0, bytes, 1}));
  }

  void write_bar(std::uint32_t offset, std::uint32_t bytes, std::uint64_t value) {
    EXPECT_EQ(ask(Command::write_bar, body(BarAccess{kBar + offset, value, bytes, 1})), 0U);
  }

  void sync_memory(const SyncMemory& ranges, std::span<const int> files) {
    send(Command::sync_memory, body(ranges), files);
    EXPECT_EQ(error_, "");
  }

  void map_bar() { write_config(kBar0, 4, kBar); }

  // Enables MSI-X, and unmasks vector 3 with the message 0x4041.
  void enable_interrupts() {
    map_bar();
    write_config(kCommand, 2, kBusMaster);
    write_config(kControl, 2, kMsixEnable);
    write_bar(entry(3), 8, 0xfee0'1000);
    write_bar(entry(3) + 8, 8, 0x4041);  // with the mask
    qtest_ = listener_->accept();
  }

  // The commands that QEMU has received.
  std::string commands() const {
    std::array<char, 1000> bytes{};
    const auto got = ::recv(qtest_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    return {bytes.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
  }

  MsixFunction& function() { return server_.guest(); }

  Options options_ = *parse_options({"socket"});
  std::string path_ = testing::TempDir() + "qtest" + std::to_string(::getpid());
  std::optional<Listener> listener_;
  std::vector<std::string> lines_;
  Trace trace_{[this](const std::string& line) { lines_.push_back(line); }};
  Server server_{path_, trace_};
  Device device_{server_.guest(), options_, trace_};
  SocketPair ends_;
  Descriptor qtest_;
  std::string error_;
};

}  // namespace manactl::device::pci_proxy
