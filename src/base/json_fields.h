// SPDX-License-Identifier: MIT
//
// Reads a JSON document from an untrusted source field by field. The first missing or wrong field
// sets the document's error; reading continues with default values, so that the caller checks
// error() once, after the last field. Lists end at the first error.

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/budget.h"

namespace manactl {

// One object of a JsonDocument. The document must outlive it.
class JsonFields {
 public:
  bool has(const char* key) const;      // present and not null
  bool is_null(const char* key) const;  // present and null
  bool is_object(const char* key) const;
  bool is_text(const char* key) const;

  // The names of the members, in the order of the document.
  std::vector<std::string> keys() const;

  // The members, all of which must be numbers, in the order of the document.
  std::vector<std::pair<std::string, std::uint64_t>> all_numbers() const;

  // Required fields. If one is missing or wrong, sets the error and returns 0, false or empty.
  std::uint64_t number(const char* key, std::uint64_t max = UINT64_MAX) const;
  double real(const char* key) const;  // finite and not negative
  bool flag(const char* key) const;
  std::string text(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  std::vector<std::uint64_t> numbers(const char* key, std::uint64_t max = UINT64_MAX) const;
  std::vector<std::vector<std::uint64_t>> lists(const char* key) const;
  std::vector<double> reals(const char* key) const;
  std::map<std::string, std::string, std::less<>> text_map(const char* key) const;
  JsonFields object(const char* key) const;
  std::vector<JsonFields> objects(const char* key) const;

  // Optional fields: null or missing is not an error.
  std::string text_or_empty(const char* key) const { return has(key) ? text(key) : std::string(); }

  bool flag_or_false(const char* key) const { return has(key) && flag(key); }

  std::uint64_t number_or_zero(const char* key) const { return has(key) ? number(key) : 0; }

  std::optional<double> real_or_none(const char* key) const {
    return has(key) ? std::optional(real(key)) : std::nullopt;
  }

  // Reads a number that must fit into T.
  template <class T>
  void number_into(T& target, const char* key) const {
    target = static_cast<T>(number(key, std::numeric_limits<T>::max()));
  }

  // Assigns parse(text(key)). Sets the error if parse() returns an empty optional or an Error.
  template <class T, class Parse>
  void parse_into(T& target, const char* key, Parse parse) const {
    if (auto value = parse(text(key))) {
      target = std::move(*value);
    } else {
      refuse(key, "has an invalid value");
    }
  }

  // Sets the error to "'<key>' <why> (in <object>)" unless an error is already set.
  void refuse(const char* key, const std::string& why) const;

  // Charges memory that the caller is about to allocate. If it exceeds the budget, sets the error.
  // Returns false if an error is set.
  bool charge(std::size_t bytes) const;

 private:
  friend class JsonDocument;

  struct State {
    std::string error;
    Budget& budget;
  };

  // `json` is untyped, so that this header does not need nlohmann/json.hpp.
  JsonFields(const void* json, State& state, std::string path)
      : json_(json), state_(&state), path_(std::move(path)) {}

  std::string path_of(const std::string& member) const;

  const void* json_;
  State* state_;
  std::string path_;  // "plan", "links[2]"; empty for the root
};

class JsonDocument {
 public:
  static constexpr std::size_t kMaxDepth = 64;
  static constexpr std::size_t kMaxMembers = 4096;  // of one object, which is searched linearly

  // Text that exceeds a limit above or the budget is not parsed: is_json() is false, and error()
  // names the limit. Without a budget, the document has one that is enough for text of one MiB.
  explicit JsonDocument(std::string_view text, Budget* budget = nullptr);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  ~JsonDocument();

  bool is_json() const;
  bool is_object() const;  // false if the text is not JSON

  JsonFields root();

  // "'name' is not a string"; empty if none
  const std::string& error() const { return state_.error; }

 private:
  struct Tree;

  Budget own_budget_{"the JSON document", std::size_t{64} << 20U};
  JsonFields::State state_;
  std::unique_ptr<Tree> tree_;
};

}  // namespace manactl
