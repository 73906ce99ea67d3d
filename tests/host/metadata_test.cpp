// SPDX-License-Identifier: MIT

#include "host/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "os/memory_files.h"
#include "support/http_server.h"

namespace manactl::host::metadata_test {
namespace {

using test::http_reply;
using test::HttpServer;
using test::kComputePath;
using test::kEventsPath;
using testing::HasSubstr;
using testing::Not;

// The members that Azure's documents show, shortened.
constexpr const char* kCompute = R"({
  "name": "fw-7", "vmId": "02aab8a4-74ef-476e-8182-f6d2ba4166a6", "location": "westus",
  "resourceGroupName": "rg-secret", "tags": "legacyvmnva:;owner:secret",
  "tagsList": [{"name": "owner", "value": "secret"}, {"name": "legacyvmnva", "value": ""}],
  "vmSize": "Standard_D4s_v5"})";
constexpr const char* kEvents = R"({"DocumentIncarnation": 1, "Events": [
  {"EventId": "C7061BAC", "EventStatus": "Scheduled", "EventType": "Redeploy",
   "ResourceType": "VirtualMachine", "Resources": ["fw-6", "FW-7"],
   "NotBefore": "Mon, 19 Sep 2016 18:29:47 GMT", "Description": "secret", "EventSource": "Platform"},
  {"EventId": "C7061BAD", "EventStatus": "Started", "EventType": "Freeze", "Resources": ["fw-7"],
   "NotBefore": ""},
  {"EventId": "C7061BAE", "EventType": "Reboot", "Resources": ["fw-6"]}]})";

std::map<std::string, std::string> replies(const std::string& compute = http_reply(kCompute),
                                           const std::string& events = http_reply(kEvents)) {
  return {{kComputePath, compute}, {kEventsPath, events}};
}

std::string error_of(const std::map<std::string, std::string>& all) {
  const HttpServer server(all);
  const auto metadata = ask_metadata_service(server.address());
  if (metadata) return metadata->events ? "" : metadata->events.error().message;
  const auto prefix = "the metadata service at " + server.address() + ": ";
  EXPECT_THAT(metadata.error().message, testing::StartsWith(prefix));
  return metadata.error().message.substr(prefix.size());
}

TEST(MetadataService, ReportsSizeTagAndEventsOfThisVm) {
  HttpServer server(replies());
  const auto metadata = ask_metadata_service(server.address());
  ASSERT_TRUE(metadata) << metadata.error().message;
  EXPECT_EQ(metadata->size, "Standard_D4s_v5");
  EXPECT_TRUE(metadata->has_legacy_tag) << "Azure ignores the case of tags";
  ASSERT_TRUE(metadata->events) << metadata->events.error().message;
  ASSERT_EQ(metadata->events->size(), 2U) << "others are about another VM";
  EXPECT_EQ(metadata->events->at(0).type, "Redeploy");
  EXPECT_EQ(metadata->events->at(0).not_before, "Mon, 19 Sep 2016 18:29:47 GMT");
  EXPECT_EQ(metadata->events->at(1).not_before, "") << "it has begun";
  server.stop();
  EXPECT_THAT(server.requests(),
              HasSubstr("GET /metadata/instance/compute?api-version=2021-02-01&format=json HTTP"));
  EXPECT_THAT(server.requests(), HasSubstr("GET /metadata/scheduledevents?api-version=2020-07-01"));
  EXPECT_THAT(server.requests(), HasSubstr("\r\nMetadata: true\r\n"));
}

TEST(MetadataService, IsAskedWithoutAProxy) {
  const HttpServer server(replies());
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) {
    setenv(name, "http://127.0.0.1:1", 1);
  }
  const auto metadata = ask_metadata_service(server.address());
  for (const char* name : {"http_proxy", "all_proxy", "ALL_PROXY"}) unsetenv(name);
  EXPECT_TRUE(metadata) << metadata.error().message;
}

TEST(MetadataService, MayHangInEachRequest) {
  EXPECT_EQ(error_of({}), "no complete reply within 1 s");
  EXPECT_EQ(error_of({{kComputePath, http_reply(kCompute)}}), "no complete reply within 1 s");
}

TEST(MetadataService, MaySendGarbage) {
  EXPECT_THAT(error_of(replies("garbage\r\n\r\n")), Not(testing::IsEmpty()));
  EXPECT_THAT(error_of(replies("")), Not(testing::IsEmpty())) << "closed without a reply";
  EXPECT_THAT(error_of(replies("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")),
              Not(testing::IsEmpty()))
      << "closed too early";
  for (const auto* text : {"", "garbage", "[]", "7", "\"a\"", "{\"vmSize\": \"Standard"}) {
    EXPECT_EQ(error_of(replies(http_reply(text))), "the reply is not a JSON object") << text;
  }
  EXPECT_EQ(error_of(replies(http_reply("{}"))), "'vmSize' is not a string");
  EXPECT_EQ(error_of(replies(http_reply(R"({"vmSize": "a\u001b[31m"})"))),
            "'vmSize' has an invalid value");
  EXPECT_EQ(error_of(replies(http_reply(R"({"vmSize": "D4", "tagsList": [7]})"))),
            "'tagsList[0]' is not an object");
  EXPECT_THAT(error_of(replies(http_reply(kCompute), http_reply("{}"))), HasSubstr("'Events'"));
}

TEST(MetadataService, MaySendTooMuch) {
  const std::string large((256U << 10U) + 1, ' ');
  EXPECT_EQ(error_of(replies(http_reply(large))), "the reply exceeds 256 KiB");
  EXPECT_EQ(error_of(replies("HTTP/1.1 200 OK\r\n\r\n" + large)), "the reply exceeds 256 KiB");
}

TEST(MetadataService, MayRefuse) {
  EXPECT_EQ(error_of(replies(http_reply("{}", "404 Not Found"))), "the status is 404");
  HttpServer other(replies());
  const auto redirection = "HTTP/1.1 302 Found\r\nLocation: http://" + other.address() +
                           kComputePath + "\r\nContent-Length: 0\r\n\r\n";
  EXPECT_EQ(error_of(replies(redirection)), "the status is 302");
  other.stop();
  EXPECT_EQ(other.requests(), "");
  EXPECT_THAT(ask_metadata_service(other.address()).error().message, HasSubstr("connect"));
}

TEST(MetadataService, NeedsLibcurl) {
  const auto metadata =
      ask_metadata_service("127.0.0.1:1", {"libcurl-missing.so", "libmissing.so"});
  ASSERT_FALSE(metadata);
  EXPECT_EQ(metadata.error().code, Errc::not_found);
  EXPECT_THAT(metadata.error().message, HasSubstr("--imds needs libcurl: cannot load"));
  EXPECT_THAT(ask_metadata_service("127.0.0.1:1", {"libc.so.6"}).error().message,
              HasSubstr("does not export 'curl_easy_init'"));
}

TEST(MetadataAddress, IsAnIpv4AddressWithAnOptionalPort) {
  for (const auto* text : {"169.254.169.254", "127.0.0.1:1", "127.0.0.1:65535"}) {
    EXPECT_EQ(parse_metadata_address(text).value_or(""), text);
  }
  for (const auto* text : {"",
                           "localhost",
                           "127.0.0.1:",
                           "127.0.0.1:0",
                           "127.0.0.1:65536",
                           "::1",
                           "127.0.0.1/x",
                           "127.0.0.1:80/x",
                           "a@127.0.0.1",
                           "127.1",
                           "1.2.3.4:-1"}) {
    EXPECT_FALSE(parse_metadata_address(text)) << text;
  }
}

TEST(RecordedMetadata, IsWhatWasAskedWithoutOtherMembers) {
  const HttpServer server(replies());
  const auto asked = ask_metadata_service(server.address());
  const auto text = metadata_json(asked);
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  EXPECT_THAT(text, Not(HasSubstr("fw-")));
  EXPECT_THAT(text, Not(HasSubstr("C7061")));
  os::MemoryFiles files;
  EXPECT_FALSE(recorded_metadata(files).has_value());
  files.add_file(kMetadataFile, text);
  const auto recorded = recorded_metadata(files);
  ASSERT_TRUE(recorded && *recorded);
  EXPECT_EQ(metadata_json(*recorded), text);
}

TEST(RecordedMetadata, KeepsErrors) {
  const auto recorded_of = [](const std::string& text) {
    os::MemoryFiles files;
    files.add_file(kMetadataFile, text);
    return *recorded_metadata(files);
  };
  EXPECT_EQ(recorded_of(metadata_json(fail(Errc::timeout, "no reply"))).error().message,
            "no reply");
  InstanceMetadata metadata{"Standard_D4s_v5", false, fail(Errc::timeout, "no reply")};
  EXPECT_EQ(recorded_of(metadata_json(metadata))->events.error().message, "no reply");
  for (const auto* text :
       {"", "[]", "{}", R"({"size": "a", "legacy_tag": 1})", R"({"error": 1})"}) {
    EXPECT_THAT(recorded_of(text).error().message, HasSubstr("manactl/metadata.json")) << text;
  }
}

}  // namespace
}  // namespace manactl::host::metadata_test
