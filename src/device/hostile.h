// SPDX-License-Identifier: MIT
//
// Misbehavior of the device on purpose, to test drivers. Each opportunity to misbehave has a
// number. Only the plan and this number decide what happens, so the same requests of a driver lead
// to the same misbehaviors. The text form is
//
//     SEED[,rate=N][,kinds=KIND+KIND...][,after=N][,times=N]
//
// On average, one of `rate` opportunities is used. `after` skips the first misbehaviors, and
// `times` limits their number.

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/enum_words.h"
#include "base/result.h"
#include "device/trace.h"
#include "wire/completion.h"
#include "wire/event.h"
#include "wire/messages.h"

namespace manactl::device {

enum class HostileKind : std::uint8_t {
  response_header_length,
  response_completion_length,
  message_id,
  activity_id,
  unsolicited_event,
  packet_length,
  stale_completion,
  duplicate_completion,
  torn_completion,
  queue_id,
  owner_bits,
  duplicate_event,
  event_owner_bits,
  event_queue_id,
  nonexistent_queue,
};

inline constexpr EnumWords<HostileKind, 15> kHostileKinds = {{
    {HostileKind::response_header_length,
     "response-header-length"},  // the length in a response's header
    {HostileKind::response_completion_length,
     "response-completion-length"},  // the length in its completion
    {HostileKind::message_id, "message-id"},
    {HostileKind::activity_id, "activity-id"},
    {HostileKind::unsolicited_event, "unsolicited-event"},
    {HostileKind::packet_length, "packet-length"},
    {HostileKind::stale_completion, "stale-completion"},
    {HostileKind::duplicate_completion, "duplicate-completion"},
    {HostileKind::torn_completion, "torn-completion"},
    {HostileKind::queue_id, "queue-id"},  // of the WQ in a completion
    {HostileKind::owner_bits, "owner-bits"},
    {HostileKind::duplicate_event, "duplicate-event"},
    {HostileKind::event_owner_bits, "event-owner-bits"},
    {HostileKind::event_queue_id, "event-queue-id"},        // a CQ beyond the driver's table
    {HostileKind::nonexistent_queue, "nonexistent-queue"},  // a CQ that does not exist
}};

struct HostilePlan {
  std::uint64_t seed = 0;
  std::uint64_t rate = 1000;
  std::array<bool, kHostileKinds.size()> kinds{};
  std::uint64_t after = 0;
  std::uint64_t times = UINT64_MAX;

  static Result<HostilePlan> parse(std::string_view text);
};

struct Misbehavior {
  HostileKind kind{};
  std::uint64_t random = 0;
};

class Hostile {
 public:
  explicit Hostile(const Trace& trace) : trace_(&trace) {}

  // The counters continue; the numbers of opportunities and misbehaviors start again.
  void start(const HostilePlan& plan);

  void stop() { plan_.reset(); }

  // The misbehavior at this opportunity, with one of the `possible` kinds. `where` describes it in
  // the trace.
  std::optional<Misbehavior> pick(std::span<const HostileKind> possible, const char* where);

  const std::array<std::uint64_t, kHostileKinds.size()>& counts() const { return counts_; }

 private:
  const Trace* trace_;
  std::optional<HostilePlan> plan_;
  std::uint64_t opportunities_ = 0, misbehaviors_ = 0;
  std::array<std::uint64_t, kHostileKinds.size()> counts_{};  // by kind
};

// An event that the driver does not expect: its type and data.
struct UnsolicitedEvent {
  wire::EventType type{};
  std::array<std::uint8_t, wire::kEqeDataBytes> data{};
};

inline constexpr HostileKind kResponseKinds[] = {HostileKind::response_header_length,
                                                 HostileKind::response_completion_length,
                                                 HostileKind::message_id,
                                                 HostileKind::activity_id,
                                                 HostileKind::unsolicited_event};
inline constexpr HostileKind kPacketKinds[] = {HostileKind::packet_length};
inline constexpr HostileKind kCompletionKinds[] = {HostileKind::stale_completion,
                                                   HostileKind::duplicate_completion,
                                                   HostileKind::torn_completion,
                                                   HostileKind::queue_id,
                                                   HostileKind::owner_bits};
inline constexpr HostileKind kEventKinds[] = {HostileKind::duplicate_event,
                                              HostileKind::event_owner_bits};
inline constexpr HostileKind kCompletionEventKinds[] = {HostileKind::event_queue_id,
                                                        HostileKind::nonexistent_queue};

// Wrong values in place of right ones. Values whose kind is not that of `wrong` do not change.
void corrupt(const Misbehavior& wrong, wire::ResponseHeader& header);
void corrupt(const Misbehavior& wrong, wire::CqeInfo& info);
void corrupt(const Misbehavior& wrong, wire::EqeInfo& info);
std::uint32_t wrong_length(std::uint64_t random, std::uint32_t right);
UnsolicitedEvent unsolicited_event(std::uint64_t random);

}  // namespace manactl::device
