// SPDX-License-Identifier: MIT

#include "diag/signature.h"

#include <fmt/format.h>

#include "base/enum_words.h"
#include "base/json_fields.h"

namespace manactl::diag {
namespace {

constexpr EnumWords<Role, 4> kRoles = {{
    {Role::cause, "cause"},
    {Role::consequence, "consequence"},
    {Role::benign, "benign"},
    {Role::note, "note"},
}};

Role read_role(const JsonFields& entry) {
  const auto word = entry.text("role");
  const auto role = value_of(kRoles, word);
  if (!role) entry.refuse("role", fmt::format("cannot be '{}'", word));
  return role.value_or(Role::note);
}

std::vector<std::string> texts_or_none(const JsonFields& entry, const char* key) {
  return entry.has(key) ? entry.texts(key) : std::vector<std::string>();
}

Captures benign_captures(const JsonFields& entry) {
  Captures captures;
  if (!entry.has("benign_when")) return captures;
  for (const auto& row : entry.objects("benign_when")) {
    for (auto& value : row.texts("values")) {
      captures.emplace_back(row.text("capture"), std::move(value));
    }
  }
  return captures;
}

void read_releases(const JsonFields& entry, Signature& signature) {
  signature.since = entry.text_or_empty("since");
  signature.until = entry.text_or_empty("until");
  signature.fixed_in = texts_or_none(entry, "fixed_in");
  if (!entry.has("dpdk")) return;
  const auto printed = entry.object("dpdk");
  signature.printed_from = printed.text_or_empty("from");
  signature.removed_in = texts_or_none(printed, "removed_in");
}

Signature read_signature(const JsonFields& entry) {
  Signature signature;
  signature.id = entry.text("id");
  signature.title = entry.text("title");
  signature.source = entry.text("source");
  signature.role = read_role(entry);
  entry.number_into(signature.rank, "rank");
  signature.match = entry.text("match");
  signature.examples = entry.texts("examples");
  signature.meaning = entry.text("meaning");
  signature.cause = entry.text("cause");
  signature.fix = entry.text("fix");
  signature.confirm = entry.text_or_empty("confirm");
  signature.commands = texts_or_none(entry, "commands");
  read_releases(entry, signature);
  signature.explained_by = texts_or_none(entry, "explained_by");
  signature.benign_without = texts_or_none(entry, "benign_without");
  signature.resolved_by = texts_or_none(entry, "resolved_by");
  signature.benign_when = benign_captures(entry);
  signature.checks = texts_or_none(entry, "checks");
  signature.observation = entry.text_or_empty("observation");
  signature.passing_contradicts =
      entry.has("passing_contradicts") && entry.flag("passing_contradicts");
  return signature;
}

}  // namespace

Result<std::vector<Signature>> parse_signatures(std::string_view json) {
  JsonDocument document(json);
  if (!document.is_json()) return fail(Errc::invalid, "cannot read the signatures: not JSON");
  std::vector<Signature> signatures;
  const auto entries = document.root().objects("signatures");
  if (!document.error().empty()) {
    return fail(Errc::invalid, "cannot read the signatures: " + document.error());
  }
  for (const auto& entry : entries) {
    signatures.push_back(read_signature(entry));
    if (document.error().empty()) continue;
    return fail(Errc::invalid,
                fmt::format("signature '{}': {}", signatures.back().id, document.error()));
  }
  return signatures;
}

}  // namespace manactl::diag
