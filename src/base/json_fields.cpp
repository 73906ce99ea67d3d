// SPDX-License-Identifier: MIT

#include "base/json_fields.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace manactl {
namespace {

using Json = nlohmann::json;

const Json& value_at(const void* object, const char* key) {
  static const Json kNothing;
  const auto& json = *static_cast<const Json*>(object);
  if (!json.is_object()) return kNothing;
  const auto found = json.find(key);
  return found == json.end() ? kNothing : *found;
}

const Json& list_at(const JsonFields& fields, const void* object, const char* key) {
  static const Json kEmpty = Json::array();
  const auto& value = value_at(object, key);
  if (value.is_array()) return value;
  fields.refuse(key, "is no list");
  return kEmpty;
}

// nlohmann's own conversions take -1 and 1.5 for whole numbers.
std::uint64_t number_in(const JsonFields& fields,
                        const Json& value,
                        const char* key,
                        std::uint64_t most = UINT64_MAX) {
  if (value.is_number_unsigned() && value.get<std::uint64_t>() <= most) {
    return value.get<std::uint64_t>();
  }
  fields.refuse(key, fmt::format("is no whole number up to {}", most));
  return 0;
}

std::vector<std::uint64_t> numbers_in(const JsonFields& fields, const Json& array, const char* key) {
  std::vector<std::uint64_t> found;
  if (!array.is_array()) fields.refuse(key, "has something that is no list");
  for (const auto& element : array) found.push_back(number_in(fields, element, key));
  return found;
}

double real_in(const JsonFields& fields, const Json& value, const char* key) {
  const double number = value.is_number() ? value.get<double>() : -1;
  if (number >= 0 && std::isfinite(number)) return number;
  fields.refuse(key, "is no number from 0");
  return 0;
}

}  // namespace

bool JsonFields::has(const char* key) const {
  return !value_at(json_, key).is_null();
}

std::uint64_t JsonFields::number(const char* key, std::uint64_t most) const {
  return number_in(*this, value_at(json_, key), key, most);
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
  refuse(key, "is no text");
  return {};
}

std::vector<std::string> JsonFields::texts(const char* key) const {
  std::vector<std::string> found;
  for (const auto& element : list_at(*this, json_, key)) {
    if (!element.is_string()) refuse(key, "has something that is no text");
    if (element.is_string()) found.push_back(element.get_ref<const std::string&>());
  }
  return found;
}

std::vector<std::uint64_t> JsonFields::numbers(const char* key) const {
  return numbers_in(*this, list_at(*this, json_, key), key);
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

JsonFields JsonFields::object(const char* key) const {
  const auto& value = value_at(json_, key);
  if (!value.is_object()) refuse(key, "is no object");
  return {&value, *wrong_};
}

std::vector<JsonFields> JsonFields::objects(const char* key) const {
  std::vector<JsonFields> found;
  for (const auto& element : list_at(*this, json_, key)) {
    if (!element.is_object()) refuse(key, "has something that is no object");
    found.push_back(JsonFields(&element, *wrong_));
  }
  return found;
}

void JsonFields::refuse(const char* key, const std::string& why) const {
  if (wrong_->empty()) *wrong_ = fmt::format("'{}' {}", key, why);
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

JsonFields JsonDocument::root() {
  return {&tree_->json, wrong_};
}

}  // namespace manactl
