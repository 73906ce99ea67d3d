// SPDX-License-Identifier: MIT
//
// Writes and reads JSON objects from one description of their fields. The description is a function
// template `fields(io, object, ...)` that names each field once: a FieldWriter puts the fields into
// a JSON tree, a FieldReader assigns them from a document. The parameter Json is always
// nlohmann::ordered_json; it is a parameter so that headers need not include the library.

#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/enum_words.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "report/figures.h"
#include "report/series.h"

namespace manactl::report {

// Accepts T and const T, so that one description can write const objects and read into others.
template <class T, class Plain>
concept MaybeConst = std::same_as<std::remove_const_t<T>, Plain>;

template <class Json>
class FieldWriter {
 public:
  static constexpr bool kReads = false;

  explicit FieldWriter(Json& json) : json_(json) {}

  template <class T>
  void value(const char* key, const T& value) {
    json_[key] = json_of(value);
  }

  // Writes null for empty text and for 0.
  template <class T>
  void nullable(const char* key, const T& value) {
    json_[key] = value == T{} ? Json() : json_of(value);
  }

  // Writes seconds since 1970 as UTC text, and 0 as null.
  void time(const char* key, double seconds) {
    json_[key] = seconds == 0 ? Json() : Json(utc_text(seconds));
  }

  // Writes null for infinity, which JSON does not have.
  void maybe_infinite(const char* key, double value) {
    json_[key] = value == std::numeric_limits<double>::infinity() ? Json() : Json(value);
  }

  template <class E, std::size_t N>
  void word(const char* key, E value, const EnumWords<E, N>& words) {
    json_[key] = word_of(words, value);
  }

  void counter(const Column& column, const datapath::Sample& sample) {
    json_[std::string(column.group)][std::string(column.name)] = json_of(column.of(sample));
  }

  template <class T, class... Args>
  void object(const char* key, const T& object, Args&&... args) {
    write(json_[key], object, args...);
  }

  template <class T, class... Args>
  void object(const char* key, const std::optional<T>& object, Args&&... args) {
    auto& json = json_[key];
    if (object) write(json, *object, args...);
  }

  template <class T, class... Args>
  void list(const char* key, const std::vector<T>& values, Args&&... args) {
    auto& json = json_[key] = Json::array();
    for (const auto& value : values) write(json.emplace_back(), value, args...);
  }

 private:
  template <class T, class... Args>
  static void write(Json& json, const T& object, Args&&... args) {
    FieldWriter inner(json);
    if constexpr (std::invocable<T, FieldWriter&>) {
      object(inner);
    } else {
      fields(inner, object, args...);
    }
  }

  template <class T>
  static Json json_of(const T& value) {
    if constexpr (std::convertible_to<T, std::string_view>) {
      return safe(value);
    } else if constexpr (std::same_as<T, std::vector<std::string>>) {
      return strings(value);
    } else if constexpr (requires { value.has_value(); }) {
      return value ? json_of(*value) : Json();
    } else if constexpr (requires { value.str(); }) {
      return value.str();
    } else {
      return value;
    }
  }

  Json& json_;
};

class FieldReader {
 public:
  static constexpr bool kReads = true;

  explicit FieldReader(JsonFields json) : json_(std::move(json)) {}

  const JsonFields& json() const { return json_; }

  template <class T>
  void value(const char* key, T& value) {
    if constexpr (std::same_as<T, bool>) {
      value = json_.flag(key);
    } else if constexpr (std::integral<T>) {
      json_.number_into(value, key);
    } else if constexpr (std::same_as<T, double>) {
      value = json_.real(key);
    } else if constexpr (std::same_as<T, std::string>) {
      value = json_.text(key);
    } else if constexpr (std::same_as<T, std::vector<std::string>>) {
      value = json_.texts(key);
    } else if constexpr (std::same_as<T, std::vector<double>>) {
      value = json_.reals(key);
    } else if constexpr (requires { value.has_value(); }) {
      if (json_.has(key)) this->value(key, value.emplace());
    } else if (json_.text(key) != T{}.str()) {  // parse() may reject the text of a default value
      json_.parse_into(value, key, T::parse);
    }
  }

  template <class T>
  void nullable(const char* key, T& target) {
    if (json_.has(key)) value(key, target);
  }

  void time(const char* key, double& seconds) {
    if (json_.has(key)) json_.parse_into(seconds, key, utc_seconds);
  }

  void maybe_infinite(const char* key, double& value) {
    value = json_.real_or_none(key).value_or(std::numeric_limits<double>::infinity());
  }

  template <class E, std::size_t N>
  void word(const char* key, E& value, const EnumWords<E, N>& words) {
    const auto known = value_of(words, json_.text(key));
    known ? void(value = *known) : json_.refuse(key, "is unknown");
  }

  void counter(const Column& column, datapath::Sample& sample) {
    const auto group = json_.object(std::string(column.group).c_str());
    const std::string name(column.name);
    const bool is_unknown = column.may_be_unknown && group.is_null(name.c_str());
    column.set(sample, is_unknown ? std::nullopt : std::optional(group.number(name.c_str())));
  }

  template <class T, class... Args>
  void object(const char* key, T&& object, Args&&... args) {
    read(json_.object(key), object, args...);
  }

  template <class T, class... Args>
  void object(const char* key, std::optional<T>& object, Args&&... args) {
    if (json_.has(key)) read(json_.object(key), object.emplace(), args...);
  }

  template <class T, class... Args>
  void list(const char* key, std::vector<T>& values, Args&&... args) {
    values.clear();
    for (const auto& json : json_.objects(key)) {
      if (!json_.charge(2 * sizeof(T))) return;  // a growing vector holds its elements twice
      read(json, values.emplace_back(), args...);
    }
  }

 private:
  template <class T, class... Args>
  static void read(const JsonFields& json, T& object, Args&&... args) {
    FieldReader inner(json);
    if constexpr (std::invocable<T, FieldReader&>) {
      object(inner);
    } else {
      fields(inner, object, args...);
    }
  }

  JsonFields json_;
};

}  // namespace manactl::report
