// SPDX-License-Identifier: MIT

#include "device/hostile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace manactl::device {
namespace {

// The mixing function of SplitMix64: random numbers without a state.
std::uint64_t mix(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111eb;
  return value ^ (value >> 31U);
}

Result<> set_kinds(std::string_view text, HostilePlan& plan) {
  plan.kinds = {};
  for (const auto word : split(text, '+')) {
    const auto kind = value_of(kHostileKinds, word);
    if (!kind) {
      return fail(Errc::invalid,
                  fmt::format("unknown kind '{}', expected {}",
                              printable(word),
                              fmt::join(words_of(kHostileKinds), ", ")));
    }
    plan.kinds[static_cast<std::size_t>(*kind)] = true;
  }
  return {};
}

Result<> set_part(std::string_view text, HostilePlan& plan) {
  const auto equals = text.find('=');
  const auto name = text.substr(0, equals);
  const auto value = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  if (name == "kinds") return set_kinds(value, plan);
  auto* number = name == "rate"    ? &plan.rate
                 : name == "after" ? &plan.after
                 : name == "times" ? &plan.times
                                   : nullptr;
  if (number == nullptr) {
    return fail(Errc::invalid,
                fmt::format("unknown '{}', expected rate, kinds, after or times", printable(name)));
  }
  const auto parsed = parse_unsigned(value);
  if (!parsed) return because(parsed.error(), name);
  *number = *parsed;
  return plan.rate > 0 ? Result<>{} : fail(Errc::invalid, "the rate must be at least 1");
}

}  // namespace

Result<HostilePlan> HostilePlan::parse(std::string_view text) {
  HostilePlan plan;
  plan.kinds.fill(true);
  const auto parts = split(text, ',');
  const auto seed = parse_unsigned(parts.front());
  if (!seed) return because(seed.error(), "seed");
  plan.seed = *seed;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto done = set_part(parts[i], plan);
    if (!done) return tl::unexpected<Error>(done.error());
  }
  return plan;
}

void Hostile::start(const HostilePlan& plan) {
  plan_ = plan;
  opportunities_ = misbehaviors_ = 0;
}

std::optional<Misbehavior> Hostile::pick(std::span<const HostileKind> possible, const char* where) {
  if (!plan_) return std::nullopt;
  const auto opportunity = ++opportunities_;
  const auto random = mix(mix(plan_->seed) ^ opportunity);
  if (random % plan_->rate != 0) return std::nullopt;
  std::vector<HostileKind> kinds;
  for (const auto kind : possible) {
    if (plan_->kinds[static_cast<std::size_t>(kind)]) kinds.push_back(kind);
  }
  if (kinds.empty()) return std::nullopt;
  const auto kind = kinds[mix(random) % kinds.size()];
  const auto number = ++misbehaviors_;
  if (number <= plan_->after || number - plan_->after > plan_->times) return std::nullopt;
  ++counts_[static_cast<std::size_t>(kind)];
  trace_->line(fmt::format("hostile {}: {} in {}, opportunity {}",
                           number,
                           word_of(kHostileKinds, kind),
                           where,
                           opportunity));
  return Misbehavior{kind, mix(random + 1)};
}

std::uint32_t wrong_length(std::uint64_t random, std::uint32_t right) {
  const std::uint32_t wrong[] = {
      0, 1, right - 1, right + 1, right / 2, right * 2, 0xffff, 0xffffffff};
  const auto length = wrong[random % std::size(wrong)];
  return length == right ? right + 1 : length;
}

void corrupt(const Misbehavior& wrong, wire::ResponseHeader& header) {
  const auto difference = static_cast<std::uint32_t>(wrong.random >> 32U) | 1U;
  if (wrong.kind == HostileKind::response_header_length) {
    header.response.size = wrong_length(wrong.random, header.response.size);
  } else if (wrong.kind == HostileKind::message_id) {
    header.response.hwc_msg_id ^= static_cast<std::uint16_t>(difference);
  } else if (wrong.kind == HostileKind::activity_id) {
    header.activity_id ^= difference;
  }
}

void corrupt(const Misbehavior& wrong, wire::CqeInfo& info) {
  constexpr std::uint32_t kLargestId = 0xffffff;
  if (wrong.kind == HostileKind::queue_id) {
    const auto difference = static_cast<std::uint32_t>(wrong.random) & kLargestId;
    info.wq_id ^= difference | 1U;
  } else if (wrong.kind == HostileKind::owner_bits) {
    info.owner ^= static_cast<std::uint8_t>(1 + wrong.random % 7);
  }
}

void corrupt(const Misbehavior& wrong, wire::EqeInfo& info) {
  if (wrong.kind != HostileKind::event_owner_bits) return;
  info.owner ^= static_cast<std::uint8_t>(1 + wrong.random % 7);
}

// Leaves out the events that legitimately remove the device or its driver.
UnsolicitedEvent unsolicited_event(std::uint64_t random) {
  using wire::EventType;
  constexpr EventType kTypes[] = {EventType::test,
                                  EventType::channel_init_eq,
                                  EventType::channel_init_data,
                                  EventType::channel_init_done,
                                  EventType::soc_reconfiguration,
                                  EventType::soc_service,
                                  EventType::rnic_qp_fatal};
  UnsolicitedEvent event{kTypes[random % std::size(kTypes)], {}};
  wire::store(event.data, 0, 8, mix(random));
  // The last byte of the first dword is the kind of datum: mostly a known one.
  event.data[3] = static_cast<std::uint8_t>(event.data[3] % 16);
  return event;
}

}  // namespace manactl::device
