// SPDX-License-Identifier: MIT
//
// MSI-X interrupts of the device behind x-pci-proxy-dev, which pass through the socket of -qtest.

#include <gtest/gtest.h>
#include <poll.h>

#include <vector>

#include "device/pci_proxy_fixture.h"

namespace manactl::device::pci_proxy::pci_proxy_msix_test {
namespace {

TEST_F(PciProxyTest, SendsMessagesOfUnmaskedVectors) {
  map_bar();
  EXPECT_EQ(read_bar(entry(3) + kMaskOfEntry, 4), 1U);
  EXPECT_EQ(read_bar(entry(kVectors - 1) + kMaskOfEntry, 4), 1U);
  enable_interrupts();
  EXPECT_EQ(read_bar(entry(3), 8), 0xfee0'1000U);
  EXPECT_EQ(read_bar(entry(3) + 8, 4), 0x4041U);
  EXPECT_TRUE(function().interrupt(3));
  EXPECT_EQ(commands(), "writel 0xfee01000 0x4041\n");
  EXPECT_EQ(read_bar(kPending, 8), 0U);
  EXPECT_FALSE(function().interrupt(2));
  EXPECT_EQ(read_bar(kPending, 4), 1U << 2U);
  EXPECT_FALSE(function().interrupt(kVectors));
  EXPECT_EQ(commands(), "");
}

TEST_F(PciProxyTest, SendsAMaskedInterruptLater) {
  enable_interrupts();
  write_bar(entry(3) + kMaskOfEntry, 4, 1);
  EXPECT_FALSE(function().interrupt(3));
  EXPECT_EQ(read_bar(kPending, 8), 1U << 3U);
  write_bar(entry(3) + kMaskOfEntry, 4, 0);
  EXPECT_EQ(commands(), "");
  EXPECT_TRUE(function().interrupt(3));
  EXPECT_EQ(read_bar(kPending, 8), 0U);
  EXPECT_EQ(commands(), "writel 0xfee01000 0x4041\n");
}

TEST_F(PciProxyTest, SendsNoInterruptsUnlessTheFunctionMay) {
  enable_interrupts();
  write_config(kControl, 2, kMsixEnable | kMsixMaskAll);
  EXPECT_FALSE(function().interrupt(3));
  EXPECT_EQ(read_bar(kPending, 8), 1U << 3U);
  write_config(kControl, 2, 0);
  EXPECT_FALSE(function().interrupt(3));
  write_config(kControl, 2, kMsixEnable);
  write_config(kCommand, 2, 0);
  EXPECT_FALSE(function().interrupt(3));
  EXPECT_EQ(commands(), "");
  write_config(kCommand, 2, kBusMaster);
  EXPECT_TRUE(function().interrupt(3));
}

TEST_F(PciProxyTest, WritesOnlyToTheInterruptController) {
  enable_interrupts();
  for (const std::uint64_t address : {0xfed0'0000U, 0xfef0'0000U, 0xfee0'1002U, 0x10'0000U}) {
    write_bar(entry(3), 8, address);
    EXPECT_FALSE(function().interrupt(3));
  }
  write_bar(entry(3), 8, 0x1'fee0'1000);
  EXPECT_FALSE(function().interrupt(3));
  EXPECT_EQ(commands(), "");
}

TEST_F(PciProxyTest, RetriesAnInterruptForWhichTheSocketHasNoRoom) {
  enable_interrupts();
  while (function().interrupt(3)) {
  }
  EXPECT_EQ(read_bar(kPending, 8), 1U << 3U);
  while (!commands().empty()) {
  }
  EXPECT_TRUE(function().interrupt(3));
  EXPECT_EQ(commands(), "writel 0xfee01000 0x4041\n");
}

TEST_F(PciProxyTest, ReadsTheResponsesOfQemu) {
  enable_interrupts();
  ASSERT_EQ(server_.poll_entries().size(), 2U);
  send_bytes(qtest_, {'O', 'K', '\n', 'O'});
  EXPECT_TRUE(serve());
  send_bytes(qtest_, {'K', '\n'});
  EXPECT_TRUE(serve());
  auto ready = server_.poll_entries();
  EXPECT_EQ(::poll(ready.data(), ready.size(), 0), 0);
  send_bytes(qtest_, {'F', 'A', 'I', 'L', ' ', 'x', '\n'});
  EXPECT_FALSE(serve());
  EXPECT_EQ(error_, "QEMU has rejected an interrupt: 'FAIL x'");
}

TEST_F(PciProxyTest, LimitsTheResponsesOfQemu) {
  enable_interrupts();
  send_bytes(qtest_, std::vector<std::uint8_t>(201, 'O'));
  EXPECT_FALSE(serve());
  EXPECT_EQ(error_, "the -qtest socket of QEMU has sent a line that is too long");
}

TEST_F(PciProxyTest, NeedsTheQtestSocketOfQemu) {
  listener_.reset();
  send(Command::read_config, body(ConfigAccess{0, 0, 2}));
  EXPECT_EQ(error_,
            "cannot connect to QEMU at '" + path_ + "': start it with -qtest unix:" + path_ +
                ",server=on,wait=off");
}

}  // namespace
}  // namespace manactl::device::pci_proxy::pci_proxy_msix_test
