// SPDX-License-Identifier: MIT
//
// The requests of mode rtt: their payload, the number in flight, and the latencies of their
// replies, for every engine. Functions that run per packet do not allocate, lock or throw.

#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <vector>

#include "datapath/measure/histogram.h"
#include "datapath/measure/trial.h"

namespace manactl::datapath {

struct Request {
  std::uint16_t run = 0;   // distinguishes this trial's replies from earlier ones and other traffic
  std::uint16_t lane = 0;  // index of the sending lane; the reply may arrive on any lane
  std::uint32_t number = 0;  // counts the requests of a lane
  std::uint64_t stamp = 0;   // sending time in nanoseconds of CLOCK_MONOTONIC

  bool operator==(const Request&) const = default;
};

inline constexpr std::size_t kRequestBytes = 32;
inline constexpr std::uint16_t kMinRequestFrame = 14 + 20 + 8 + kRequestBytes + 4;  // with FCS

using RequestBytes = std::span<std::uint8_t, kRequestBytes>;

// In the payload, each word is followed by its complement. So the UDP checksum equals that of a
// payload of zeros, and other packets are not mistaken for requests.
void write_request(const Request& request, RequestBytes payload) noexcept;
std::optional<Request> read_request(std::span<const std::uint8_t> payload) noexcept;

// The request in a frame that starts with its Ethernet header; nullopt if there is none.
std::optional<Request> request_in(std::span<const std::uint8_t> frame) noexcept;

// Turns a request into its reply by swapping source and destination: Azure drops packets whose
// source is not the NIC's own address. All checksums stay valid.
void reverse_direction(std::span<std::uint8_t> frame) noexcept;

// Limits the requests of a lane in flight. One thread sends; any thread may report replies.
class Window {
 public:
  // After a time without a reply, all requests in flight count as lost, even if answered later.
  // This time is kSlack times the longest recent latency, within these limits, in nanoseconds. A
  // fixed time of a second would limit the rate to a few hundred requests per second if some are
  // lost, because every lost request takes a place in the window until then. The timeout doubles
  // each time that it expires, so a stalled peer does not accumulate thousands of requests.
  static constexpr std::uint64_t kMinTimeout = 1'000'000, kMaxTimeout = 1'000'000'000;
  static constexpr std::uint64_t kSlack = 16;
  static constexpr std::uint64_t kMemory =
      64;  // replies after which the weight of a latency is 1/e

  explicit Window(unsigned max) : max_(max) {}

  // The number of requests that may be sent at the time `now`.
  unsigned available(std::uint64_t now) noexcept;

  void sent(unsigned count) noexcept { sent_ += count; }

  void replied(unsigned count, std::uint64_t latency) noexcept {
    // A long latency loses its weight after some hundred replies. If two threads store at the same
    // time, one latency is lost, and a later one replaces it.
    const auto slowest = slowest_.load(std::memory_order_relaxed);
    slowest_.store(std::max(latency, slowest - slowest / kMemory), std::memory_order_relaxed);
    replied_.fetch_add(count, std::memory_order_relaxed);
  }

  // True if no request is in flight.
  bool idle(std::uint64_t now) noexcept { return available(now) == max_; }

  // Counts all requests in flight as lost. Must not be called while the lane may send.
  void forget() noexcept { sent_ = replied_.load(std::memory_order_relaxed); }

  void clear() noexcept;

 private:
  std::uint64_t timeout() const noexcept;

  unsigned max_;
  std::uint64_t sent_ = 0;          // requests that were sent and do not count as lost
  std::uint64_t last_replied_ = 0;  // replied_ when available() last found new replies
  std::uint64_t since_ = 0;         // when available() last found new replies or nothing in flight
  unsigned expired_ = 0;            // timeouts since the last reply
  std::atomic<std::uint64_t> replied_{0};
  std::atomic<std::uint64_t> slowest_{0};  // longest recent latency, in nanoseconds; 0: no reply
};

// Counts each request of a lane as answered at most once, and only if it was sent. One thread
// sends; any thread may report replies.
class AnsweredRequests {
 public:
  // Requests below `end` may be answered from now on. Must be called before they are sent.
  void issue(std::uint32_t end) noexcept { end_.store(end, std::memory_order_release); }

  // True if this is the first reply to a request that was sent. Also false if a request was
  // answered that was sent at least 65,505 requests later, because its number may use the same
  // word.
  bool add(std::uint32_t number) noexcept;

  void clear() noexcept;

 private:
  static constexpr std::uint32_t kBits = 32, kWords = 2048;

  // The lower half of a word has the bits of 32 numbers, and the upper half their quotient by 32.
  // Later numbers use the same word.
  std::array<std::atomic<std::uint64_t>, kWords> words_{};
  std::atomic<std::uint32_t> end_{0};
};

// Detects replies that arrive after the reply to a later request of the same sender.
class ReplyOrder {
 public:
  // False if a later number was seen before. Numbers may wrap around.
  bool in_order(std::uint32_t number) noexcept;

  void clear() noexcept { any_ = false; }

 private:
  std::uint32_t last_ = 0;
  bool any_ = false;
};

// Nanoseconds of CLOCK_MONOTONIC.
inline std::uint64_t request_time() noexcept {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

// The requests of a lane, and the replies that it receives, also for requests of other lanes.
struct Requests {
  explicit Requests(unsigned max_in_flight) : window(max_in_flight) {}

  // Writes the next `count` requests, with the current time, to payload(0), payload(1) and so on.
  template <class Payload>
  void write(unsigned count, Payload payload) noexcept {
    answered.issue(next.number + count);
    auto request = next;
    request.stamp = request_time();
    for (unsigned i = 0; i < count; ++i) {
      write_request(request, RequestBytes(payload(i), kRequestBytes));
      ++request.number;
    }
  }

  void sent(unsigned count) noexcept {
    next.number += count;
    window.sent(count);
  }

  // Counts a received frame. `now` is the caller's last reading of the clock. If the request was
  // sent later than that, reads the clock again and updates `now`. Returns false if the frame is
  // not the first reply to a request of this trial.
  bool take(std::span<const std::uint8_t> frame, std::uint64_t& now) noexcept {
    const auto request = request_in(frame);
    if (!request || request->run != next.run || request->lane >= lanes.size()) {
      return count_unrelated();
    }
    if (request->stamp > now) now = request_time();
    auto& sender = *lanes[request->lane];
    if (request->stamp > now || !sender.answered.add(request->number)) return count_unrelated();
    latency.add(now - request->stamp);
    sender.window.replied(1, now - request->stamp);
    if (!orders[request->lane].in_order(request->number)) ++replies.reordered;
    return true;
  }

  Request next;  // the next request to send
  Window window;
  AnsweredRequests answered;       // of this lane, by replies that arrived on any lane
  Histogram latency;               // nanoseconds
  std::vector<Requests*> lanes;    // all lanes, this one included; not owned
  std::vector<ReplyOrder> orders;  // orders[i]: replies to the requests of lane i
  ReplyCounts replies;

 private:
  bool count_unrelated() noexcept {
    ++replies.unrelated;
    return false;
  }
};

using AllRequests = std::vector<Requests*>;  // requests of all lanes, in the order of the lanes

// Lets each lane receive the replies to requests of all lanes. Must be called once.
void link_lanes(const AllRequests& lanes);

// Resets all counts. Must be called before each trial, after late packets were discarded. `run`
// distinguishes requests of this trial from earlier ones that are still in flight.
void begin_requests(const AllRequests& lanes, std::uint16_t run);

// Adds latencies and counts of all lanes to the trial.
void add_replies(const AllRequests& lanes, Trial& trial);

}  // namespace manactl::datapath
