// SPDX-License-Identifier: MIT

#include "adapter/link/io_backends.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <utility>

namespace manactl::adapter {
namespace {

class CapturePlayer final : public Backend {
 public:
  CapturePlayer(Ingress& port, std::shared_ptr<const Capture> capture, std::uint64_t frames)
      : port_(port), capture_(std::move(capture)), remaining_(frames) {
    if (remaining_ == UINT64_MAX) remaining_ = capture_->frames.size();
  }

  bool reads_frames() const override { return false; }

  void transmit(std::span<const Frame>) override {}

  PollResult poll(std::size_t budget) override {
    const std::scoped_lock lock(mutex_);
    const std::span all(capture_->frames);
    PollResult arrived;
    while (arrived.frames < budget && remaining_ > 0) {
      const auto count = std::min({budget - arrived.frames, kBurst, all.size() - next_});
      const auto burst = all.subspan(next_, std::min<std::uint64_t>(count, remaining_));
      port_.deliver(burst);
      for (const auto& frame : burst) arrived.bytes += frame.size();
      arrived.frames += burst.size();
      next_ = (next_ + burst.size()) % all.size();
      remaining_ -= burst.size();
    }
    return arrived;
  }

 private:
  Ingress& port_;
  std::shared_ptr<const Capture> capture_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::uint64_t remaining_;
};

class Recorder final : public Backend {
 public:
  Recorder(std::unique_ptr<Backend> backend, Recording recording, const Clock& clock)
      : backend_(std::move(backend)), recording_(std::move(recording)), clock_(clock) {}

  bool reads_frames() const override { return true; }

  void transmit(std::span<const Frame> frames) override {
    {
      const std::scoped_lock lock(mutex_);
      for (std::size_t at = 0; at < frames.size() && !failed_; at += kBurst) {
        record(frames.subspan(at, std::min(kBurst, frames.size() - at)));
      }
    }
    if (backend_->reads_frames()) backend_->transmit(frames);
  }

  PollResult poll(std::size_t budget) override { return backend_->poll(budget); }

 private:
  // Writes each burst with one writev(), so that records of several writers do not mix and a crash
  // of the program leaves only whole records.
  void record(std::span<const Frame> frames) {
    const auto now = recording_.start + clock_.now();
    std::array<std::array<std::uint8_t, 16>, kBurst> headers;
    std::array<iovec, 2 * kBurst> pieces;
    std::size_t total = 0, count = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
      headers[i] = record_header(now, frames[i].size());
      pieces[count++] = {headers[i].data(), headers[i].size()};
      // writev() does not change the frame.
      pieces[count++] = {const_cast<std::uint8_t*>(frames[i].data()), frames[i].size()};
      total += headers[i].size() + frames[i].size();
    }
    const auto written = writev(recording_.fd, pieces.data(), static_cast<int>(count));
    if (written == static_cast<ssize_t>(total)) return;
    failed_ = true;
    const int number = written < 0 ? errno : ENOSPC;
    recording_.on_error(fail_errno(number, "cannot record sent frames").value());
  }

  std::unique_ptr<Backend> backend_;
  Recording recording_;
  const Clock& clock_;
  std::mutex mutex_;
  bool failed_ = false;
};

class Tap final : public Backend {
 public:
  Tap(Ingress& port, int fd) : port_(port), fd_(fd), buffers_(kBurst * kMaxFrameBytes) {}

  bool reads_frames() const override { return true; }

  // Frames that the interface rejects, for example while it is down, are lost.
  void transmit(std::span<const Frame> frames) override {
    for (const auto& frame : frames) {
      [[maybe_unused]] const auto written = write(fd_, frame.data(), frame.size());
    }
  }

  PollResult poll(std::size_t budget) override {
    const std::scoped_lock lock(mutex_);
    std::array<Frame, kBurst> frames;
    PollResult arrived;
    while (arrived.frames < std::min(budget, kBurst)) {
      auto* buffer = buffers_.data() + arrived.frames * kMaxFrameBytes;
      const auto got = read(fd_, buffer, kMaxFrameBytes);
      if (got <= 0) break;
      frames[arrived.frames++] = Frame(buffer, static_cast<std::size_t>(got));
      arrived.bytes += static_cast<std::uint64_t>(got);
    }
    if (arrived.frames != 0) port_.deliver(std::span(frames).first(arrived.frames));
    return arrived;
  }

 private:
  Ingress& port_;
  int fd_;
  std::mutex mutex_;
  std::vector<std::uint8_t> buffers_;
};

}  // namespace

std::unique_ptr<Backend> make_player(Ingress& port,
                                     std::shared_ptr<const Capture> capture,
                                     std::uint64_t frames) {
  return std::make_unique<CapturePlayer>(port, std::move(capture), frames);
}

std::unique_ptr<Backend> make_recorder(std::unique_ptr<Backend> backend,
                                       Recording recording,
                                       const Clock& clock) {
  return std::make_unique<Recorder>(std::move(backend), std::move(recording), clock);
}

std::unique_ptr<Backend> make_tap(Ingress& port, int fd) {
  return std::make_unique<Tap>(port, fd);
}

}  // namespace manactl::adapter
