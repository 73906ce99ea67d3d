// SPDX-License-Identifier: MIT
//
// A JSON document from outside, read field by field. The first thing that is wrong is kept, and
// from then on everything reads as nothing: who reads looks once, at the end.

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace manactl {

// One object of a document.
class JsonFields {
 public:
  bool has(const char* key) const;  // and it is not null

  std::uint64_t number(const char* key, std::uint64_t most = UINT64_MAX) const;
  double real(const char* key) const;  // finite, not negative
  bool flag(const char* key) const;
  std::string text(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  std::vector<std::uint64_t> numbers(const char* key) const;
  std::vector<std::vector<std::uint64_t>> lists(const char* key) const;
  std::vector<double> reals(const char* key) const;
  JsonFields object(const char* key) const;
  std::vector<JsonFields> objects(const char* key) const;

  // Those that may be null or missing.
  std::string text_or_none(const char* key) const { return has(key) ? text(key) : std::string(); }

  std::uint64_t number_or_none(const char* key) const { return has(key) ? number(key) : 0; }

  std::optional<double> real_or_none(const char* key) const {
    return has(key) ? std::optional(real(key)) : std::nullopt;
  }

  template <class T>
  void number_into(T& target, const char* key) const {
    target = static_cast<T>(number(key, std::numeric_limits<T>::max()));
  }

  // What `parse` makes of a text.
  template <class T, class Parse>
  void parse_into(T& target, const char* key, Parse parse) const {
    if (auto value = parse(text(key))) {
      target = std::move(*value);
    } else {
      refuse(key, "cannot be read");
    }
  }

  void refuse(const char* key, const std::string& why) const;

 private:
  friend class JsonDocument;

  // The library's name stays in the source.
  JsonFields(const void* json, std::string& wrong) : json_(json), wrong_(&wrong) {}

  const void* json_;
  std::string* wrong_;
};

class JsonDocument {
 public:
  explicit JsonDocument(std::string_view text);
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  ~JsonDocument();

  bool is_json() const;

  JsonFields root();

  const std::string& wrong() const { return wrong_; }  // "'queues' is no text", or empty

 private:
  struct Tree;

  std::unique_ptr<Tree> tree_;
  std::string wrong_;
};

}  // namespace manactl
