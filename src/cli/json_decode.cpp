// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/decode_view.h"
#include "cli/json_text.h"
#include "cli/render_decode.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;

// Numbers of 64 bits lose digits in some readers, so the hexadecimal text stands beside them.
Json json_of(const FieldView& view, bool explain) {
  Json json;
  json["name"] = view.name;
  json["bit"] = view.bit;
  json["bits"] = view.width;
  if (view.is_array) {
    json["values"] = view.values;
  } else {
    json["value"] = view.values.front();
    json["hex"] = fmt::format("{:#x}", view.values.front());
  }
  if (view.is_reserved) json["reserved"] = true;
  if (!view.meaning.empty()) json["meaning"] = safe(view.meaning);
  if (!view.is_known) json["known"] = false;
  if (explain && view.space != CodeSpace::none) {
    const auto [meaning, action] = advice_for(view.space, view.values.front());
    json["explanation"] = {{"means", meaning}, {"action", action}};
  }
  return json;
}

Json json_of(const wire::Section& section, bool explain) {
  Json json;
  json["title"] = section.title;
  json["at"] = section.at;
  json["bytes"] = hex_text(section.bytes);
  json["fields"] = Json::array();
  for (const auto& view : view_of(section)) json["fields"].push_back(json_of(view, explain));
  if (!section.list.empty()) {
    json["list"] = Json::array();
    for (const auto number : section.list) json["list"].push_back(fmt::format("{:#x}", number));
  }
  return json;
}

Json json_of(const wire::Dissection& dissection, bool explain) {
  Json json;
  json["at"] = dissection.at;
  json["size"] = dissection.size;
  json["empty"] = dissection.is_empty;
  json["sections"] = Json::array();
  for (const auto& section : dissection.sections) {
    json["sections"].push_back(json_of(section, explain));
  }
  json["problems"] = Json::array();
  for (const auto& problem : problems_of(dissection)) {
    json["problems"].push_back({{"record", problem.record},
                                {"field", problem.field},
                                {"value", problem.value},
                                {"message", describe(problem)}});
  }
  return json;
}

Json start(std::string_view schema) {
  Json json;
  json["schema"] = schema;
  json["manactl"] = version();
  return json;
}

}  // namespace

void json(Screen& screen, const DecodeAnswer& answer) {
  auto document = start("manactl.decode/1");
  document["exit"] = static_cast<int>(answer.exit);
  document["kind"] = answer.kind;
  document["dumps"] = Json::array();
  for (const auto& dump : answer.dumps) {
    auto items = Json::array();
    for (const auto& dissection : dump) items.push_back(json_of(dissection, answer.explain));
    document["dumps"].push_back(std::move(items));
  }
  document["notes"] = strings(answer.notes);
  screen.stream() << document.dump(2) << '\n';
}

void kinds_json(Screen& screen) {
  auto document = start("manactl.kinds/1");
  document["kinds"] = Json::array();
  for (const auto& kind : wire::kinds()) {
    document["kinds"].push_back({{"name", kind.name}, {"summary", kind.summary}});
  }
  screen.stream() << document.dump(2) << '\n';
}

}  // namespace manactl::cli
