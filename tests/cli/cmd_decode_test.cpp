// SPDX-License-Identifier: MIT
//
// Tests the decode command, from arguments to output.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "wire/advice.h"
#include "wire/completion.h"
#include "wire/dissect.h"
#include "wire/event.h"

namespace manactl::test::cmd_decode_test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

const std::string kErrorCqe = "63010200" + std::string(112, '0') + "030201a1";

json decoded(Words words, int code = 0) {
  words.insert(words.begin(), "decode");
  words.emplace_back("--json");
  const auto outcome = manactl(words);
  EXPECT_EQ(outcome.code, code) << outcome.err;
  return json::parse(outcome.out);
}

json field(const json& document, const std::string& name) {
  for (const auto& section : document["dumps"][0][0]["sections"]) {
    for (const auto& candidate : section["fields"]) {
      if (candidate["name"] == name) return candidate;
    }
  }
  ADD_FAILURE() << "no field " << name;
  return {};
}

TEST(Decode, ShowsEveryField) {
  const auto document = decoded({"cq-doorbell", "0500000040000080"});
  EXPECT_EQ(document["kind"], "cq-doorbell");
  EXPECT_EQ(field(document, "id")["value"], 5);
  EXPECT_EQ(field(document, "tail")["hex"], "0x40");
  EXPECT_EQ(field(document, "arm")["bit"], 63);
}

TEST(Decode, ReadsBytesFromArgumentsFilesAndStandardInput) {
  TemporaryDirectory directory;
  const auto text = directory.file("dump.txt", "[ 1.0] 00000000: 05 00 00 00 40 00 00 80\n");
  const auto binary = directory.file("dump.bin", std::string("\5\0\0\0\x40\0\0\x80", 8));
  const auto expected = decoded({"cq-doorbell", "0500000040000080"})["dumps"];
  EXPECT_EQ(decoded({"cq-doorbell", "05000000", "40000080"})["dumps"], expected);
  EXPECT_EQ(decoded({"cq-doorbell", "0x8000004000000005"})["dumps"], expected);
  EXPECT_EQ(decoded({"cq-doorbell", text})["dumps"], expected);
  EXPECT_EQ(decoded({"cq-doorbell", binary})["dumps"], expected);
  EXPECT_EQ(decoded({"doorbell", "--offset", "0x800", "0500000040000080"})["dumps"], expected);
  ProcessOptions process;
  process.input = "05 00 00 00\n40 00 00 80\n";
  const auto piped = manactl({"decode", "cq-doorbell", "-", "--json"}, process);
  EXPECT_EQ(json::parse(piped.out)["dumps"], expected);
}

TEST(Decode, PrintsTheNumberOfAnUnknownValueInADump) {
  TemporaryDirectory directory;
  std::string entry(64, '\0');
  entry.replace(0, 2, "\x6b\x07");
  const auto dump = directory.file("dump.bin", entry + entry);
  EXPECT_THAT(manactl({"decode", "cqe", dump}).out,
              HasSubstr("cqe 1, bytes 64-127: type 0x2b (unknown), client_type 1, vendor_error 0x7 "
                        "(unknown vendor error)\n"));
}

TEST(Decode, MarksUnknownValues) {
  const auto type = field(decoded({"eqe-info", "02000020"}, 1), "type");
  EXPECT_EQ(type["meaning"], "unknown");
  EXPECT_EQ(type["known"], false);
  const auto status = field(decoded({"status", "0x1234"}), "status");
  EXPECT_EQ(status["known"], false);
  EXPECT_EQ(field(decoded({"command", "131075"}), "command")["meaning"], "CONFIG_VPORT_TX");
}

TEST(Decode, ExitsWith1ForAnUnknownCodeOfEachKind) {
  const std::string zeros(120, '0');
  // The headers of two requests: the command 0x999, and a device of type 9.
  const std::string unknown_command =
      "000000009909000001000000280000000000000099090000010000002000"
      "00000000000000000000";
  const std::string unknown_device =
      "000000000200000001000000280000000000000002000000010000002000"
      "00000900000000000000";
  const std::vector<std::vector<std::string>> unknown = {
      {"cqe-type", "63"},
      {"event", "99"},
      {"command", "0x999"},
      {"cqe-header", "3f010000"},
      {"cqe", "3f010000" + zeros.substr(0, 112) + "030201a1"},
      {"rx-completion", "3f010000" + zeros.substr(0, 112)},
      {"eqe-info", "02000020"},
      {"device-id", "09000000"},
      {"message-header", "00000000990900000100000028000000"},
      {"request-header", unknown_command},
      {"request", unknown_command},
      {"request", unknown_device}};
  for (auto words : unknown) {
    words.insert(words.begin(), "decode");
    const auto outcome = manactl(words);
    EXPECT_EQ(outcome.code, 1) << words[1] << ": " << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("unknown")) << words[1];
  }
  for (const auto* open : {"status", "vendor-error"}) {
    EXPECT_EQ(manactl({"decode", open, "0x1234"}).code, 0) << open;
  }
}

TEST(Decode, NamesAnUnknownOsAndRefusesAReversedProtocolRange) {
  // VERIFY_VF_DRIVER_VERSION with 600 bytes after the header.
  const auto request = [](const std::string& min, const std::string& max, const std::string& os) {
    const std::string header =
        "000000000100000001000000800200000000000001000000010000004800"
        "00000000000000000000";
    const std::string body = min + "00000000000000" + max + "00000000000000" +
                             std::string(64, '0') + std::string(16, '0') + os + "000000";
    return header + body + std::string(1200 - body.size(), '0');
  };
  EXPECT_EQ(manactl({"decode", "request", request("01", "01", "10")}).code, 0);
  const auto unknown = manactl({"decode", "request", request("01", "01", "11")});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.out, HasSubstr("unknown OS"));
  const auto reversed = manactl({"decode", "request", request("02", "01", "10")});
  EXPECT_EQ(reversed.code, 2);
  EXPECT_THAT(reversed.err, HasSubstr("protocol_min must be at most 0x1, not 0x2"));
}

TEST(Decode, ExplainsErrorsWithTheOptionExplain) {
  const auto document = decoded({"cqe", kErrorCqe, "--explain"});
  EXPECT_THAT(field(document, "type")["explanation"]["action"], HasSubstr("hc_tx_err_inval_oob"));
  EXPECT_THAT(field(document, "vendor_error")["explanation"]["meaning"], HasSubstr("malformed"));
  EXPECT_FALSE(field(decoded({"cqe", kErrorCqe}), "type").contains("explanation"));
  const auto outcome = manactl({"decode", "status", "0xffffffff", "--explain"});
  EXPECT_THAT(outcome.out, HasSubstr("Meaning: the device does not support the command"));
}

TEST(Decode, ExplainsSingleCodesOfEveryKind) {
  for (const auto& [kind, code, meaning] :
       {std::tuple("cqe-type", "33", "dropped: the source address is not the vPort's"),
        std::tuple("vendor-error", "0", "no error"),
        std::tuple("event", "0xffff", "no known driver defines this code")}) {
    const auto outcome = manactl({"decode", kind, code, "--explain"});
    EXPECT_THAT(outcome.out, HasSubstr(std::string("Meaning: ") + meaning)) << kind;
    EXPECT_THAT(manactl({"decode", kind, code}).out, Not(HasSubstr("Meaning"))) << kind;
  }
}

TEST(Decode, RejectsBrokenRulesWithoutLax) {
  const std::string bytes = "0500000140000080";
  const auto refused = manactl({"decode", "cq-doorbell", bytes});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_THAT(refused.err, HasSubstr("CQ doorbell: reserved bits 24-31 must be 0, not 0x1"));
  const auto document = decoded({"cq-doorbell", bytes, "--lax"}, 1);
  EXPECT_EQ(document["exit"], 1);
  EXPECT_EQ(document["dumps"][0][0]["problems"][0]["field"], "reserved bits 24-31");
}

TEST(Decode, FoldsEmptyRecordsAndUnusedElements) {
  const auto queue =
      manactl({"decode", "eqe", "05000000000000000000000003000020" + std::string(96, '0')});
  EXPECT_EQ(queue.code, 0);
  EXPECT_THAT(queue.out, HasSubstr("eqe 0, bytes 0-15: "));
  EXPECT_THAT(queue.out, HasSubstr("eqe 1-3, bytes 16-63: empty\n"));
  EXPECT_THAT(queue.out, Not(HasSubstr("reserved")));
  const auto packets = manactl({"decode", "rx-completion", "41000000" + std::string(112, '0')});
  EXPECT_THAT(packets.out, HasSubstr("packet[0] to packet[3]"));
}

TEST(Decode, ShowsAnArrayAsOneField) {
  const std::string filter = "0000000000800200010000004800000000000000008002000100000020000000" +
                             std::string(16, '0') + "0700000000000000000d3a763bd0" +
                             std::string(36, '0');
  auto bytes = filter;
  const auto mac = field(decoded({"request", bytes}), "mac");
  EXPECT_EQ(mac["meaning"], "00:0d:3a:76:3b:d0");
  EXPECT_EQ(mac["values"], json({0, 0x0d, 0x3a, 0x76, 0x3b, 0xd0}));
}

TEST(Decode, ListsItsKinds) {
  const auto document = json::parse(manactl({"decode", "--list", "--json"}).out);
  EXPECT_EQ(document["kinds"].size(), wire::kinds().size());
  EXPECT_THAT(manactl({"decode", "--list"}).out, HasSubstr("\ncq-doorbell "));
}

TEST(WireAdvice, ExplainsEveryNamedCode) {
  const auto unknown = wire::advice_for(wire::CodeSpace::event, 1).meaning;
  for (const auto& type : wire::kCqeTypes) {
    const auto code = static_cast<std::uint64_t>(type.value);
    EXPECT_NE(wire::advice_for(wire::CodeSpace::cqe_type, code).meaning, unknown) << type.word;
  }
  for (const auto& type : wire::kEventTypes) {
    const auto code = static_cast<std::uint64_t>(type.value);
    EXPECT_NE(wire::advice_for(wire::CodeSpace::event, code).meaning, unknown) << type.word;
  }
  for (const auto& error : wire::kVendorErrors) {
    const auto advice =
        wire::advice_for(wire::CodeSpace::vendor_error, static_cast<std::uint64_t>(error.value));
    EXPECT_NE(advice.meaning, unknown) << error.word;
    EXPECT_NE(advice.action, "") << error.word;
  }
}

TEST(WireAdvice, HasAnActionForEveryTransmitError) {
  for (const auto& type : wire::kCqeTypes) {
    if (type.value <= wire::CqeType::tx_okay) continue;
    const auto code = static_cast<std::uint64_t>(type.value);
    EXPECT_NE(wire::advice_for(wire::CodeSpace::cqe_type, code).action, "") << type.word;
  }
}

}  // namespace
}  // namespace manactl::test::cmd_decode_test
