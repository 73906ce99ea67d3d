// SPDX-License-Identifier: MIT

#include "host/scrub_json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace manactl::host {
namespace {

using Json = nlohmann::ordered_json;

// Members with words of manactl or the kernel, which are in no other file of the bundle.
constexpr std::string_view kKeptMembers[] = {"code",
                                             "operstate",
                                             "kind",
                                             "type",
                                             "presence",
                                             "node_type",
                                             "state",
                                             "mode",
                                             "machine",
                                             "driver",
                                             "schema",
                                             "severity",
                                             "id",
                                             "answer",
                                             "status",
                                             "group",
                                             "level",
                                             "category",
                                             "confidence"};

constexpr std::string_view kReplies = "manactl/";

bool is_kept(const std::string& key) {
  return std::find(std::begin(kKeptMembers), std::end(kKeptMembers), key) != std::end(kKeptMembers);
}

Json parsed(std::string_view text) {
  return Json::parse(text, nullptr, false);
}

// Removes the word before each "...", if it has a digit or a colon.
std::string without_cut_words(const std::string& text) {
  constexpr std::string_view kCut = "...";
  std::string kept;
  std::size_t from = 0;
  for (auto at = text.find(kCut); at != std::string::npos; at = text.find(kCut, at + kCut.size())) {
    std::size_t begin = at;
    bool suspect = false;
    while (begin > from &&
           (is_alphanumeric(text[begin - 1]) || text[begin - 1] == ':' || text[begin - 1] == '.' ||
            text[begin - 1] == '-' || text[begin - 1] == '_')) {
      --begin;
      suspect = suspect || is_digit(text[begin]) || text[begin] == ':';
    }
    kept += text.substr(from, (suspect ? begin : at) - from);
    kept += kCut;
    from = at + kCut.size();
  }
  return kept + text.substr(from);
}

class Walker {
 public:
  Walker(Scrubber& scrubber, bool is_report) : scrubber_(scrubber), is_report_(is_report) {}

  // The documents are written by manactl, so that they are not deep.
  Json scrubbed(const Json& value) {  // NOLINT(misc-no-recursion)
    if (value.is_string()) return text(value.get_ref<const std::string&>());
    if (value.is_array()) {
      Json result = Json::array();
      for (const auto& element : value) result.push_back(scrubbed(element));
      return result;
    }
    if (!value.is_object()) return value;
    Json result = Json::object();
    for (const auto& [key, member] : value.items()) {
      const auto name = scrubbed_key(key);
      const bool kept = is_kept(key) && member.is_string();
      result[name] =
          kept ? Json(scrubber_.scrubbed(member.get_ref<const std::string&>())) : scrubbed(member);
    }
    return result;
  }

 private:
  // Paths of files are scrubbed as those of the tree, in which manactl searches for them.
  std::string scrubbed_key(const std::string& key) {
    const auto path = std::string_view(key).substr(key.starts_with('/') ? 1 : 0);
    if (path.find('/') == std::string_view::npos) return scrubber_.scrubbed(key);
    return scrubber_.scrubbed_path(key);
  }

  std::string text(const std::string& value) {
    const auto result = scrubber_.scrubbed_prose(value);
    return is_report_ ? without_cut_words(result) : result;
  }

  Scrubber& scrubber_;
  bool is_report_;
};

}  // namespace

bool is_reply(std::string_view path) {
  return path.starts_with(kReplies) && path.ends_with(".json") && !path.ends_with("/report.json");
}

void keep_words_of_json(std::string_view text, NameReplacer& names) {
  const auto document = parsed(text);
  if (!document.is_object()) return;
  for (const auto& [member, value] : document.items()) {
    const bool by_name = member == "interfaces" && value.is_object();  // ethtool.json
    if (by_name) {
      for (const auto& one : value.items()) names.keep(one.key());
    }
    const bool module = value.is_object() && value.contains("presence");  // modules.json
    if (module) names.keep(member);
    if (!value.is_array()) continue;
    for (const auto& element : value) {  // links.json, rdma.json
      if (element.is_object() && element.contains("name") && element["name"].is_string())
        names.keep(element["name"].get_ref<const std::string&>());
    }
  }
}

std::string scrubbed_json(std::string_view text, Scrubber& scrubber) {
  const auto document = parsed(text);
  if (document.is_discarded()) return scrubber.scrubbed_prose(text);
  return Walker(scrubber, false)
             .scrubbed(document)
             .dump(1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

std::string scrubbed_report(std::string_view text, Scrubber& scrubber) {
  const auto document = parsed(text);
  if (document.is_discarded()) return without_cut_words(scrubber.scrubbed_prose(text));
  return Walker(scrubber, true)
             .scrubbed(document)
             .dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace manactl::host
