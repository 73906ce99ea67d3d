// SPDX-License-Identifier: MIT

#include "adapter/link/io_backends.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "adapter/driver.h"

namespace manactl::adapter::io_backends_test {
namespace {

Buffer capture_with(std::size_t frames) {
  Buffer bytes;
  const auto append = [&](const auto& more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
  };
  append(capture_header());
  for (std::size_t i = 0; i < frames; ++i) {
    const auto frame = udp_frame(static_cast<std::uint16_t>(i), 60 + i);
    append(record_header(0, frame.size()));
    append(frame);
  }
  return bytes;
}

class IoBackendsTest : public AdapterTest {
 protected:
  IoBackendsTest() : rq(adapter.port(0), Direction::receive) {
    spread(0, {rq.ids.wq});
    for (std::size_t i = 0; i < 20; ++i) {
      rq.post({}, wire::TxShortOob{}, {piece(4096 + i * 128, 128)});
    }
    rq.ring_doorbell();
  }

  std::unique_ptr<Backend> player(std::size_t packets, std::uint64_t frames) {
    auto capture = std::make_shared<const Capture>(parse_capture(capture_with(packets)).value());
    return make_player(adapter.port(0).receiver(), std::move(capture), frames);
  }

  std::vector<std::size_t> lengths() {
    std::vector<std::size_t> all;
    for (const auto& one : rq.poll_all()) all.push_back(one.rx().packets[0].length);
    return all;
  }

  Queue rq;
};

TEST_F(IoBackendsTest, PlaysACaptureOnce) {
  adapter.port(0).connect(player(3, UINT64_MAX));
  while (adapter.run() != 0) {
  }
  EXPECT_EQ(lengths(), (std::vector<std::size_t>{60, 61, 62}));
  EXPECT_EQ(Buffer(memory.begin() + 4096 + 128, memory.begin() + 4096 + 128 + 61),
            udp_frame(1, 61));
}

TEST_F(IoBackendsTest, RepeatsACaptureUpToTheRequestedFrames) {
  adapter.port(0).connect(player(3, 7));
  while (adapter.run() != 0) {
  }
  EXPECT_EQ(lengths(), (std::vector<std::size_t>{60, 61, 62, 60, 61, 62, 60}));
}

TEST_F(IoBackendsTest, RecordsSentFrames) {
  const int fd = memfd_create("capture", MFD_CLOEXEC);
  const auto header = capture_header();
  ASSERT_EQ(write(fd, header.data(), header.size()), 24);
  VirtualClock clock;
  clock.set(2'000'000);
  Recording recording{fd, 5'000'000'000, [](const Error& error) { FAIL() << error.message; }};
  adapter.port(0).connect(
      make_recorder(make_peer_link(adapter.port(0).receiver()), std::move(recording), clock));
  Queue sq(adapter.port(0), Direction::send);
  frame_at(0, udp_frame());
  for (int i = 0; i < 10; ++i) {
    for (int j = 0; j < 10; ++j) sq.post({piece(0, 14), piece(14, 46)});
    sq.ring_doorbell();
    adapter.run();
    sq.poll_all();
  }
  const auto capture = load_capture(fd, "memory").value();
  close(fd);
  ASSERT_EQ(capture.frames.size(), 100U);
  for (const auto& frame : capture.frames) {
    EXPECT_EQ(Buffer(frame.begin(), frame.end()), udp_frame());
  }
  EXPECT_EQ(wire::load(capture.bytes, 24, 4), 5U);
  EXPECT_EQ(wire::load(capture.bytes, 28, 4), 2000U);
  EXPECT_EQ(lengths().size(), 20U) << "the backend behind the recorder still gets the frames";
}

TEST_F(IoBackendsTest, ReportsAFailedWriteOnce) {
  const int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
  unsigned errors = 0;
  Recording recording{fd, 0, [&](const Error& error) { errors += error.sys == ENOSPC ? 1U : 0U; }};
  adapter.port(0).connect(make_recorder(make_sink(), std::move(recording), adapter.clock()));
  Queue sq(adapter.port(0), Direction::send);
  for (int i = 0; i < 3; ++i) {
    sq.send({piece(0, 60)});
    adapter.run();
  }
  close(fd);
  EXPECT_EQ(errors, 1U);
  EXPECT_EQ(counters.port[0].tx_packets, 3U);
}

// A SOCK_SEQPACKET pair preserves frame boundaries, as a TAP interface does.
TEST_F(IoBackendsTest, ExchangesFramesWithAnInterface) {
  int ends[2] = {-1, -1};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
  adapter.port(0).connect(make_tap(adapter.port(0).receiver(), ends[0]));
  Queue sq(adapter.port(0), Direction::send);
  sq.send({frame_at(0, udp_frame())});
  adapter.run();
  Buffer got(200);
  got.resize(static_cast<std::size_t>(read(ends[1], got.data(), got.size())));
  EXPECT_EQ(got, udp_frame());
  for (std::size_t i = 0; i < 5; ++i) {
    const auto frame = udp_frame(0, 60 + i);
    ASSERT_EQ(write(ends[1], frame.data(), frame.size()), static_cast<ssize_t>(frame.size()));
  }
  EXPECT_EQ(adapter.run(), 5U);
  EXPECT_EQ(lengths(), (std::vector<std::size_t>{60, 61, 62, 63, 64}));
  EXPECT_EQ(adapter.run(), 0U);
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace manactl::adapter::io_backends_test
