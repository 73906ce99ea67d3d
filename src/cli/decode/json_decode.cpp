// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/decode/field_view.h"
#include "cli/decode/render_decode.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using wire::CodeSpace;
using Json = nlohmann::ordered_json;

// Some JSON readers lose digits of 64-bit numbers, so the value is also given as hexadecimal text.
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
    const auto [meaning, action] = wire::advice_for(view.space, view.values.front());
    json["explanation"] = {{"meaning", meaning}, {"action", action}};
  }
  return json;
}

Json json_of(const wire::Section& section, bool explain) {
  Json json;
  json["title"] = section.title;
  json["at"] = section.at;
  json["bytes"] = hex_text(section.bytes);
  json["fields"] = Json::array();
  for (const auto& view : field_views(section)) json["fields"].push_back(json_of(view, explain));
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

// The text of a value inside a document. Strings in JSON have no raw line ends.
std::string indented(const Json& json, std::size_t columns) {
  std::string out;
  for (const char c : json.dump(2)) {
    out += c;
    if (c == '\n') out.append(columns, ' ');
  }
  return out;
}

Json document_for(std::string_view schema) {
  Json json;
  json["schema"] = schema;
  json["manactl"] = version();
  return json;
}

}  // namespace

// Writes one record at a time: the tree of a whole dump would need a thousand times its size.
void print_json(Screen& screen, const DecodeResult& result, Exit exit) {
  auto& out = screen.stream();
  auto head = document_for("manactl.decode/2");
  head["exit"] = static_cast<int>(exit);
  head["kind"] = result.kind;
  const auto text = head.dump(2);
  out << text.substr(0, text.size() - 2) << ",\n  \"dumps\": [";  // without the final "\n}"
  for (const auto& dump : result.dumps) {
    out << (&dump == result.dumps.data() ? "\n    [" : ",\n    [");
    for (const auto& dissection : dump) {
      out << (&dissection == dump.data() ? "\n      " : ",\n      ")
          << indented(json_of(dissection, result.explain), 6);
    }
    out << (dump.empty() ? "]" : "\n    ]");
  }
  out << (result.dumps.empty() ? "]" : "\n  ]")
      << ",\n  \"notes\": " << indented(strings(result.notes), 2) << "\n}\n";
}

void print_kinds_json(Screen& screen) {
  auto document = document_for("manactl.kinds/1");
  document["kinds"] = Json::array();
  for (const auto& kind : wire::kinds()) {
    document["kinds"].push_back({{"name", kind.name}, {"summary", kind.summary}});
  }
  screen.stream() << document.dump(2) << '\n';
}

}  // namespace manactl::cli
