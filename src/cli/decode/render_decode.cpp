// SPDX-License-Identifier: MIT

#include "cli/decode/render_decode.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/decode/field_view.h"

namespace manactl::cli {
namespace {

using wire::CodeSpace;

constexpr unsigned kNameColumn = 28;
constexpr std::size_t kBytesInLine = 16;

std::string number_text(std::uint64_t value) {
  constexpr std::uint64_t kMaxDecimalOnly = 10;
  constexpr std::uint64_t kMinHexOnly = 1ULL << 32U;  // probably a handle or an address
  if (value < kMaxDecimalOnly) return fmt::format("{}", value);
  if (value >= kMinHexOnly) return fmt::format("{:#x}", value);
  return fmt::format("{} ({:#x})", value, value);
}

bool is_zero(const FieldView& view) {
  return std::ranges::all_of(view.values, [](std::uint64_t value) { return value == 0; });
}

// "type 3 (transmit error), vendor_error 0x21": the fields that are not zero, up to six of them.
std::string summary_of(const wire::Dissection& dissection) {
  constexpr std::size_t kMaxFields = 6;
  std::vector<std::string> parts;
  for (const auto& section : dissection.sections) {
    for (const auto& view : field_views(section)) {
      if (is_zero(view) || view.is_reserved) continue;
      const bool is_number = view.meaning.empty() && !view.is_array;
      auto value = is_number ? number_text(view.values.front()) : view.meaning;
      if (!view.is_known) value = fmt::format("{:#x} ({})", view.values.front(), view.meaning);
      parts.push_back(value.empty() ? view.name : fmt::format("{} {}", view.name, value));
    }
  }
  const auto more = parts.size() - std::min(parts.size(), kMaxFields);
  parts.resize(parts.size() - more);
  if (more > 0) parts.push_back(fmt::format("and {} more (-v)", more));
  return join(parts, ", ");
}

class DecodeWriter {
 public:
  DecodeWriter(Screen& screen, const DecodeResult& result, int verbosity)
      : screen_(screen), result_(result), verbosity_(verbosity) {}

  void run();

 private:
  void write_dump(const std::vector<wire::Dissection>& dissections);
  void write_dissection(const wire::Dissection& dissection);
  void write_problems(const wire::Dissection& dissection);
  void write_section(const wire::Section& section);
  void write_fields(const wire::Section& section);
  std::size_t write_unused_groups(const std::vector<FieldView>& views, std::size_t from);
  void write_field(const FieldView& view);
  void write_array(const FieldView& view);
  void write_row(const std::string& name, const std::string& value, const std::string& meaning);
  void write_bytes(wire::Bytes bytes);
  void write_advice(const FieldView& view);

  Screen& screen_;
  const DecodeResult& result_;
  int verbosity_;
};

void DecodeWriter::run() {
  auto& out = screen_.stream();
  for (std::size_t i = 0; i < result_.dumps.size(); ++i) {
    if (result_.dumps.size() > 1) out << (i == 0 ? "" : "\n") << "Dump " << i + 1 << '\n';
    write_dump(result_.dumps[i]);
  }
  for (const auto& note : result_.notes) {
    out << screen_.paint(Color::dim, wrap("Note: " + note, screen_.width(), 0)) << '\n';
  }
}

void DecodeWriter::write_dump(const std::vector<wire::Dissection>& dissections) {
  auto& out = screen_.stream();
  for (std::size_t i = 0; i < dissections.size(); ++i) {
    std::size_t last = i;
    while (dissections[i].is_empty && last + 1 < dissections.size() &&
           dissections[last + 1].is_empty) {
      ++last;
    }
    const auto& dissection = dissections[i];
    const bool is_brief = dissections.size() > 1 && verbosity_ == 0 && !result_.explain;
    if (dissections.size() > 1 || dissection.is_empty) {
      const auto end = dissections[last].at + dissections[last].size - 1;
      const auto number = last == i ? fmt::format("{}", i) : fmt::format("{}-{}", i, last);
      auto line = fmt::format("{} {}, bytes {}-{}", result_.kind, number, dissection.at, end);
      if (dissection.is_empty || is_brief) line += ": ";
      if (dissection.is_empty) line += "empty";
      if (!dissection.is_empty && is_brief) line += summary_of(dissection);
      out << line << '\n';
    }
    if (is_brief) {
      write_problems(dissection);
    } else if (!dissection.is_empty) {
      write_dissection(dissection);
    }
    i = last;
  }
}

void DecodeWriter::write_dissection(const wire::Dissection& dissection) {
  for (const auto& part : dissection.sections) write_section(part);
  write_problems(dissection);
}

void DecodeWriter::write_problems(const wire::Dissection& dissection) {
  for (const auto& problem : problems_of(dissection)) {
    screen_.stream() << screen_.paint(Color::red, "! " + describe(problem)) << '\n';
  }
}

void DecodeWriter::write_section(const wire::Section& section) {
  auto& out = screen_.stream();
  if (!section.bytes.empty()) {
    const auto place =
        fmt::format("  bytes {}-{}", section.at, section.at + section.bytes.size() - 1);
    out << screen_.paint(Color::bold, section.title) << screen_.paint(Color::dim, place) << '\n';
  }
  if (!section.fields.empty()) {
    write_fields(section);
  } else if (!section.list.empty()) {
    for (std::size_t i = 0; i < section.list.size(); ++i) {
      write_row(fmt::format("[{}]", i), fmt::format("{:#x}", section.list[i]), {});
    }
  } else {
    write_bytes(section.bytes);
  }
}

void DecodeWriter::write_fields(const wire::Section& section) {
  const auto views = field_views(section);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto after = write_unused_groups(views, i);
    if (after > i) {
      i = after - 1;
      continue;
    }
    const auto& view = views[i];
    if (view.is_reserved && is_zero(view) && verbosity_ == 0) continue;
    view.is_array ? write_array(view) : write_field(view);
    if (result_.explain) write_advice(view);
  }
}

// Writes one line for consecutive all-zero elements of a group, "packet[1] to packet[3]". Returns
// the index after them, or `from` if there are none.
std::size_t DecodeWriter::write_unused_groups(const std::vector<FieldView>& views,
                                              std::size_t from) {
  const auto bracket = views[from].name.find('[');
  const bool starts = bracket != std::string::npos &&
                      (from == 0 || views[from - 1].name.substr(0, views[from].name.find('.')) !=
                                        views[from].name.substr(0, views[from].name.find('.')));
  if (!starts || verbosity_ > 0) return from;
  const auto group = views[from].name.substr(0, bracket + 1);
  std::size_t after = from;
  while (after < views.size() && views[after].name.starts_with(group)) ++after;
  if (!std::all_of(views.begin() + static_cast<std::ptrdiff_t>(from),
                   views.begin() + static_cast<std::ptrdiff_t>(after),
                   is_zero)) {
    return from;
  }
  const auto first = views[from].name.substr(0, views[from].name.find('.'));
  const auto last = views[after - 1].name.substr(0, views[after - 1].name.find('.'));
  write_row(first == last ? first : fmt::format("{} to {}", first, last), "0", "all zero");
  return after;
}

void DecodeWriter::write_field(const FieldView& view) {
  // Codes are hexadecimal in kernel headers and logs.
  const bool is_code = view.field == "code" || view.space == CodeSpace::status ||
                       view.space == CodeSpace::vendor_error;
  const auto value = view.values.front();
  write_row(view.name, is_code ? fmt::format("{:#x}", value) : number_text(value), view.meaning);
}

void DecodeWriter::write_array(const FieldView& view) {
  constexpr unsigned kByte = 8;
  if (is_zero(view)) return write_row(view.name, "0", "all zero");
  if (!view.meaning.empty()) return write_row(view.name, view.meaning, {});
  if (view.width == kByte) {
    std::vector<std::uint8_t> octets(view.values.size());
    std::ranges::transform(view.values, octets.begin(), [](std::uint64_t value) {
      return static_cast<std::uint8_t>(value);
    });
    return write_row(view.name, hex_text(octets), {});
  }
  for (std::size_t i = 0; i < view.values.size(); ++i) {
    write_row(fmt::format("{}[{}]", view.name, i), number_text(view.values[i]), {});
  }
}

void DecodeWriter::write_row(const std::string& name,
                             const std::string& value,
                             const std::string& meaning) {
  constexpr std::size_t kValueColumn = 22;
  auto& out = screen_.stream();
  out << fmt::format("  {:<{}}", name, kNameColumn - 2);
  if (meaning.empty()) {
    out << value << '\n';
  } else {
    out << fmt::format("{:<{}} {}\n", value, kValueColumn, meaning);
  }
}

void DecodeWriter::write_bytes(wire::Bytes bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kBytesInLine) {
    const auto line = bytes.subspan(at, std::min(kBytesInLine, bytes.size() - at));
    write_row(fmt::format("+{:#x}", at), hex_text(line), {});
  }
}

void DecodeWriter::write_advice(const FieldView& view) {
  if (view.space == CodeSpace::none) return;
  const auto [meaning, action] = wire::advice_for(view.space, view.values.front());
  auto& out = screen_.stream();
  constexpr unsigned kIndent = 6;
  out << wrap(fmt::format("Meaning: {}", meaning), screen_.width(), kIndent) << '\n';
  if (!action.empty()) {
    out << wrap(fmt::format("Action: {}", action), screen_.width(), kIndent) << '\n';
  }
}

}  // namespace

std::vector<wire::Refusal> problems_of(const wire::Dissection& dissection) {
  const auto& all = dissection.refusals;
  // An unknown value of a type also breaks the rules for the types of a record.
  const auto is_unknown_value = [&all](const wire::Refusal& refusal) {
    return std::ranges::any_of(all, [&refusal](const wire::Refusal& other) {
      return other.rule == wire::Rule::member && other.field == refusal.field &&
             other.record == refusal.record;
    });
  };
  auto problems = all;
  std::erase_if(problems, is_unknown_value);
  return problems;
}

void print_text(Screen& screen, const DecodeResult& result, int verbosity) {
  DecodeWriter(screen, result, verbosity).run();
}

void print_kinds_text(Screen& screen) {
  for (const auto& kind : wire::kinds()) {
    screen.stream() << fmt::format("{:<{}}{}\n", kind.name, kNameColumn - 4, kind.summary);
  }
}

}  // namespace manactl::cli
