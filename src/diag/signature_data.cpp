// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "diag/signatures.h"

namespace manactl::diag {
namespace {

using Json = nlohmann::json;
using Texts = std::vector<std::string>;

Role role_of(const std::string& word) {
  if (word == "cause") return Role::cause;
  if (word == "consequence") return Role::consequence;
  if (word == "benign") return Role::benign;
  if (word == "note") return Role::note;
  throw std::invalid_argument(fmt::format("unknown role '{}'", word));
}

std::string text_of(const Json& entry, const char* key) {
  return entry.value(key, std::string());
}

Texts texts_of(const Json& entry, const char* key) {
  return entry.value(key, Texts());
}

Captures benign_captures(const Json& entry) {
  Captures captures;
  const auto found = entry.find("benign_when");
  if (found == entry.end()) return captures;
  for (const auto& [name, values] : found->items()) {
    for (const auto& value : values) captures.emplace_back(name, value.get<std::string>());
  }
  return captures;
}

void read_releases(const Json& entry, Signature& signature) {
  signature.since = text_of(entry, "since");
  signature.until = text_of(entry, "until");
  signature.mended_in = texts_of(entry, "mended_in");
  const auto printed = entry.find("dpdk");
  if (printed == entry.end()) return;
  signature.printed_from = text_of(*printed, "from");
  signature.gone_in = texts_of(*printed, "gone_in");
}

Signature signature_of(const Json& entry) {
  Signature signature;
  signature.id = entry.at("id").get<std::string>();
  signature.title = entry.at("title").get<std::string>();
  signature.source = entry.at("source").get<std::string>();
  signature.role = role_of(entry.at("role").get<std::string>());
  signature.rank = entry.at("rank").get<int>();
  signature.match = entry.at("match").get<std::string>();
  signature.examples = entry.at("examples").get<Texts>();
  signature.meaning = entry.at("meaning").get<std::string>();
  signature.cause = entry.at("cause").get<std::string>();
  signature.fix = entry.at("fix").get<std::string>();
  signature.confirm = text_of(entry, "confirm");
  signature.commands = texts_of(entry, "commands");
  read_releases(entry, signature);
  signature.explained_by = texts_of(entry, "explained_by");
  signature.only_with = texts_of(entry, "only_with");
  signature.healed_by = texts_of(entry, "healed_by");
  signature.benign_when = benign_captures(entry);
  signature.checks = texts_of(entry, "checks");
  signature.witness = text_of(entry, "witness");
  signature.passing_contradicts = entry.value("passing_contradicts", false);
  return signature;
}

}  // namespace

Result<std::vector<Signature>> parse_signatures(std::string_view json) {
  try {
    std::vector<Signature> signatures;
    for (const auto& entry : Json::parse(json)) signatures.push_back(signature_of(entry));
    return signatures;
  } catch (const std::exception& error) {  // of nlohmann and of role_of
    return fail(Errc::invalid, fmt::format("the signatures cannot be read: {}", error.what()));
  }
}

}  // namespace manactl::diag
