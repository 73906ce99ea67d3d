// SPDX-License-Identifier: MIT
//
// A request to a command, and its reply.

#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/gdma_messages.h"

namespace manactl::device {

// Status codes of this model, not of the real device: drivers only check for success.
enum Status : std::uint32_t {
  kBadMessage = 0x1001,  // the body cannot be decoded
  kNoSuchObject = 0x1002,
  kTooMany = 0x1003,    // too many objects
  kBadMemory = 0x1004,  // a queue does not fit its region
  kInUse = 0x1005,
  kBadVersion = 0x1006,
};

struct Request {
  wire::Command command{};
  wire::RequestHeader header;
  wire::Bytes message;  // with the header

  wire::Bytes body() const { return message.subspan(wire::RequestHeader::kSize); }
};

struct Reply {
  std::uint32_t status = wire::kStatusSuccess;
  std::vector<std::uint8_t> body;
  std::string reason;           // why the request failed, for the trace
  std::function<void()> after;  // called after the response was sent
  // A literal that names the objects for which the guest needs more memory than its budget; else
  // empty.
  std::string_view over_budget = {};

  static Reply refuse(std::uint32_t status, std::string reason) {
    return {status, {}, std::move(reason), {}, {}};
  }

  static Reply no_such(std::string_view what, std::uint64_t handle) {
    return refuse(kNoSuchObject, fmt::format("{} {:#x} does not exist", what, handle));
  }

  static Reply exceeds_budget(std::string_view what) {
    return {kTooMany, {}, fmt::format("no memory is left for {}", what), {}, what};
  }

  static Reply refuse(const wire::Refusal& refusal) {
    return refuse(kBadMessage, wire::describe(refusal));
  }

  template <class T>
  static Reply with(const T& body) {
    const auto bytes = wire::encode(body);
    if (!bytes) return refuse(bytes.error());
    return {wire::kStatusSuccess, {bytes->begin(), bytes->end()}, {}, {}, {}};
  }
};

}  // namespace manactl::device
