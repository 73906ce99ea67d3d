// SPDX-License-Identifier: MIT

#include "wire/dissect.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "wire/golden.h"
#include "wire/messages.h"

namespace manactl::wire::dissect_test {
namespace {

using test::hex;
using testing::ElementsAre;

using Octets = std::vector<std::uint8_t>;

std::vector<Dissection> parts(std::string_view kind, const Octets& bytes) {
  auto all = dissect(*find_kind(kind), bytes);
  EXPECT_TRUE(all.has_value()) << describe(all.error());
  return all ? std::move(*all) : std::vector<Dissection>(1);
}

Dissection only(std::string_view kind, const Octets& bytes) {
  auto all = parts(kind, bytes);
  EXPECT_EQ(all.size(), 1U);
  return all.front();
}

std::vector<std::string_view> titles(const Dissection& dissection) {
  std::vector<std::string_view> found;
  for (const auto& section : dissection.sections) found.push_back(section.title);
  return found;
}

std::uint64_t value(const Dissection& dissection, std::size_t section, std::string_view name) {
  for (const auto& field : dissection.sections.at(section).fields) {
    if (field.name == name) return field.value;
  }
  ADD_FAILURE() << name << " is missing";
  return 0;
}

std::string zeros(std::size_t bytes) {
  return std::string(bytes * 2, '0');
}

// A request in hexadecimal: a header for `body`, followed by `body`.
std::string request(std::uint32_t code, std::uint16_t version, const std::string& body) {
  const auto size = static_cast<std::uint32_t>(40 + hex(body).size());
  RequestHeader header{{code, version, 0, size}, {code, version, 0, 4096}, {}, 0};
  const auto bytes = *encode(header);
  std::string text;
  for (const auto byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text + body;
}

std::string response(std::uint32_t code, std::uint32_t status, const std::string& body) {
  ResponseHeader header;
  header.response = {code, 1, 0, static_cast<std::uint32_t>(32 + hex(body).size())};
  header.status = status;
  const auto bytes = *encode(header);
  std::string text;
  for (const auto byte : bytes) fmt::format_to(std::back_inserter(text), "{:02x}", byte);
  return text + body;
}

TEST(Kinds, HaveUniqueNames) {
  std::set<std::string_view> names;
  for (const auto& kind : kinds()) {
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_FALSE(kind.summary.empty());
    EXPECT_EQ(find_kind(kind.name), &kind);
  }
  EXPECT_EQ(find_kind("nothing"), nullptr);
}

TEST(Kinds, OfDoorbellsAreSelectedByOffset) {
  EXPECT_EQ(doorbell_kind(0x000)->name, "sq-doorbell");
  EXPECT_EQ(doorbell_kind(0x400)->name, "rq-doorbell");
  EXPECT_EQ(doorbell_kind(0x800)->name, "cq-doorbell");
  EXPECT_EQ(doorbell_kind(0x820)->name, "moderation-doorbell");
  EXPECT_EQ(doorbell_kind(0xff8)->name, "eq-doorbell");
  EXPECT_EQ(doorbell_kind(0x010)->name, "short-wq-doorbell");
  EXPECT_EQ(doorbell_kind(0xff0)->name, "short-cq-doorbell");
  EXPECT_EQ(doorbell_kind(0x408), nullptr);
  EXPECT_EQ(doorbell_kind(0x804), nullptr);
  EXPECT_EQ(doorbell_kind(0x10000), nullptr);
}

TEST(DissectCqe, ChoosesTheRecordByItsType) {
  const auto tx = only("cqe", hex("63010200" + zeros(56) + "030201a1"));
  EXPECT_THAT(titles(tx), ElementsAre("transmit completion", "CQE info"));
  EXPECT_EQ(value(tx, 0, "vendor_error"), 0x201U);
  EXPECT_EQ(value(tx, 1, "wq_id"), 0x010203U);
  EXPECT_THAT(titles(only("cqe", hex("42" + zeros(62) + "20"))),
              ElementsAre("receive completion", "CQE info"));
  EXPECT_THAT(titles(only("cqe", hex("47" + zeros(62) + "20"))),
              ElementsAre("receive completion of up to 8 packets", "CQE info"));
}

TEST(DissectCqe, ShowsTheDataOfAnUnknownType) {
  const auto cqe = only("cqe", hex("7f" + zeros(62) + "20"));
  EXPECT_THAT(titles(cqe), ElementsAre("CQE header", "data", "CQE info"));
  ASSERT_EQ(cqe.refusals.size(), 1U);
  EXPECT_EQ(cqe.refusals.front().rule, Rule::member);
  EXPECT_EQ(cqe.sections[1].bytes.size(), 56U);
}

TEST(DissectCqe, DissectsAWholeQueue) {
  const auto queue = parts("cqe", hex("60" + zeros(62) + "20" + zeros(64)));
  ASSERT_EQ(queue.size(), 2U);
  EXPECT_THAT(titles(queue[0]), ElementsAre("transmit completion", "CQE info"));
  EXPECT_TRUE(queue[1].is_empty);
  EXPECT_EQ(queue[1].at, 64U);
  EXPECT_EQ(dissect(*find_kind("cqe"), hex(zeros(63))).error().rule, Rule::length);
  EXPECT_EQ(dissect(*find_kind("cqe"), hex(zeros(65))).error().value, 1U);
}

TEST(DissectEqe, ChoosesTheRecordByItsType) {
  EXPECT_THAT(titles(only("eqe", hex("05000000 00000000 00000000 03000020"))),
              ElementsAre("completion event", "EQE info"));
  EXPECT_THAT(titles(only("eqe", hex("00000002 00000000 00000000 85000020"))),
              ElementsAre("reconfiguration event", "EQE info"));
  EXPECT_THAT(titles(only("eqe", hex("05000000 00000000 00000000 87000020"))),
              ElementsAre("data", "EQE info"));
}

TEST(DissectWqe, DecodesOobAndEverySge) {
  const std::string sge = "8877665544332211 07000000 ea050000";
  const auto wqe = only("sq-wqe",
                        hex("00000000 02020000"
                            "340c0b0a 22040002" +
                            sge + sge + zeros(16)));
  EXPECT_THAT(titles(wqe), ElementsAre("WQE header", "transmit OOB", "SGE", "SGE"));
  EXPECT_EQ(value(wqe, 1, "cq_id"), 0x0a0b0cU);
  EXPECT_EQ(value(wqe, 3, "size"), 1514U);
  EXPECT_EQ(wqe.size, 64U);
  const auto rq = only("rq-wqe", hex("00000000 01020000" + zeros(8) + sge));
  EXPECT_THAT(titles(rq), ElementsAre("WQE header", "OOB", "SGE"));
}

TEST(DissectWqe, DecodesTheLongOobAndThatOfTheChannel) {
  const std::string sge = zeros(16);
  EXPECT_THAT(titles(only("sq-wqe", hex("00000000 01060000 01" + zeros(23) + sge))),
              ElementsAre("WQE header", "long transmit OOB", "SGE"));
  EXPECT_THAT(titles(only("hwc-wqe", hex("00000000 01060000" + zeros(24) + sge))),
              ElementsAre("WQE header", "hardware channel OOB", "SGE"));
}

TEST(DissectWqe, RejectsATruncatedWqe) {
  const auto* kind = find_kind("sq-wqe");
  const auto cut = dissect(*kind, hex("00000000 02020000" + zeros(24)));
  ASSERT_FALSE(cut.has_value());
  EXPECT_EQ(cut.error().limit, 64U);
  EXPECT_EQ(dissect(*kind, hex("00000000 01030000" + zeros(24))).error().field, "inline_oob");
  EXPECT_EQ(dissect(*kind, hex("0000")).error().rule, Rule::length);
}

TEST(DissectMessage, SelectsTheBodyByCommand) {
  const auto message =
      only("request", hex(request(0x20003, 1, "0700000000000000 05000000 09000000")));
  EXPECT_THAT(titles(message), ElementsAre("request header", "CONFIG_VPORT_TX request"));
  const auto pd = only("response", hex(response(29, 0, zeros(16))));
  EXPECT_THAT(titles(pd), ElementsAre("response header", "CREATE_PD response"));
  EXPECT_EQ(value(message, 1, "doorbell"), 9U);
  EXPECT_THAT(titles(only("request", hex(request(3, 1, "")))), ElementsAre("request header"));
  EXPECT_THAT(titles(only("request", hex(request(0x20009, 1, "0102")))),
              ElementsAre("request header", "body"));
}

TEST(DissectMessage, DecodesTheFieldsOfEachVersion) {
  const auto first = only("response", hex(response(0x20001, 0, zeros(40))));
  EXPECT_EQ(first.sections[1].fields.back().name, "max_eqs");
  const auto second = only("response", hex(response(0x20001, 0, zeros(48))));
  EXPECT_EQ(second.sections[1].fields.back().name, "link_speed_mbps");
  const auto longer = only("response", hex(response(0x20001, 0, zeros(56))));
  EXPECT_THAT(titles(longer), ElementsAre("response header", "QUERY_DEV_CONFIG response", "more"));
  EXPECT_EQ(dissect(*find_kind("response"), hex(response(0x20001, 0, zeros(39)))).error().limit,
            40U);
}

TEST(DissectMessage, AcceptsAnErrorResponseWithoutBody) {
  const auto refused = only("response", hex(response(0x20001, 0x1234, "")));
  EXPECT_THAT(titles(refused), ElementsAre("response header"));
  EXPECT_EQ(value(refused, 0, "status"), 0x1234U);
}

TEST(DissectMessage, DecodesTheListAtTheEnd) {
  const std::string body =
      "0020000000000000 00000000 00000000 02000000 02000000"
      "0010000000000000 0020000000000000";
  const auto region = only("request", hex(request(25, 1, body)));
  EXPECT_THAT(titles(region),
              ElementsAre("request header", "CREATE_DMA_REGION request", "page addresses"));
  EXPECT_THAT(region.sections[2].list, ElementsAre(0x1000, 0x2000));
  EXPECT_EQ(region.sections[2].at, 64U);
  const auto cut =
      dissect(*find_kind("request"), hex(request(25, 1, body.substr(0, body.size() - 16))));
  EXPECT_EQ(cut.error().rule, Rule::length);
}

TEST(DissectMessage, FindsTheIndirectionTableByItsOffset) {
  const std::string start = "0700000000000000 0100";
  const std::string middle = "01000000 01000000 00000100" + zeros(48);
  const std::string handle = "0201000000000000";
  const auto old = only("request", hex(request(0x20007, 1, start + "7000" + middle + handle)));
  EXPECT_THAT(old.sections.back().list, ElementsAre(0x102));
  const auto late = only(
      "request", hex(request(0x20007, 2, start + "7800" + middle + "0100000000000000" + handle)));
  EXPECT_EQ(value(late, 1, "coalescing"), 1U);
  EXPECT_THAT(late.sections.back().list, ElementsAre(0x102));
  const auto inside =
      dissect(*find_kind("request"), hex(request(0x20007, 1, start + "1000" + middle + handle)));
  EXPECT_EQ(inside.error().field, "table_offset");
}

TEST(DissectMessage, UsesTheSizeInTheHeader) {
  const auto whole = request(3, 1, "");
  EXPECT_EQ(only("request", hex(whole + zeros(100))).size, 140U);
  EXPECT_EQ(dissect(*find_kind("request"), hex(whole + "01")).error().rule, Rule::length);
  EXPECT_EQ(
      dissect(*find_kind("request"), hex(request(3, 1, zeros(8)).substr(0, 80))).error().limit,
      48U);
  auto tiny = hex(whole);
  tiny[12] = 39;
  EXPECT_EQ(dissect(*find_kind("request"), tiny).error().rule, Rule::min);
}

TEST(DissectRegisters, AcceptsADumpFromTheStartOfTheBar) {
  const auto vf = only("vf-registers", hex(zeros(8) + "0040000000000000" + zeros(48)));
  EXPECT_EQ(value(vf, 0, "doorbell_page_offset"), 0x4000U);
  const auto pf = only("pf-registers", hex(zeros(0x108) + "5634120000000000"));
  EXPECT_EQ(value(pf, 0, "sriov_config_offset"), 0x123456U);
  EXPECT_EQ(pf.sections.front().at, 0xc8U);
  EXPECT_EQ(dissect(*find_kind("pf-registers"), hex(zeros(0x10f))).error().limit, 0x110U);
}

struct Length {
  const char* kind;
  const char* start;  // the first bytes; the rest is zero
  std::size_t bytes;
};

TEST(Dissect, RejectsOneByteLessThanARecord) {
  const Length lengths[] = {{"cqe", "60", 64},
                            {"cqe", "7f", 64},
                            {"hwc-cqe", "60", 64},
                            {"eqe", "01", 16},
                            {"sq-wqe", "00000000 02020000", 48},
                            {"rq-wqe", "00000000 01020000", 32},
                            {"tx-oob", "00", 8},
                            {"tx-oob", "01", 24},
                            {"vf-registers", "01", 32},
                            {"pf-registers", "01", 0x110},
                            {"sge", "01", 16},
                            {"shared-memory", "01", 32},
                            {"request", "00000000 00000000 00000000 28", 40},
                            {"response", "00000000 00000000 00000000 20", 32}};
  for (const auto& [kind, start, bytes] : lengths) {
    auto input = hex(start);
    input.resize(bytes);
    const auto whole = dissect(*find_kind(kind), input);
    ASSERT_TRUE(whole.has_value()) << kind << ": " << describe(whole.error());
    EXPECT_EQ(whole->front().size, bytes) << kind;
    EXPECT_FALSE(whole->front().is_empty) << kind;
    input.pop_back();
    const auto cut = dissect(*find_kind(kind), input);
    ASSERT_FALSE(cut.has_value()) << kind;
    EXPECT_EQ(cut.error().rule, Rule::length) << kind;
    EXPECT_EQ(cut.error().value, bytes - 1) << kind;
  }
}

TEST(Dissect, SkipsEmptyEntries) {
  const std::pair<const char*, std::size_t> kinds[] = {
      {"cqe", 64}, {"hwc-cqe", 64}, {"eqe", 16}, {"sq-wqe", 32}, {"rq-wqe", 32}, {"hwc-wqe", 32}};
  for (const auto& [kind, bytes] : kinds) {
    const auto two = parts(kind, Octets(2 * bytes));
    ASSERT_EQ(two.size(), 2U) << kind;
    for (const auto& one : two) {
      EXPECT_TRUE(one.is_empty) << kind;
      EXPECT_EQ(one.size, bytes) << kind;
      EXPECT_TRUE(one.sections.empty()) << kind;
    }
  }
}

TEST(Dissect, ReportsViolatedRules) {
  const auto broken = only("cq-doorbell", hex("05000001 40000080"));
  ASSERT_EQ(broken.refusals.size(), 1U);
  EXPECT_EQ(broken.refusals.front().field, "reserved bits 24-31");
  EXPECT_EQ(value(broken, 0, "tail"), 0x40U);
  EXPECT_EQ(dissect(*find_kind("cq-doorbell"), {}).error().rule, Rule::length);
}

}  // namespace
}  // namespace manactl::wire::dissect_test
