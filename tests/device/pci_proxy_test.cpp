// SPDX-License-Identifier: MIT
//
// Configuration space, BAR, RAM and messages of the device behind x-pci-proxy-dev.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "device/pci_proxy_fixture.h"

namespace manactl::device::pci_proxy::pci_proxy_test {
namespace {

using testing::HasSubstr;

TEST_F(PciProxyTest, HasOneBarOf32Bits) {
  EXPECT_EQ(read_config(0, 2), 0x1414U);
  EXPECT_EQ(read_config(2, 2), 0x00baU);
  EXPECT_EQ(read_config(0x0a, 2), 0x0200U);
  // QEMU writes ones to the BARs and to the register behind them, to see their sizes.
  for (std::uint32_t i = 0; i < 7; ++i) {
    EXPECT_EQ(read_config(kBar0 + 4 * i, 4), 0U);
    write_config(kBar0 + 4 * i, 4, 0xffff'ffff);
    EXPECT_EQ(read_config(kBar0 + 4 * i, 4), i == 0 ? ~(PciFunction::kBarBytes - 1) : 0);
    write_config(kBar0 + 4 * i, 4, 0);
  }
  EXPECT_EQ(read_config(kBar0, 4), 0U);
}

TEST_F(PciProxyTest, KeepsTheConstantPartOfTheConfiguration) {
  for (std::uint32_t offset = 0; offset < 0x100; offset += 4) write_config(offset, 4, 0xffff'ffff);
  EXPECT_EQ(read_config(0, 4), 0x00ba1414U);
  EXPECT_EQ(read_config(kCommand, 4), 0x0010fffeU);
  EXPECT_EQ(read_config(0x2c, 4), 0x00ba1414U);
  EXPECT_EQ(read_config(0x34, 4), 0x40U);
  EXPECT_EQ(read_config(0x3c, 4), 0xffU);
  EXPECT_EQ(read_config(0x40, 4), 0xc000'0011U | (kVectors - 1) << 16U);
  EXPECT_EQ(read_config(0x44, 4), kTable);
  EXPECT_EQ(read_config(0x48, 4), kPending);
  EXPECT_EQ(read_config(0xff, 4), 0U);
  EXPECT_EQ(read_config(0x1000, 4), 0U);
  write_config(0xffff'ffff, 4, 1);
  EXPECT_EQ(read_config(1, 1), 0x14U);
}

TEST_F(PciProxyTest, FindsRegistersAtTheAddressOfTheBar) {
  map_bar();
  EXPECT_EQ(read_bar(0x08, 8), kDoorbellsAt);
  EXPECT_EQ(read_bar(0x10, 4), kDoorbellPageBytes);
  EXPECT_EQ(read_bar(0x18, 8), kSharedMemoryAt);
  EXPECT_EQ(read_bar(0x19, 1), kSharedMemoryAt >> 8U);
  EXPECT_EQ(read_bar(PciFunction::kBarBytes + 0x08, 8), 0U);
  EXPECT_EQ(ask(Command::read_bar, body(BarAccess{kBar - 8, 0, 8, 1})), 0U);
  EXPECT_EQ(ask(Command::read_bar, body(BarAccess{0x08, 0, 8, 1})), 0U);
  write_config(kBar0, 4, 0xfd00'0000);
  EXPECT_EQ(read_bar(0x08, 8), 0U);
  EXPECT_EQ(ask(Command::read_bar, body(BarAccess{0xfd00'0008, 0, 8, 1})), kDoorbellsAt);
}

TEST_F(PciProxyTest, EndsWhenQemuClosesEitherSocket) {
  enable_interrupts();
  qtest_ = Descriptor();
  EXPECT_FALSE(serve());
  EXPECT_EQ(error_, "");
  server_.detach();
  EXPECT_TRUE(server_.poll_entries().empty());

  SocketPair next;
  server_.attach(std::move(next.device));
  next.qemu = Descriptor();
  EXPECT_FALSE(serve());
  EXPECT_EQ(error_, "");
}

TEST_F(PciProxyTest, ReplacesTheRam) {
  const auto first = ram_file(3 * kPage), second = ram_file(kPage);
  const std::array files{first.get(), second.get()};
  sync_memory({{kRam, 4 * kRam}, {kPage, kPage}, {2 * kPage, 0}}, files);
  const std::array<std::uint8_t, 2> bytes{7, 8};
  std::array<std::uint8_t, 2> found{};
  EXPECT_TRUE(function().write(kRam + 1, bytes));
  EXPECT_TRUE(function().write(4 * kRam + 2, bytes));
  ASSERT_EQ(::pread(first.get(), found.data(), 2, 2 * kPage + 1), 2);
  EXPECT_EQ(found, bytes);
  ASSERT_EQ(::pread(second.get(), found.data(), 2, 2), 2);
  EXPECT_EQ(found, bytes);

  // The second range now exceeds its file, and the other elements have no descriptors.
  sync_memory({{2 * kRam, 4 * kRam, 6 * kRam}, {kPage, 2 * kPage, kPage}, {0, 0, 0}}, files);
  EXPECT_FALSE(function().write(kRam + 1, bytes));
  EXPECT_TRUE(function().write(2 * kRam, bytes));
  EXPECT_FALSE(function().write(4 * kRam, bytes));
  EXPECT_FALSE(function().write(6 * kRam, bytes));
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_THAT(lines_[0], HasSubstr("exceed the file of 0x1000 bytes"));

  sync_memory({}, {});
  EXPECT_FALSE(function().write(2 * kRam, bytes));
}

TEST_F(PciProxyTest, ExecutesTheFirstRequestOfADriver) {
  enable_interrupts();
  const auto ram = ram_file(4 * kPage);
  const std::array files{ram.get()};
  sync_memory({{kRam}, {4 * kPage}, {0}}, files);
  wire::SharedMemoryMessage message;
  message.header.type = wire::SharedMemoryType::establish;
  message.eq_frame = kRam >> 12U;
  message.cq_frame = message.eq_frame + 1;
  message.rq_frame = message.eq_frame + 2;
  message.sq_frame = message.eq_frame + 3;
  message.eq_msix = 3;
  const auto bytes = *wire::encode(message);
  for (std::uint32_t at = 0; at < bytes.size(); at += 4) {
    write_bar(kSharedMemoryAt + at, 4, wire::load(bytes, at, 4));
  }
  const auto header = wire::decode<wire::SharedMemoryHeader>(
      body(static_cast<std::uint32_t>(read_bar(kSharedMemoryAt + 28, 4))));
  ASSERT_TRUE(header.has_value());
  EXPECT_TRUE(header->response);
  EXPECT_EQ(header->status, 0);
  EXPECT_EQ(commands(), "writel 0xfee01000 0x4041\n");
  std::array<std::uint8_t, 16> event{};
  ASSERT_EQ(::pread(ram.get(), event.data(), event.size(), 0), ssize_t{16});
  EXPECT_EQ(event[12], static_cast<std::uint8_t>(wire::EventType::channel_init_eq));
  EXPECT_EQ(trace_.violations(), 0U);

  EXPECT_EQ(ask(Command::reset, {}), 0U);
  EXPECT_EQ(device_.queues().eqs().size(), 0U);
  EXPECT_EQ(read_config(kBar0, 4), 0U);
  EXPECT_EQ(read_config(kCommand, 2), 0U);
  EXPECT_EQ(read_config(kControl, 2), kVectors - 1);
  map_bar();
  EXPECT_EQ(read_bar(kSharedMemoryAt + 28, 4), 0U);
  EXPECT_EQ(read_bar(entry(3), 4), 0U);
  EXPECT_EQ(read_bar(entry(3) + kMaskOfEntry, 4), 1U);
  EXPECT_TRUE(function().read(kRam, event));  // a reset keeps the RAM
}

TEST_F(PciProxyTest, ForgetsTheGuestOfAnEarlierQemu) {
  enable_interrupts();
  const auto ram = ram_file(kPage);
  const std::array files{ram.get()};
  sync_memory({{kRam}, {kPage}, {0}}, files);
  server_.detach();
  std::array<std::uint8_t, 1> byte{};
  EXPECT_FALSE(function().read(kRam, byte));
  EXPECT_FALSE(function().interrupt(3));
  SocketPair next;
  server_.attach(std::move(next.device));
  ends_.qemu = std::move(next.qemu);
  EXPECT_EQ(read_config(kBar0, 4), 0U);
  EXPECT_EQ(read_config(kCommand, 2), 0U);
}

TEST_F(PciProxyTest, IgnoresTheEventfdsOfIntx) {
  const auto any = ram_file(1);
  const std::array files{any.get(), any.get()};
  send(Command::set_interrupts, {}, files);
  EXPECT_EQ(error_, "");
  EXPECT_EQ(read_config(0, 2), 0x1414U);
}

TEST_F(PciProxyTest, RefusesInvalidMessages) {
  const auto error_of = [&](Command command, const std::vector<std::uint8_t>& bytes) {
    send(command, bytes);
    return error_;
  };
  EXPECT_EQ(error_of(static_cast<Command>(8), {}), "a message has the unknown command 8");
  EXPECT_EQ(error_of(Command::reply, body(std::uint64_t{0})),
            "a message has the unknown command 1");
  EXPECT_EQ(error_of(Command::read_config, body(std::uint32_t{0})),
            "a message with command 3 has 4 bytes after its header, expected 12");
  EXPECT_EQ(error_of(Command::write_bar, body(BarAccess{}, std::uint8_t{0})),
            "a message with command 4 has 25 bytes after its header, expected 24");
  EXPECT_EQ(error_of(Command::sync_memory, {}),
            "a message with command 0 has 0 bytes after its header, expected 192");
  for (const std::uint32_t bytes : {0U, 3U, 8U, 0x8000'0000U}) {
    EXPECT_EQ(error_of(Command::write_config, body(ConfigAccess{0, 0, bytes})),
              fmt::format("an access to the configuration space has {} bytes, expected 1, 2, or 4",
                          bytes));
  }
  EXPECT_EQ(error_of(Command::read_bar, body(BarAccess{0, 0, 16, 1})),
            "an access to the BAR has 16 bytes, expected 1, 2, 4, or 8");
}

TEST_F(PciProxyTest, RefusesMessagesThatAreTooLong) {
  send_bytes(ends_.qemu, body(Header{Command::sync_memory, 0, kMaxBody + 1}));
  EXPECT_FALSE(serve());
  EXPECT_EQ(error_, "a message has 193 bytes after its header, at most 192 are possible");
}

TEST_F(PciProxyTest, RefusesTooManyDescriptors) {
  const auto ram = ram_file(kPage);
  const std::vector<int> files(kMaxRanges + 1, ram.get());
  send(Command::sync_memory, body(SyncMemory{}), files);
  EXPECT_EQ(error_, "a message has more than 8 file descriptors");
}

TEST_F(PciProxyTest, WaitsForTheRestOfAMessage) {
  const auto message =
      body(Header{Command::read_config, 0, sizeof(ConfigAccess)}, ConfigAccess{0, 0, 2});
  for (std::size_t i = 0; i + 1 < message.size(); ++i) {
    send_bytes(ends_.qemu, {message[i]});
    EXPECT_TRUE(serve());
  }
  send_bytes(ends_.qemu, {message.back()});
  EXPECT_TRUE(serve());
  EXPECT_EQ(receive_bytes(ends_.qemu, sizeof(Header) + 8)[sizeof(Header)], 0x14);
}

TEST_F(PciProxyTest, ReportsTornMessages) {
  send_bytes(ends_.qemu, body(Header{Command::read_config, 0, sizeof(ConfigAccess)}));
  EXPECT_TRUE(serve());
  ends_.qemu = Descriptor();
  EXPECT_FALSE(serve());
  EXPECT_EQ(error_, "the connection has ended within a message");
}

}  // namespace
}  // namespace manactl::device::pci_proxy::pci_proxy_test
