// SPDX-License-Identifier: MIT

#include "cli/decode/field_view.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "wire/completion.h"
#include "wire/mana_messages.h"
#include "wire/port_messages.h"
#include "wire/registers.h"

namespace manactl::cli {
namespace {

using wire::CodeSpace;
using wire::RowKind;

std::string full_name(const wire::Field& field) {
  if (field.group.empty()) return std::string(field.name);
  if (field.group_index < 0) return fmt::format("{}.{}", field.group, field.name);
  return fmt::format("{}[{}].{}", field.group, field.group_index, field.name);
}

std::string hash_types(std::uint64_t bits) {
  std::vector<std::string> names;
  for (const auto& type : wire::kHashTypes) {
    if ((bits & static_cast<std::uint64_t>(type.value)) != 0) names.emplace_back(type.word);
  }
  return join(names, ", ");
}

std::string_view os_name(std::uint64_t type) {
  switch (type) {
    case 0x10:
      return "Linux";
    case 0x20:
      return "Windows";
    case 0x30:
      return "other";
    default:
      return {};
  }
}

std::string mac_text(const std::vector<std::uint64_t>& bytes) {
  std::vector<std::string> parts;
  parts.reserve(bytes.size());
  for (const auto byte : bytes) parts.push_back(fmt::format("{:02x}", byte));
  return join(parts, ":");
}

// Returns the zero-padded strings in `bytes`, each in quotes: 'a', 'b'.
std::string quoted_strings(const std::vector<std::uint64_t>& bytes) {
  std::vector<std::string> texts;
  std::string text;
  for (const auto byte : bytes) {
    if (byte != 0) {
      text += static_cast<char>(byte);
    } else if (!text.empty()) {
      texts.push_back(fmt::format("'{}'", printable(text)));
      text.clear();
    }
  }
  if (!text.empty()) texts.push_back(fmt::format("'{}'", printable(text)));
  return join(texts, ", ");
}

// Sets the meaning to `name`, the name of the code, or to `unknown` if the code has no name.
void name_code(FieldView& view, std::string_view name, std::string_view unknown) {
  view.is_known = !name.empty();
  view.meaning = view.is_known ? name : unknown;
}

void explain_value(FieldView& view) {
  const auto value = view.values.front();
  if (view.field == "code") {
    return name_code(view, wire::name_of_number<wire::Command>(value), "unknown command");
  }
  if (view.space == CodeSpace::status) {
    return name_code(view, wire::status_name(value), "unknown, device-specific");
  }
  if (view.space == CodeSpace::vendor_error && value != 0) {
    return name_code(view, wire::name_of_number<wire::VendorError>(value), "unknown vendor error");
  }
  if (view.space == CodeSpace::shared_memory) view.meaning = value == 0 ? "success" : "failure";
  if (view.field == "hash_type" || view.field == "rss_hash_types") view.meaning = hash_types(value);
  if (view.field == "rx_enable" || view.field == "rss_enable") {
    return name_code(view, wire::name_of_number<wire::TriState>(value), "unknown");
  }
  if (view.field == "os_type") return name_code(view, os_name(value), "unknown OS");
  if (view.field.ends_with("_frame") && view.width > 32) {
    view.meaning = fmt::format("address {:#x}", value << wire::kPageShift);
  }
}

void explain_array(FieldView& view) {
  if (view.field == "mac") view.meaning = mac_text(view.values);
  if (view.field == "os_text") view.meaning = quoted_strings(view.values);
}

FieldView view_without_values(const wire::Field& field, std::string_view title) {
  FieldView view;
  view.name = full_name(field);
  view.field = field.name;
  view.bit = field.bit;
  view.width = field.width;
  view.is_array = field.index >= 0;
  view.is_reserved = field.kind == RowKind::reserved;
  view.space = view.is_reserved ? CodeSpace::none : wire::code_space(title, field.name);
  return view;
}

}  // namespace

std::vector<FieldView> field_views(const wire::Section& section) {
  std::vector<FieldView> views;
  // Names of the fields in `views` that are split: their bits lie in several parts of the record.
  std::vector<std::string_view> split_fields;
  for (const auto& field : section.fields) {
    if (field.kind == RowKind::part) {
      if (std::ranges::find(split_fields, field.name) != split_fields.end()) continue;
      split_fields.push_back(field.name);
    }
    if (field.index > 0) {
      views.back().values.push_back(field.value);
      continue;
    }
    auto view = view_without_values(field, section.title);
    view.values.push_back(field.value);
    if (field.kind == RowKind::member) name_code(view, field.value_name, "unknown");
    views.push_back(std::move(view));
  }
  for (auto& view : views) {
    if (view.is_reserved) continue;
    view.is_array ? explain_array(view) : explain_value(view);
  }
  return views;
}

bool has_unknown_code(const wire::Dissection& dissection) {
  return std::ranges::any_of(dissection.sections, [](const wire::Section& section) {
    return std::ranges::any_of(field_views(section), [](const FieldView& view) {
      // Devices may use any status or vendor error.
      return !view.is_known && view.space != CodeSpace::status &&
             view.space != CodeSpace::vendor_error;
    });
  });
}

std::string hex_text(wire::Bytes bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const auto byte : bytes) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 0xfU];
  }
  return text;
}

}  // namespace manactl::cli
