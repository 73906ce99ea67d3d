// SPDX-License-Identifier: MIT

#include "base/json_fields.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace manactl {
namespace {

using Json = nlohmann::ordered_json;  // keys() returns document order

// Builds the tree of a document: charges its memory, and limits its depth and the members of its
// objects. Each callback returns false to stop.
class TreeBuilder {
 public:
  TreeBuilder(Json& root, Budget& budget) : root_(root), budget_(budget) {}

  const std::string& error() const { return error_; }

  bool null() { return add(nullptr) != nullptr; }

  bool boolean(bool value) { return add(value) != nullptr; }

  bool number_integer(Json::number_integer_t value) { return add(value) != nullptr; }

  bool number_unsigned(Json::number_unsigned_t value) { return add(value) != nullptr; }

  bool number_float(Json::number_float_t value, const std::string& /*text*/) {
    return add(value) != nullptr;
  }

  bool string(std::string& value) {
    const auto heap = sizeof(value) + kHeap + value.size();
    return add(std::move(value), heap) != nullptr;
  }

  bool binary(const Json::binary_t& /*value*/) { return false; }

  bool start_object(std::size_t /*size*/) { return open(Json::object()); }

  bool start_array(std::size_t /*size*/) { return open(Json::array()); }

  bool end_object() { return close(); }

  bool end_array() { return close(); }

  bool key(std::string& name) {
    if (++open_.back().members > JsonDocument::kMaxMembers) {
      return refuse(fmt::format("an object has more than {} members", JsonDocument::kMaxMembers));
    }
    key_ = std::move(name);
    return charge(kCopies * sizeof(key_) + kHeap + key_.size());
  }

  // Text that is not JSON has no error here: is_json() is enough.
  static bool parse_error(std::size_t /*at*/,
                          const std::string& /*token*/,
                          const Json::exception&) {
    return false;
  }

 private:
  // An object or array that has not ended. Its address is stable, because its siblings follow
  // later.
  struct Open {
    Json* json;
    std::size_t members = 0;
  };

  static constexpr std::size_t kHeap = 32;   // the smallest block of malloc(3)
  static constexpr std::size_t kCopies = 3;  // a growing vector holds its elements up to 3 times

  bool refuse(std::string error) {
    error_ = std::move(error);
    return false;
  }

  bool charge(std::size_t bytes) {
    const auto charged = budget_.charge(bytes);
    return charged || refuse(charged.error().message);
  }

  // Returns the value in the tree; null to stop.
  Json* add(Json value, std::size_t heap = 0) {
    if (!charge(kCopies * sizeof(Json) + heap)) return nullptr;
    auto& place = open_.empty()                   ? root_
                  : open_.back().json->is_array() ? open_.back().json->emplace_back()
                                                  : (*open_.back().json)[key_];
    place = std::move(value);
    return &place;
  }

  bool open(Json value) {
    if (open_.size() == JsonDocument::kMaxDepth) {
      return refuse(fmt::format("it is nested deeper than {} levels", JsonDocument::kMaxDepth));
    }
    auto* json = add(std::move(value), sizeof(Json::array_t) + kHeap);
    if (json != nullptr) open_.push_back({json});
    return json != nullptr;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  Json& root_;
  Budget& budget_;
  std::vector<Open> open_;
  std::string key_;  // of the next value
  std::string error_;
};

const Json& value_at(const void* object, const char* key) {
  static const Json null;
  const auto& json = *static_cast<const Json*>(object);
  if (!json.is_object()) return null;
  const auto found = json.find(key);
  return found == json.end() ? null : *found;
}

const Json& list_at(const JsonFields& fields, const void* object, const char* key) {
  static const Json empty = Json::array();
  const auto& value = value_at(object, key);
  if (value.is_array()) return value;
  fields.refuse(key, "is not an array");
  return empty;
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

// The memory of a copied string in a container.
std::size_t memory_of(const Json& text) {
  constexpr std::size_t kNode = 64;
  return kNode + sizeof(std::string) + text.get_ref<const std::string&>().size();
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

bool JsonFields::is_null(const char* key) const {
  const auto& json = *static_cast<const Json*>(json_);
  return json.is_object() && json.contains(key) && !has(key);
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

std::vector<std::pair<std::string, std::uint64_t>> JsonFields::all_numbers() const {
  std::vector<std::pair<std::string, std::uint64_t>> found;
  const auto& json = *static_cast<const Json*>(json_);
  if (!json.is_object()) return found;
  for (const auto& [name, value] : json.get_ref<const Json::object_t&>()) {
    found.emplace_back(name, number_in(*this, value, name.c_str()));
  }
  return found;
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
    if (!element.is_string() || !charge(memory_of(element))) break;
    found.push_back(element.get_ref<const std::string&>());
  }
  return found;
}

std::vector<std::uint64_t> JsonFields::numbers(const char* key, std::uint64_t max) const {
  return numbers_in(*this, list_at(*this, json_, key), key, max);
}

std::vector<std::vector<std::uint64_t>> JsonFields::lists(const char* key) const {
  std::vector<std::vector<std::uint64_t>> found;
  for (const auto& element : list_at(*this, json_, key)) {
    if (!charge(sizeof(found) + element.size() * sizeof(found[0][0]))) break;
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
    if (!element.is_string() || !charge(name.size() + memory_of(element))) break;
    found.emplace(name, element.get_ref<const std::string&>());
  }
  return found;
}

JsonFields JsonFields::object(const char* key) const {
  const auto& value = value_at(json_, key);
  if (!value.is_object()) refuse(key, "is not an object");
  return {&value, *state_, path_of(key)};
}

std::vector<JsonFields> JsonFields::objects(const char* key) const {
  std::vector<JsonFields> found;
  for (const auto& element : list_at(*this, json_, key)) {
    const auto name = fmt::format("{}[{}]", key, found.size());
    if (!element.is_object()) refuse(name.c_str(), "is not an object");
    if (!charge(2 * sizeof(JsonFields) + path_.size() + name.size())) break;
    found.push_back(JsonFields(&element, *state_, path_of(name)));
  }
  return found;
}

void JsonFields::refuse(const char* key, const std::string& why) const {
  auto& error = state_->error;
  if (!error.empty()) return;
  error = fmt::format("'{}' {}", printable(key), why);
  if (!path_.empty()) error += fmt::format(" (in {})", printable(path_));
}

bool JsonFields::charge(std::size_t bytes) const {
  auto& error = state_->error;
  if (!error.empty()) return false;
  const auto charged = state_->budget.charge(bytes);
  if (!charged) error = charged.error().message;
  return error.empty();
}

std::string JsonFields::path_of(const std::string& member) const {
  return path_.empty() ? member : fmt::format("{}.{}", path_, member);
}

struct JsonDocument::Tree {
  Json json;
};

JsonDocument::JsonDocument(std::string_view text, Budget* budget)
    : state_{{}, budget == nullptr ? own_budget_ : *budget}, tree_(std::make_unique<Tree>()) {
  TreeBuilder builder(tree_->json, state_.budget);
  const auto charged = state_.budget.charge(text.size());
  if (charged && Json::sax_parse(text, &builder)) return;
  tree_->json = Json(Json::value_t::discarded);
  state_.error = charged ? builder.error() : charged.error().message;
}

JsonDocument::~JsonDocument() = default;

bool JsonDocument::is_json() const {
  return !tree_->json.is_discarded();
}

bool JsonDocument::is_object() const {
  return tree_->json.is_object();
}

JsonFields JsonDocument::root() {
  return {&tree_->json, state_, {}};
}

}  // namespace manactl
