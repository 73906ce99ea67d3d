// SPDX-License-Identifier: MIT

#include "cli/render_decode.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/decode_view.h"

namespace manactl::cli {
namespace {

constexpr unsigned kNameColumn = 28;
constexpr std::size_t kBytesInLine = 16;

std::string number_text(std::uint64_t value) {
  constexpr std::uint64_t kDecimalAlone = 10;
  constexpr std::uint64_t kHexAlone = 1ULL << 32U;  // handles and addresses
  if (value < kDecimalAlone) return fmt::format("{}", value);
  if (value >= kHexAlone) return fmt::format("{:#x}", value);
  return fmt::format("{} ({:#x})", value, value);
}

bool is_zero(const FieldView& view) {
  return std::ranges::all_of(view.values, [](std::uint64_t value) { return value == 0; });
}

class Text {
 public:
  Text(Screen& screen, const DecodeAnswer& answer, int verbosity)
      : screen_(screen), answer_(answer), verbosity_(verbosity) {}

  void run();

 private:
  void dump(const std::vector<wire::Dissection>& dissections);
  void one(const wire::Dissection& dissection);
  void section(const wire::Section& section);
  void fields(const wire::Section& section);
  std::size_t zero_group(const std::vector<FieldView>& views, std::size_t from);
  void field(const FieldView& view);
  void array(const FieldView& view);
  void row(const std::string& name, const std::string& value, const std::string& meaning);
  void bytes(wire::Bytes bytes);
  void advice(const FieldView& view);

  Screen& screen_;
  const DecodeAnswer& answer_;
  int verbosity_;
};

void Text::run() {
  auto& out = screen_.stream();
  for (std::size_t i = 0; i < answer_.dumps.size(); ++i) {
    if (answer_.dumps.size() > 1) out << (i == 0 ? "" : "\n") << "Dump " << i + 1 << '\n';
    dump(answer_.dumps[i]);
  }
  for (const auto& note : answer_.notes) {
    out << screen_.paint(Colour::dim, wrap("Note: " + note, screen_.width(), 0)) << '\n';
  }
}

void Text::dump(const std::vector<wire::Dissection>& dissections) {
  auto& out = screen_.stream();
  for (std::size_t i = 0; i < dissections.size(); ++i) {
    std::size_t last = i;
    while (dissections[i].is_empty && last + 1 < dissections.size() &&
           dissections[last + 1].is_empty) {
      ++last;
    }
    const auto& dissection = dissections[i];
    if (dissections.size() > 1 || dissection.is_empty) {
      const auto end = dissections[last].at + dissections[last].size - 1;
      const auto number = last == i ? fmt::format("{}", i) : fmt::format("{}-{}", i, last);
      out << fmt::format("{} {}, bytes {}-{}{}\n",
                         answer_.kind,
                         number,
                         dissection.at,
                         end,
                         dissection.is_empty ? ": empty" : "");
    }
    if (!dissection.is_empty) one(dissection);
    i = last;
  }
}

void Text::one(const wire::Dissection& dissection) {
  for (const auto& part : dissection.sections) section(part);
  for (const auto& problem : problems_of(dissection)) {
    screen_.stream() << screen_.paint(Colour::red, "! " + describe(problem)) << '\n';
  }
}

void Text::section(const wire::Section& section) {
  auto& out = screen_.stream();
  if (!section.bytes.empty()) {
    const auto place =
        fmt::format("  bytes {}-{}", section.at, section.at + section.bytes.size() - 1);
    out << screen_.paint(Colour::bold, section.title) << screen_.paint(Colour::dim, place) << '\n';
  }
  if (!section.fields.empty()) {
    fields(section);
  } else if (!section.list.empty()) {
    for (std::size_t i = 0; i < section.list.size(); ++i) {
      row(fmt::format("[{}]", i), fmt::format("{:#x}", section.list[i]), {});
    }
  } else {
    bytes(section.bytes);
  }
}

void Text::fields(const wire::Section& section) {
  const auto views = view_of(section);
  for (std::size_t i = 0; i < views.size(); ++i) {
    const auto after = zero_group(views, i);
    if (after > i) {
      i = after - 1;
      continue;
    }
    const auto& view = views[i];
    if (view.is_reserved && is_zero(view) && verbosity_ == 0) continue;
    view.is_array ? array(view) : field(view);
    if (answer_.explain) advice(view);
  }
}

// One line for those at the end of a group that are not in use: "packet[1]" to "packet[3]".
// Answers what comes after them, or `from`.
std::size_t Text::zero_group(const std::vector<FieldView>& views, std::size_t from) {
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
  row(first == last ? first : fmt::format("{} to {}", first, last), "0", "all zero");
  return after;
}

void Text::field(const FieldView& view) {
  // Codes are hexadecimal in headers and in logs.
  const bool is_code = view.field == "code" || view.space == CodeSpace::status ||
                       view.space == CodeSpace::vendor_error;
  const auto value = view.values.front();
  row(view.name, is_code ? fmt::format("{:#x}", value) : number_text(value), view.meaning);
}

void Text::array(const FieldView& view) {
  constexpr unsigned kByte = 8;
  if (is_zero(view)) return row(view.name, "0", "all zero");
  if (!view.meaning.empty()) return row(view.name, view.meaning, {});
  if (view.width == kByte) {
    std::vector<std::uint8_t> octets(view.values.size());
    std::ranges::transform(view.values, octets.begin(), [](std::uint64_t value) {
      return static_cast<std::uint8_t>(value);
    });
    return row(view.name, hex_text(octets), {});
  }
  for (std::size_t i = 0; i < view.values.size(); ++i) {
    row(fmt::format("{}[{}]", view.name, i), number_text(view.values[i]), {});
  }
}

void Text::row(const std::string& name, const std::string& value, const std::string& meaning) {
  constexpr std::size_t kValueColumn = 22;
  auto& out = screen_.stream();
  out << fmt::format("  {:<{}}", name, kNameColumn - 2);
  if (meaning.empty()) {
    out << value << '\n';
  } else {
    out << fmt::format("{:<{}} {}\n", value, kValueColumn, meaning);
  }
}

void Text::bytes(wire::Bytes bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += kBytesInLine) {
    const auto line = bytes.subspan(at, std::min(kBytesInLine, bytes.size() - at));
    row(fmt::format("+{:#x}", at), hex_text(line), {});
  }
}

void Text::advice(const FieldView& view) {
  if (view.space == CodeSpace::none) return;
  const auto [meaning, action] = advice_for(view.space, view.values.front());
  auto& out = screen_.stream();
  constexpr unsigned kIndent = 6;
  out << wrap(fmt::format("Means: {}", meaning), screen_.width(), kIndent) << '\n';
  if (!action.empty()) {
    out << wrap(fmt::format("To do: {}", action), screen_.width(), kIndent) << '\n';
  }
}

}  // namespace

std::vector<wire::Refusal> problems_of(const wire::Dissection& dissection) {
  auto problems = dissection.refusals;
  std::erase_if(problems,
                [](const wire::Refusal& refusal) { return refusal.rule == wire::Rule::member; });
  return problems;
}

void text(Screen& screen, const DecodeAnswer& answer, int verbosity) {
  Text(screen, answer, verbosity).run();
}

void kinds_text(Screen& screen) {
  for (const auto& kind : wire::kinds()) {
    screen.stream() << fmt::format("{:<{}}{}\n", kind.name, kNameColumn - 4, kind.summary);
  }
}

}  // namespace manactl::cli
