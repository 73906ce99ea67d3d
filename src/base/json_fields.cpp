// SPDX-License-Identifier: MIT

#include "base/json_fields.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace manactl {
namespace {

using Json = nlohmann::ordered_json;  // keys() returns document order

// Checks a document before it is parsed: charges the memory of its tree, and limits its depth and
// the members of its objects. Each callback returns false to stop.
class TreeMeter {
 public:
  explicit TreeMeter(Budget& budget) : budget_(budget) {}

  const std::string& error() const { return error_; }

  bool null() { return add(0); }

  bool boolean(bool /*value*/) { return add(0); }

  bool number_integer(Json::number_integer_t /*value*/) { return add(0); }

  bool number_unsigned(Json::number_unsigned_t /*value*/) { return add(0); }

  bool number_float(Json::number_float_t /*value*/, const std::string& /*text*/) { return add(0); }

  bool string(const std::string& value) { return add(sizeof(value) + kHeap + value.size()); }

  bool binary(const Json::binary_t& /*value*/) { return false; }

  bool start_object(std::size_t /*size*/) { return start(); }

  bool start_array(std::size_t /*size*/) { return start(); }

  bool end_object() { return end(); }

  bool end_array() { return end(); }

  bool key(const std::string& name) {
    if (++members_.back() > JsonDocument::kMaxMembers) {
      return refuse(fmt::format("an object has more than {} members", JsonDocument::kMaxMembers));
    }
    return charge(kCopies * sizeof(name) + kHeap + name.size());
  }

  // Text that is not JSON has no error here: is_json() is enough.
  static bool parse_error(std::size_t /*at*/,
                          const std::string& /*token*/,
                          const Json::exception&) {
    return false;
  }

 private:
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

  bool add(std::size_t heap) { return charge(kCopies * sizeof(Json) + heap); }

  bool start() {
    members_.push_back(0);
    if (members_.size() > JsonDocument::kMaxDepth) {
      return refuse(fmt::format("it is nested deeper than {} levels", JsonDocument::kMaxDepth));
    }
    return add(sizeof(Json::array_t) + kHeap);
  }

  bool end() {
    members_.pop_back();
    return true;
  }

  Budget& budget_;
  std::vector<std::size_t> members_;  // of each open object or array
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
  TreeMeter meter(state_.budget);
  const auto charged = state_.budget.charge(text.size());
  if (charged && Json::sax_parse(text, &meter)) {
    tree_->json = Json::parse(text, nullptr, false);
  } else {
    tree_->json = Json(Json::value_t::discarded);
    state_.error = charged ? meter.error() : charged.error().message;
  }
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
