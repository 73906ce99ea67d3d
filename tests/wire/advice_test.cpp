// SPDX-License-Identifier: MIT
#include "wire/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "wire/completion.h"
#include "wire/event.h"
#include "wire/gdma_messages.h"
#include "wire/shared_memory.h"

namespace manactl::wire::advice_test {
namespace {

using ::testing::StartsWith;

TEST(CodeSpace, DependsOnTheRecordAndTheField) {
  using enum CodeSpace;
  for (const auto& [record, type, vendor_error, status] :
       std::vector<std::tuple<std::string_view, CodeSpace, CodeSpace, CodeSpace>>{
           {CqeHeader::kName, cqe_type, CodeSpace::vendor_error, CodeSpace::status},
           {RxCompletion::kName, cqe_type, CodeSpace::vendor_error, CodeSpace::status},
           {RxCompletion8::kName, cqe_type, CodeSpace::vendor_error, CodeSpace::status},
           {TxCompletion::kName, cqe_type, CodeSpace::vendor_error, CodeSpace::status},
           {EqeInfo::kName, event, none, CodeSpace::status},
           {SharedMemoryMessage::kName, none, none, shared_memory},
           {SharedMemoryHeader::kName, none, none, shared_memory},
           {"other", none, none, CodeSpace::status}}) {
    EXPECT_EQ(code_space(record, "type"), type) << record;
    EXPECT_EQ(code_space(record, "vendor_error"), vendor_error) << record;
    EXPECT_EQ(code_space(record, "status"), status) << record;
    EXPECT_EQ(code_space(record, "other"), none) << record;
  }
}

TEST(Advice, HasARowForEachKnownCode) {
  const auto known = [](CodeSpace space) {
    std::vector<std::uint64_t> codes;
    for (std::uint64_t code = 0; code < 0x200; ++code) {
      if (!advice_for(space, code).meaning.starts_with("no known driver")) codes.push_back(code);
    }
    return codes;
  };
  const auto enumerators = [](auto type) {
    std::vector<std::uint64_t> codes;
    for (std::uint64_t code = 0; code < 0x200; ++code) {
      const auto value = static_cast<decltype(type)>(code);
      if (static_cast<std::uint64_t>(value) == code && !name_of(value).empty()) {
        codes.push_back(code);
      }
    }
    return codes;
  };
  EXPECT_EQ(known(CodeSpace::cqe_type), enumerators(CqeType{}));
  EXPECT_EQ(known(CodeSpace::event), enumerators(EventType{}));
  auto vendor_errors = enumerators(VendorError{});
  vendor_errors.insert(vendor_errors.begin(), 0);
  EXPECT_EQ(known(CodeSpace::vendor_error), vendor_errors);
}

TEST(Advice, ExplainsTheCode) {
  for (const auto& [space, code, meaning, action] :
       std::vector<std::tuple<CodeSpace, std::uint64_t, std::string, std::string>>{
           {CodeSpace::none, 0, "", ""},
           {CodeSpace::none, 1, "", ""},
           {CodeSpace::cqe_type, 1, "a packet was received", ""},
           {CodeSpace::cqe_type, 0x1000, "no known driver", "check that the right bytes"},
           {CodeSpace::vendor_error, 0, "no error", ""},
           {CodeSpace::vendor_error, 0xffff, "no known driver", "check that the right bytes"},
           {CodeSpace::event, 0xffff, "no known driver", "check that the right bytes"},
           {CodeSpace::status, 0, "the command succeeded", ""},
           {CodeSpace::status, 0x105, "the command succeeded; the device expects", "send them"},
           {CodeSpace::status, 0xffffffff, "the device does not support", "no action is needed"},
           {CodeSpace::status, 7, "rejected for a device-specific reason", "decode the request"},
           {CodeSpace::shared_memory, 0, "no error", ""},
           {CodeSpace::shared_memory, 1, "the device rejected the setup", "decode the request"}}) {
    const auto advice = advice_for(space, code);
    EXPECT_THAT(std::string(advice.meaning), StartsWith(meaning)) << code;
    EXPECT_EQ(advice.meaning.empty(), meaning.empty()) << code;
    EXPECT_THAT(std::string(advice.action), StartsWith(action)) << code;
    EXPECT_EQ(advice.action.empty(), action.empty()) << code;
  }
}

}  // namespace
}  // namespace manactl::wire::advice_test
