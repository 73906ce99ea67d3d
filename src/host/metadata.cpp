// SPDX-License-Identifier: MIT

#include "host/metadata.h"

#include <arpa/inet.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/characters.h"
#include "base/json_fields.h"
#include "base/text.h"

namespace manactl::host {
namespace {

using Json = nlohmann::ordered_json;

// The name of the tag; Azure ignores the case of tag names.
constexpr std::string_view kLegacyTag = "LegacyVMNVA";
constexpr std::size_t kMaxWord = 64;  // characters of a size, a type and a time

// Letters, digits and a few others: "Standard_D4s_v5", "Mon, 19 Sep 2016 18:29:47 GMT".
std::optional<std::string> parse_plain(std::string text) {
  constexpr std::string_view kOthers = "_-, :+.";
  const bool is_plain = text.size() <= kMaxWord && std::ranges::all_of(text, [&](char c) {
                          return is_alphanumeric(c) || kOthers.find(c) != std::string_view::npos;
                        });
  return is_plain ? std::optional(std::move(text)) : std::nullopt;
}

std::string plain_text(const JsonFields& fields, const char* key) {
  std::string value;
  fields.parse_into(value, key, parse_plain);
  return value;
}

bool is_same_name(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

struct Compute {
  std::string name;  // of this VM in the scheduled events
  InstanceMetadata metadata;
};

Compute parse_compute(const JsonFields& fields) {
  Compute compute{fields.text_or_empty("name"), {}};
  compute.metadata.size = plain_text(fields, "vmSize");
  if (!fields.has("tagsList")) return compute;
  for (const auto& tag : fields.objects("tagsList")) {
    if (is_same_name(tag.text("name"), kLegacyTag)) compute.metadata.has_legacy_tag = true;
  }
  return compute;
}

// The events of this VM. The service also lists those of other VMs of an availability set.
std::vector<ScheduledEvent> parse_events(const JsonFields& fields, const std::string& name) {
  std::vector<ScheduledEvent> events;
  for (const auto& event : fields.objects("Events")) {
    const auto resources = event.texts("Resources");
    const bool is_here = std::ranges::any_of(
        resources, [&](const std::string& resource) { return is_same_name(resource, name); });
    if (!is_here) continue;
    events.push_back({plain_text(event, "EventType"), {}});
    if (event.has("NotBefore")) events.back().not_before = plain_text(event, "NotBefore");
  }
  return events;
}

// Gets a document and returns parse(root).
template <class Parse>
auto ask(const std::string& address,
         const char* path,
         const std::vector<std::string>& libraries,
         Parse parse) -> Result<decltype(parse(std::declval<const JsonFields&>()))> {
  const auto url = fmt::format("http://{}/metadata/{}", address, path);
  const auto reply = http_get({url, "Metadata: true"}, libraries);
  if (!reply) return tl::unexpected<Error>(reply.error());
  JsonDocument document(*reply);
  if (!document.is_object()) return fail(Errc::invalid, "the reply is not a JSON object");
  auto parsed = parse(document.root());
  if (!document.error().empty()) return fail(Errc::invalid, document.error());
  return parsed;
}

Json json_of_events(const Result<std::vector<ScheduledEvent>>& events) {
  if (!events) return {{"error", events.error().message}};
  Json list = Json::array();
  for (const auto& event : *events) {
    list.push_back({{"type", event.type}, {"not_before", event.not_before}});
  }
  return {{"list", std::move(list)}};
}

Error recorded_error(const JsonFields& fields) {
  return {Errc::io, 0, fields.text("error")};
}

Result<InstanceMetadata> parse_recorded(const JsonFields& fields) {
  if (fields.has("error")) return tl::unexpected<Error>(recorded_error(fields));
  InstanceMetadata metadata{plain_text(fields, "size"), fields.flag("legacy_tag"), {}};
  const auto events = fields.object("events");
  if (events.has("error")) {
    metadata.events = tl::unexpected<Error>(recorded_error(events));
    return metadata;
  }
  for (const auto& event : events.objects("list")) {
    metadata.events->push_back({plain_text(event, "type"), plain_text(event, "not_before")});
  }
  return metadata;
}

}  // namespace

Result<std::string> parse_metadata_address(std::string_view text) {
  constexpr std::uint64_t kMaxPort = 65535;
  const auto colon = text.find(':');
  const std::string host(text.substr(0, colon));
  in_addr address{};
  const bool has_port = colon != std::string_view::npos;
  const bool is_port =
      !has_port || parse_unsigned(text.substr(colon + 1), kMaxPort).value_or(0) > 0;
  if (is_port && inet_pton(AF_INET, host.c_str(), &address) == 1) return std::string(text);
  return fail(Errc::invalid,
              fmt::format("'{}' is not an IPv4 address with an optional port", printable(text)));
}

Result<InstanceMetadata> ask_metadata_service(const std::string& address,
                                              const std::vector<std::string>& libraries) {
  auto compute =
      ask(address, "instance/compute?api-version=2021-02-01&format=json", libraries, parse_compute);
  if (!compute) {
    return because(compute.error(), fmt::format("the metadata service at {}", address));
  }
  auto events = ask(
      address, "scheduledevents?api-version=2020-07-01", libraries, [&](const JsonFields& fields) {
        return parse_events(fields, compute->name);
      });
  auto metadata = std::move(compute->metadata);
  metadata.events = std::move(events);
  return metadata;
}

std::string metadata_json(const Result<InstanceMetadata>& metadata) {
  const Json json = metadata ? Json{{"size", metadata->size},
                                    {"legacy_tag", metadata->has_legacy_tag},
                                    {"events", json_of_events(metadata->events)}}
                             : Json{{"error", metadata.error().message}};
  return json.dump(2) + '\n';
}

std::optional<Result<InstanceMetadata>> recorded_metadata(const os::Files& files) {
  constexpr std::size_t kMaxFile = 1U << 20U;
  const auto text = files.read(kMetadataFile, kMaxFile);
  if (!text && text.error().code == Errc::not_found) return std::nullopt;
  if (!text) return tl::unexpected<Error>(text.error());
  JsonDocument document(*text);
  if (!document.is_object()) {
    return fail(Errc::invalid, fmt::format("{} is not a JSON object", kMetadataFile));
  }
  auto metadata = parse_recorded(document.root());
  if (document.error().empty()) return metadata;
  return fail(Errc::invalid, fmt::format("{}: {}", kMetadataFile, document.error()));
}

}  // namespace manactl::host
