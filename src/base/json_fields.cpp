// SPDX-License-Identifier: MIT

#include "base/json_fields.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace manactl {
namespace {

using Json = nlohmann::ordered_json;  // keys() returns document order

const Json& value_at(const void* object, const char* key) {
  static const Json kNull;
  const auto& json = *static_cast<const Json*>(object);
  if (!json.is_object()) return kNull;
  const auto found = json.find(key);
  return found == json.end() ? kNull : *found;
}

const Json& list_at(const JsonFields& fields, const void* object, const char* key) {
  static const Json kEmpty = Json::array();
  const auto& value = value_at(object, key);
  if (value.is_array()) return value;
  fields.refuse(key, "is not an array");
  return kEmpty;
}

// Checks the type before the conversion: nlohmann converts even -1 and 1.5 to unsigned numbers.
std::uint64_t number_in(const JsonFields& fields,
                        const Json& value,
                        const char* key,
                        std::uint64_t max = UINT64_MAX) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= max) {
    return value.get<std::uint64_t>();
  }
  fields.refuse(key, fmt::format("is not a whole number from 0 to {}", max));
  return 0;
}

std::vector<std::uint64_t> numbers_in(const JsonFields& fields,
                                      const Json& array,
                                      const char* key,
                                      std::uint64_t max = UINT64_MAX) {
  std::vector<std::uint64_t> found;
  if (!array.is_array()) fields.refuse(key, "has an element that is not an array");
  for (const auto& element : array) found.push_back(number_in(fields, element, key, max));
  return found;
}

double real_in(const JsonFields& fields, const Json& value, const char* key) {
  const double number = value.is_number() ? value.get<double>() : -1;
  if (number >= 0 && std::isfinite(number)) return number;
  fields.refuse(key, "is not a number of at least 0");
  return 0;
}

}  // namespace

bool JsonFields::has(const char* key) const {
  return !value_at(json_, key).is_null();
}

bool JsonFields::is_object(const char* key) const {
  return value_at(json_, key).is_object();
}

bool JsonFields::is_text(const char* key) const {
  return value_at(json_, key).is_string();
}

std::vector<std::string> JsonFields::keys() const {
  std::vector<std::string> names;
  const auto& json = *static_cast<const Json*>(json_);
  if (!json.is_object()) return names;
  for (const auto& member : json.get_ref<const Json::object_t&>()) names.push_back(member.first);
  return names;
}

std::uint64_t JsonFields::number(const char* key, std::uint64_t max) const {
  return number_in(*this, value_at(json_, key), key, max);
}

double JsonFields::real(const char* key) const {
  return real_in(*this, value_at(json_, key), key);
}

bool JsonFields::flag(const char* key) const {
  const auto& value = value_at(json_, key);
  if (!value.is_boolean()) refuse(key, "is neither true nor false");
  return value.is_boolean() && value.get<bool>();
}

std::string JsonFields::text(const char* key) const {
  const auto& value = value_at(json_, key);
  if (value.is_string()) return value.get_ref<const std::string&>();
  refuse(key, "is not a string");
  return {};
}

std::vector<std::string> JsonFields::texts(const char* key) const {
  std::vector<std::string> found;
  for (const auto& element : list_at(*this, json_, key)) {
    if (!element.is_string()) refuse(key, "has an element that is not a string");
    if (element.is_string()) found.push_back(element.get_ref<const std::string&>());
  }
  return found;
}

std::vector<std::uint64_t> JsonFields::numbers(const char* key, std::uint64_t max) const {
  return numbers_in(*this, list_at(*this, json_, key), key, max);
}

std::vector<std::vector<std::uint64_t>> JsonFields::lists(const char* key) const {
  std::vector<std::vector<std::uint64_t>> found;
  for (const auto& element : list_at(*this, json_, key)) {
    found.push_back(numbers_in(*this, element, key));
  }
  return found;
}

std::vector<double> JsonFields::reals(const char* key) const {
  std::vector<double> found;
  for (const auto& element : list_at(*this, json_, key)) {
    found.push_back(real_in(*this, element, key));
  }
  return found;
}

std::map<std::string, std::string, std::less<>> JsonFields::text_map(const char* key) const {
  std::map<std::string, std::string, std::less<>> found;
  const auto& value = value_at(json_, key);
  if (!value.is_object()) refuse(key, "is not an object");
  for (const auto& [name, element] : value.items()) {
    if (!element.is_string()) refuse(key, "has a value that is not a string");
    if (element.is_string()) found.emplace(name, element.get_ref<const std::string&>());
  }
  return found;
}

JsonFields JsonFields::object(const char* key) const {
  const auto& value = value_at(json_, key);
  if (!value.is_object()) refuse(key, "is not an object");
  return {&value, *error_, path_of(key)};
}

std::vector<JsonFields> JsonFields::objects(const char* key) const {
  std::vector<JsonFields> found;
  for (const auto& element : list_at(*this, json_, key)) {
    const auto name = fmt::format("{}[{}]", key, found.size());
    if (!element.is_object()) refuse(name.c_str(), "is not an object");
    found.push_back(JsonFields(&element, *error_, path_of(name)));
  }
  return found;
}

void JsonFields::refuse(const char* key, const std::string& why) const {
  if (!error_->empty()) return;
  *error_ = fmt::format("'{}' {}", printable(key, 60), why);
  if (!path_.empty()) *error_ += fmt::format(" (in {})", printable(path_, 100));
}

std::string JsonFields::path_of(const std::string& member) const {
  return path_.empty() ? member : fmt::format("{}.{}", path_, member);
}

struct JsonDocument::Tree {
  Json json;
};

JsonDocument::JsonDocument(std::string_view text)
    : tree_(std::make_unique<Tree>(Tree{Json::parse(text, nullptr, false)})) {}

JsonDocument::~JsonDocument() = default;

bool JsonDocument::is_json() const {
  return !tree_->json.is_discarded();
}

bool JsonDocument::is_object() const {
  return tree_->json.is_object();
}

JsonFields JsonDocument::root() {
  return {&tree_->json, error_, {}};
}

}  // namespace manactl
