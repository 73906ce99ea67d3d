// SPDX-License-Identifier: MIT
//
// The device behind vfio-user, from the other end of the socket.

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "device/fixture.h"
#include "device/qemu_client.h"
#include "device/vfio_user/server.h"

namespace manactl::device::vfio_user::vfio_user_test {
namespace {

std::atomic<bool> unmapping_fails = false;

}  // namespace
}  // namespace manactl::device::vfio_user::vfio_user_test

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming):
// names of the linker
extern "C" {
int __real_munmap(void* memory, std::size_t bytes);
int __wrap_munmap(void* memory, std::size_t bytes);

int __wrap_munmap(void* memory, std::size_t bytes) {
  if (!manactl::device::vfio_user::vfio_user_test::unmapping_fails) {
    return __real_munmap(memory, bytes);
  }
  errno = ENOMEM;
  return -1;
}
}

// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp,readability-identifier-naming)

namespace manactl::device::vfio_user::vfio_user_test {
namespace {

constexpr std::uint64_t kRam = 0x100000, kRamBytes = 1U << 20U;

// QEMU's end of the connection. The device runs in a thread.
class VfioUserTest : public testing::Test {
 protected:
  VfioUserTest() {
    survive_lost_memory();
    server_.attach(std::move(ends_.device));
    device_thread_ = std::thread([this] {
      for (;;) {
        auto waiting = server_.poll_entries();
        ::poll(waiting.data(), waiting.size(), -1);
        const auto served = server_.serve(device_);
        if (!served) error_ = served.error().message;
        if (!served || !*served) return;
      }
    });
  }

  ~VfioUserTest() override { disconnect(); }

  void disconnect() {
    ends_.qemu = Descriptor();
    if (device_thread_.joinable()) device_thread_.join();
  }

  void send(Command command,
            std::vector<std::uint8_t> bytes,
            int fd = -1,
            std::uint32_t flags = 0) {
    const Header header{
        7, command, static_cast<std::uint32_t>(sizeof(Header) + bytes.size()), flags, 0};
    auto message = body(header);
    message.insert(message.end(), bytes.begin(), bytes.end());
    send_bytes(ends_.qemu, message, std::span(&fd, fd >= 0 ? 1 : 0));
  }

  Message receive_reply() {
    Message message;
    message.header = *front<Header>(receive_bytes(ends_.qemu, sizeof(Header)));
    EXPECT_EQ(message.header.id, 7);
    message.body = receive_bytes(ends_.qemu, message.header.bytes - sizeof(Header));
    return message;
  }

  Message ask(Command command, std::vector<std::uint8_t> bytes, int fd = -1) {
    send(command, std::move(bytes), fd);
    return receive_reply();
  }

  std::uint32_t error_of(Command command, std::vector<std::uint8_t> bytes, int fd = -1) {
    const auto reply = ask(command, std::move(bytes), fd).header;
    EXPECT_EQ((reply.flags & kError) != 0, reply.error != 0);
    return reply.error;
  }

  std::uint64_t read(std::uint32_t region, std::uint64_t offset, std::uint32_t bytes) {
    const auto reply = ask(Command::region_read, body(RegionAccess{offset, region, bytes}));
    EXPECT_EQ(reply.body.size(), sizeof(RegionAccess) + bytes);
    return wire::load(reply.body, sizeof(RegionAccess), bytes);
  }

  template <class T>
  void write(std::uint32_t region, std::uint64_t offset, T value, std::uint32_t flags = 0) {
    send(Command::region_write, body(RegionAccess{offset, region, sizeof value}, value), -1, flags);
    if ((flags & kNoReply) != 0) return;
    EXPECT_EQ(receive_reply().header.error, 0U);
  }

  Options options_ = *parse_options({"socket"});
  Trace trace_;
  Server server_{trace_};
  Device device_{server_.guest(), options_, trace_};
  SocketPair ends_;
  std::thread device_thread_;
  std::string error_;
};

TEST_F(VfioUserTest, DescribesAManaVf) {
  auto hello = body(Version{0, 0});
  hello.insert(hello.end(), {'{', '}', 0});
  const auto version = ask(Command::version, hello);
  EXPECT_EQ(version.header.flags, kReply);
  EXPECT_NE(std::string(version.body.begin(), version.body.end()).find("\"max_msg_fds\":16"),
            std::string::npos);

  const auto info = ask(Command::get_device_info, body(DeviceInfo{}));
  DeviceInfo device;
  std::memcpy(&device, info.body.data(), sizeof device);
  EXPECT_EQ(device.flags, kDeviceResets | kDeviceIsPci);
  EXPECT_EQ(device.regions, 9U);

  const auto bar = ask(Command::get_region_info, body(RegionInfo{32, 0, kBar0Region, 0, 0, 0}));
  RegionInfo region;
  std::memcpy(&region, bar.body.data(), sizeof region);
  EXPECT_EQ(region.bytes, EventfdFunction::kBarBytes);
  const auto irqs = ask(Command::get_irq_info, body(IrqInfo{16, 0, kMsixIrq, 0}));
  IrqInfo msix;
  std::memcpy(&msix, irqs.body.data(), sizeof msix);
  EXPECT_EQ(msix.count, kVectors);

  EXPECT_EQ(read(kConfigRegion, 0, 4), 0x00ba1414U);
  EXPECT_EQ(read(kConfigRegion, 0x40, 4), 0x11U | (kVectors - 1) << 16U);
  EXPECT_EQ(read(kBar0Region, 0x08, 8), kDoorbellsAt);
  EXPECT_EQ(read(kBar0Region, 0x10, 4), kDoorbellPageBytes);
  EXPECT_EQ(read(kBar0Region, 0x18, 8), kSharedMemoryAt);
  EXPECT_EQ(read(kBar0Region, EventfdFunction::kBarBytes - 4, 4), 0U);
}

TEST_F(VfioUserTest, RepliesWithItsOwnMinorVersion) {
  auto hello = body(Version{0, 7});
  hello.insert(hello.end(), {'{', '}', 0});
  const auto reply = ask(Command::version, hello);
  Version version;
  std::memcpy(&version, reply.body.data(), sizeof version);
  EXPECT_EQ(version.major, 0);
  EXPECT_EQ(version.minor, 0);
}

TEST_F(VfioUserTest, UnmapsAllOfTheRam) {
  const auto ram = ram_file(4096);
  for (const std::uint64_t address : {kRam, 2 * kRam}) {
    EXPECT_EQ(error_of(Command::dma_map, body(DmaMap{32, 3, 0, address, 4096}), ram.get()), 0U);
  }
  EXPECT_EQ(error_of(Command::dma_unmap, body(DmaUnmap{24, kUnmapAll, kRam, 0})),
            std::uint32_t{EINVAL});
  EXPECT_EQ(error_of(Command::dma_unmap, body(DmaUnmap{24, 1, kRam, 4096})), std::uint32_t{EINVAL});
  EXPECT_TRUE(server_.guest().memory().publish(kRam, 0));
  EXPECT_EQ(error_of(Command::dma_unmap, body(DmaUnmap{24, kUnmapAll, 0, 0})), 0U);
  EXPECT_FALSE(server_.guest().memory().publish(kRam, 0));
  EXPECT_FALSE(server_.guest().memory().publish(2 * kRam, 0));
}

TEST_F(VfioUserTest, ReadsRequestsFromGuestRamAndRaisesEventfds) {
  const auto ram = ram_file(kRamBytes);
  const DmaMap map{32, kDmaReadable | kDmaWritable, 0, kRam, kRamBytes};
  EXPECT_EQ(error_of(Command::dma_map, body(map), ram.get()), 0U);
  const Descriptor vector(::eventfd(0, EFD_CLOEXEC));
  EXPECT_EQ(
      error_of(Command::set_irqs, body(SetIrqs{20, kSetIrqsEventfd, kMsixIrq, 3, 1}), vector.get()),
      0U);

  // The driver's first request: four pages, and vector 3.
  wire::SharedMemoryMessage message;
  message.header.type = wire::SharedMemoryType::establish;
  message.eq_frame = kRam >> 12U;
  message.cq_frame = message.eq_frame + 1;
  message.rq_frame = message.eq_frame + 2;
  message.sq_frame = message.eq_frame + 3;
  message.eq_msix = 3;
  const auto bytes = *wire::encode(message);
  for (std::size_t at = 0; at < bytes.size(); at += 4) {
    write(kBar0Region,
          kSharedMemoryAt + at,
          static_cast<std::uint32_t>(wire::load(bytes, at, 4)),
          kNoReply);
  }
  const auto header = wire::decode<wire::SharedMemoryHeader>(
      body(static_cast<std::uint32_t>(read(kBar0Region, kSharedMemoryAt + 28, 4))));
  ASSERT_TRUE(header.has_value());
  EXPECT_TRUE(header->response);
  EXPECT_EQ(header->status, 0);

  std::uint64_t count = 0;
  ASSERT_EQ(::read(vector.get(), &count, sizeof count), ssize_t{sizeof count});
  EXPECT_EQ(count, 1U);
  std::array<std::uint8_t, 16> event{};
  ASSERT_EQ(::pread(ram.get(), event.data(), event.size(), 0), ssize_t{16});
  EXPECT_EQ(event[12], static_cast<std::uint8_t>(wire::EventType::channel_init_eq));
  EXPECT_EQ(trace_.violations(), 0U);

  EXPECT_EQ(error_of(Command::reset, {}), 0U);
  EXPECT_EQ(read(kBar0Region, kSharedMemoryAt + 28, 4), 0U);
  EXPECT_EQ(device_.queues().eqs().size(), 0U);
}

TEST_F(VfioUserTest, RefusesInvalidRequestsAndGoesOn) {
  const auto ram = ram_file(4096);
  const auto refused = std::uint32_t{EINVAL};
  EXPECT_EQ(error_of(Command::dma_map, body(DmaMap{32, 3, 0, kRam, 8192}), ram.get()), refused);
  EXPECT_EQ(error_of(Command::dma_map, body(DmaMap{32, 3, 4096, kRam, 4096}), ram.get()), refused);
  EXPECT_EQ(error_of(Command::dma_map, body(DmaMap{32, 3, 0, UINT64_MAX - 100, 4096}), ram.get()),
            refused);
  EXPECT_EQ(error_of(Command::dma_map, body(DmaMap{32, 3, 0, kRam, 4096}), ram.get()), 0U);
  EXPECT_EQ(error_of(Command::dma_map, body(DmaMap{32, 3, 0, kRam - 4095, 4096}), ram.get()),
            refused);
  EXPECT_EQ(error_of(Command::dma_map, body(DmaMap{32, 3, 0, kRam + 4095, 1}), ram.get()), refused);
  EXPECT_EQ(error_of(Command::dma_map, body(std::uint32_t{1})), refused);
  EXPECT_EQ(error_of(Command::set_irqs, body(SetIrqs{20, kSetIrqsEventfd, kMsixIrq, kVectors, 1})),
            refused);
  EXPECT_EQ(error_of(Command::set_irqs, body(SetIrqs{20, kSetIrqsEventfd, kMsixIrq, 1, kVectors})),
            refused);
  EXPECT_EQ(error_of(Command::region_read, body(RegionAccess{0, kBar0Region, kMaxTransfer + 1})),
            refused);
  EXPECT_EQ(error_of(Command::region_read, body(RegionAccess{0, 8, 4})), refused);
  EXPECT_EQ(
      error_of(Command::region_write, body(RegionAccess{0, kBar0Region, 8}, std::uint32_t{0})),
      refused);
  EXPECT_EQ(error_of(Command::get_region_info, body(RegionInfo{32, 0, kRegions, 0, 0, 0})),
            refused);
  EXPECT_EQ(error_of(static_cast<Command>(99), {}), std::uint32_t{ENOTSUP});
  write(kBar0Region, EventfdFunction::kBarBytes, std::uint32_t{1});
  write(kBar0Region, UINT64_MAX, std::uint64_t{1});
  write(kConfigRegion, 1000, std::uint32_t{1});
  EXPECT_EQ(read(kConfigRegion, UINT64_MAX, 4), 0U);
  EXPECT_EQ(read(kConfigRegion, 0, 4), 0x00ba1414U);
}

TEST_F(VfioUserTest, UsesOnlyEventfdsAsInterrupts) {
  const SetIrqs one{20, kSetIrqsEventfd, kMsixIrq, 3, 1};
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const Descriptor reader(pipe[0]), writer(pipe[1]);
  const SocketPair sockets;
  const auto ram = ram_file(4096);
  for (const int other : {writer.get(), sockets.qemu.get(), ram.get()}) {
    EXPECT_EQ(error_of(Command::set_irqs, body(one), other), std::uint32_t{EINVAL});
  }
  EXPECT_FALSE(server_.guest().interrupt(3));
  const Descriptor vector(::eventfd(0, EFD_CLOEXEC));
  EXPECT_EQ(error_of(Command::set_irqs, body(one), vector.get()), 0U);
  EXPECT_TRUE(server_.guest().interrupt(3));
}

// A write to an eventfd waits until its counter is read, unless the eventfd is non-blocking.
TEST_F(VfioUserTest, DoesNotWaitForAGuestThatIgnoresInterrupts) {
  const Descriptor vector(::eventfd(0, EFD_CLOEXEC));
  const auto max = UINT64_MAX - 1;
  ASSERT_EQ(::write(vector.get(), &max, sizeof max), ssize_t{sizeof max});
  EXPECT_EQ(
      error_of(Command::set_irqs, body(SetIrqs{20, kSetIrqsEventfd, kMsixIrq, 3, 1}), vector.get()),
      0U);
  EXPECT_TRUE(server_.guest().interrupt(3)) << "an interrupt is pending already";
}

TEST_F(VfioUserTest, ReportsThatRamWasTruncated) {
  const auto ram = ram_file(kRamBytes);
  const DmaMap map{32, kDmaReadable | kDmaWritable, 0, kRam, kRamBytes};
  EXPECT_EQ(error_of(Command::dma_map, body(map), ram.get()), 0U);
  EXPECT_FALSE(server_.has_lost_memory());
  ASSERT_EQ(::ftruncate(ram.get(), 0), 0);
  EXPECT_FALSE(server_.guest().publish(kRam, 1));
  EXPECT_TRUE(server_.has_lost_memory());
  disconnect();
  server_.detach();
  EXPECT_FALSE(server_.has_lost_memory());
}

TEST_F(VfioUserTest, EndsAConnectionWhoseRamCannotBeUnmapped) {
  const auto ram = ram_file(4096);
  EXPECT_EQ(error_of(Command::dma_map, body(DmaMap{32, 3, 0, kRam, 4096}), ram.get()), 0U);
  unmapping_fails = true;
  send(Command::dma_unmap, body(DmaUnmap{24, 0, kRam, 4096}));
  disconnect();
  unmapping_fails = false;
  EXPECT_EQ(error_, "cannot unmap guest RAM: Cannot allocate memory");
}

TEST_F(VfioUserTest, EndsAConnectionThatCannotBeRead) {
  const Header header{1, Command::reset, 3, 0, 0};
  send_bytes(ends_.qemu, body(header));
  disconnect();
  EXPECT_EQ(error_, "a message has 3 bytes, expected 16 to 1048608");
}

TEST_F(VfioUserTest, ReportsTheEndOfAConnectionWithinAMessage) {
  send_bytes(ends_.qemu, {1, 2, 3});
  disconnect();
  EXPECT_EQ(error_, "the connection has ended within a message");
}

TEST_F(VfioUserTest, ReportsNothingAtTheEndOfAConnection) {
  EXPECT_EQ(error_of(Command::reset, {}), 0U);
  disconnect();
  EXPECT_EQ(error_, "");
}

// The client sends requests, but does not read the replies, which exceed the buffers of the
// sockets.
TEST(VfioUserChannel, HandlesNoRequestBeforeTheClientReadsTheReply) {
  SocketPair ends;
  Channel channel(std::move(ends.device));
  const Header request{1, Command::reset, sizeof(Header), 0, 0};
  send_bytes(ends.qemu, body(request, request));
  ASSERT_TRUE(channel.receive()->message.has_value());
  const std::vector<std::uint8_t> large(kMaxTransfer, 5);
  ASSERT_TRUE(channel.reply(request, large));
  EXPECT_EQ(channel.poll_entry().events, POLLOUT);
  EXPECT_FALSE(channel.receive()->message.has_value());
  std::vector<std::uint8_t> read;
  bool has_handled = false;
  while (read.size() < sizeof(Header) + large.size()) {
    EXPECT_FALSE(has_handled);
    std::array<std::uint8_t, 65536> part{};
    const auto got = ::recv(ends.qemu.get(), part.data(), part.size(), MSG_DONTWAIT);
    ASSERT_GT(got, 0);
    read.insert(read.end(), part.begin(), part.begin() + got);
    const auto received = channel.receive();
    ASSERT_TRUE(received.has_value());
    has_handled = has_handled || (received->message && channel.poll_entry().events == POLLOUT);
  }
  EXPECT_EQ(std::vector(read.begin() + sizeof(Header), read.end()), large);
  EXPECT_EQ(channel.poll_entry().events, POLLIN);
}

TEST(VfioUserChannel, ReceivesAMessageByteByByte) {
  SocketPair ends;
  Channel channel(std::move(ends.device));
  std::array<std::uint8_t, 2 * (sizeof(Header) + 2)> bytes{};
  const Header header{1, Command::reset, sizeof(Header) + 2, 0, 0};
  std::memcpy(bytes.data(), &header, sizeof header);
  bytes[sizeof header + 1] = 9;
  std::copy_n(bytes.begin(), bytes.size() / 2, bytes.begin() + bytes.size() / 2);
  unsigned messages = 0;
  for (const auto& byte : bytes) {
    send_bytes(ends.qemu, {byte});
    const auto received = channel.receive();
    ASSERT_TRUE(received.has_value());
    EXPECT_FALSE(received->closed);
    if (!received->message) continue;
    ++messages;
    EXPECT_EQ(received->message->body, (std::vector<std::uint8_t>{0, 9}));
  }
  EXPECT_EQ(messages, 2U);
  ASSERT_EQ(::shutdown(ends.qemu.get(), SHUT_WR), 0);
  EXPECT_TRUE(channel.receive()->closed);
}

}  // namespace
}  // namespace manactl::device::vfio_user::vfio_user_test
