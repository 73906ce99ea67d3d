// SPDX-License-Identifier: MIT

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cli/setup/render_setup.h"

namespace manactl::cli {
namespace {

using setup::PrepareOutcome;
using setup::SettingState;
using setup::TunedNic;
using setup::TunedSetting;

class TuneWriter {
 public:
  TuneWriter(Screen& screen, const TuneOutput& result, int verbosity)
      : screen_(screen), result_(result), verbosity_(verbosity) {}

  void write(const TunedNic& nic) {
    if (!nic.left_alone.empty()) {
      write_line("", fmt::format("{} is left alone: {}", shown(nic.name), nic.left_alone));
      return;
    }
    if (!nic.objections.empty()) {
      write_line("",
                 fmt::format("{} is refused without --force-interface {}: {}",
                             shown(nic.name),
                             shell_word(nic.name),
                             join(nic.objections, ", ")));
    }
    const auto outcome = nic.result.outcome;
    if (outcome == PrepareOutcome::rolled_back || outcome == PrepareOutcome::roll_back_failed) {
      return print_failure(screen_.stream(), "could not be tuned", nic.result);
    }
    const bool is_unchanged = outcome == PrepareOutcome::already_prepared;
    if (result_.is_dry_run && !is_unchanged) {
      write_line("", fmt::format("{} would be tuned{}:", shown(nic.name), profile()));
    }
    for (const auto& setting : nic.settings) write_setting(setting);
    write_unsupported(nic);
    if (is_unchanged && nic.objections.empty()) {
      write_line("", fmt::format("{} needs no change{}", shown(nic.name), profile()));
    } else if (!is_unchanged && !result_.is_dry_run) {
      write_line("", fmt::format("{} is tuned{}", shown(nic.name), profile()));
    }
  }

  void write_next() {
    auto& out = screen_.stream();
    const auto is_tuned = [](const TunedNic& nic) {
      return nic.left_alone.empty() && nic.result.outcome == PrepareOutcome::done;
    };
    std::vector<std::string> names;
    for (const auto& nic : result_.nics) {
      if (is_tuned(nic)) names.push_back(shell_word(nic.name));
    }
    const bool awaits = result_.confirm_within.has_value();
    for (const auto& path : result_.persistent) {
      out << (awaits               ? "'manactl confirm' will write: "
              : result_.is_dry_run ? "Would write: "
                                   : "Written: ")
          << printable(path) << '\n';
    }
    if (names.empty()) return;
    if (awaits) {
      out << fmt::format("The changes {} be rolled back {} {:.0f} s unless you run:\n",
                         result_.is_dry_run ? "would" : "will",
                         result_.is_dry_run ? "after" : "in",
                         *result_.confirm_within);
      for (const auto& name : names) out << "  manactl confirm " << name << '\n';
    }
    out << "Undo it with:\n";
    for (const auto& name : names) out << "  manactl restore " << name << '\n';
    if (result_.is_dry_run) {
      out << (verbosity_ == 0 ? "Nothing was changed; -v shows each write and each source.\n"
                              : "Nothing was changed.\n");
    }
  }

 private:
  static std::string shown(const std::string& name) { return printable(name); }

  std::string profile() const {
    if (!result_.profile) return {};
    return fmt::format(" (profile {})", word_of(host::kProfileWords, *result_.profile));
  }

  void write_line(std::string_view label, const std::string& text, Color color = Color::none) {
    write_indented(screen_, label, text, color);
  }

  void write_setting(const TunedSetting& setting) {
    const bool is_changed = setting.state == SettingState::change;
    const bool is_shown = is_changed ||
                          (verbosity_ > 0 && setting.state != SettingState::unsupported) ||
                          setting.state == SettingState::refused;
    if (!is_shown) return;
    const auto& tunable = *setting.tunable;
    const auto* label = setting.state == SettingState::refused ? "  refused   "
                        : !is_changed                          ? "  unchanged "
                        : result_.is_dry_run                   ? "  would     "
                                                               : "  done      ";
    auto text =
        fmt::format("{} of {}: {}", tunable.name, shown(setting.interface), printable(setting.now));
    if (setting.state != SettingState::holds) text += " -> " + printable(setting.wanted);
    write_line(label, text);
    const bool is_explained = verbosity_ > 0 || (result_.is_dry_run && add_reason(tunable.why));
    if (!is_explained) return;
    constexpr std::string_view kMargin = "            ";
    write_line(kMargin,
               fmt::format("{}{}",
                           tunable.why,
                           tunable.interrupts ? "; the change loses packets for a moment" : ""),
               Color::dim);
    if (verbosity_ > 0) write_line(kMargin, std::string(tunable.source), Color::dim);
  }

  // Returns whether no earlier line has this reason.
  bool add_reason(std::string_view why) { return reasons_.insert(why).second; }

  void write_unsupported(const TunedNic& nic) {
    std::vector<std::string> names;
    for (const auto& setting : nic.settings) {
      if (setting.state != SettingState::unsupported) continue;
      const auto since = setting.tunable->since;
      names.push_back(since.empty() ? std::string(setting.tunable->name)
                                    : fmt::format("{} (Linux {})", setting.tunable->name, since));
    }
    if (!names.empty() && (result_.is_dry_run || verbosity_ > 0)) {
      write_line("  not supported by this kernel: ", join(names, ", "));
    }
  }

  Screen& screen_;
  const TuneOutput& result_;
  int verbosity_;
  std::set<std::string_view> reasons_;
};

}  // namespace

void print_text(Screen& screen, const TuneOutput& result, int verbosity) {
  TuneWriter writer(screen, result, verbosity);
  for (const auto& nic : result.nics) writer.write(nic);
  if (result.is_dry_run && verbosity > 0) {
    for (const auto& command : result.commands) {
      screen.stream() << "              " << printable(command, 1000) << '\n';
    }
  }
  writer.write_next();
}

}  // namespace manactl::cli
