// SPDX-License-Identifier: MIT

#include <algorithm>

#include "base/text.h"
#include "os/interface_settings.h"
#include "os/setting_commands.h"
#include "setup/steps.h"

namespace manactl::setup {
namespace {

constexpr std::string_view kAnyWord = "*";
constexpr std::string_view kRss = "ethtool/rss";
constexpr std::string_view kChannels = "ethtool/channels";
constexpr std::string_view kRings = "ethtool/rings";

// Lists in the record, each with one element.
constexpr std::string_view kSavedRss = "rss";
constexpr std::string_view kSavedChannels = "channels";

std::string qdisc_key() {
  return fmt::format("{}{}", os::kLinkSettings, os::kQueueingSetting);
}

std::string first_word_of(const std::string& value) {
  return value.substr(0, value.find(' '));
}

// Replaces each "*" of `pattern` by the word of `value` at the same position.
std::string filled(const std::string& pattern, const std::string& value) {
  const auto wanted = words(pattern), present = words(value);
  std::vector<std::string> result;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool is_any = wanted[i] == kAnyWord && i < present.size();
    result.emplace_back(is_any ? present[i] : wanted[i]);
  }
  return join(result, " ");
}

// `value`, but only the words that `pattern` names; the others are "*".
std::string masked(const std::string& pattern, const std::string& value) {
  const auto wanted = words(pattern), present = words(value);
  std::vector<std::string> result;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool is_named = wanted[i] != kAnyWord && i < present.size();
    result.emplace_back(is_named ? present[i] : kAnyWord);
  }
  return join(result, " ");
}

Values with_setting(Values parameters, const SettingChange& change) {
  parameters["setting"] = change.key;
  parameters["value"] = change.value;
  parameters["what"] = change.what;
  return parameters;
}

class ChangeSetting final : public Step {
 public:
  ChangeSetting(NicInterface interface, SettingChange change)
      : Step(StepKind::change_setting, with_setting(interface.parameters(), change)),
        interface_(std::move(interface)),
        change_(std::move(change)) {}

  std::string title() const override {
    return fmt::format("set {} of {}", change_.what, interface_.name);
  }

  Result<Values> observe(const os::System& system) const override {
    const auto link = find_link(system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    const auto settings = system.links.settings(link->index);
    if (!settings) return tl::unexpected<Error>(settings.error());
    Values observed{{"index", std::to_string(link->index)}};
    if (change_.key == qdisc_key()) observed["value"] = os::kDefaultQueueing;
    for (const auto& [key, value] : *settings) {
      if (key == change_.key) observed["value"] = value;
      // Changing the channels or the rings may reset the RSS table.
      if (key == kRss && resets_rss()) observed.emplace(list_key(kSavedRss, 0), value);
      if (key == kChannels && change_.key == kRings) {
        observed.emplace(list_key(kSavedChannels, 0), value);
      }
    }
    if (observed.contains("value")) return observed;
    return fail(Errc::unsupported,
                fmt::format("the driver of '{}' does not support {}",
                            printable(link->name),
                            printable(change_.key)));
  }

  bool is_done(const Values& observed) const override {
    return is_value(change_.value, value_at(observed, "value"));
  }

  Result<Values> apply(const StepContext& context) override {
    const auto now = observe(context.system);
    if (!now) return now;
    written_ = written_value(change_.value, value_at(*now, "value"));
    auto set = write(context, change_.key, written_);
    auto after = set ? observe(context.system) : Result<Values>(tl::unexpected<Error>(set.error()));
    if (!after) return after;
    // With other channels, the table that the driver makes for them is right.
    if (change_.key == kRings) {
      set = restore_rss(context, *now, *after);
      if (!set) return tl::unexpected<Error>(set.error());
    }
    return Values{{"value", value_at(*after, "value")}};
  }

  Result<> verify(const os::System& system) const override {
    const auto observed = observe(system);
    if (!observed) return because(observed.error(), "cannot verify");
    const auto now = value_at(*observed, "value");
    const bool is_kind_only = change_.key == qdisc_key();
    if (is_kind_only ? is_done(*observed) : now == written_) return {};
    return fail(Errc::io,
                fmt::format("the driver of '{}' accepted the value '{}' for {}, but set '{}'",
                            printable(interface_.name),
                            printable(written_),
                            printable(change_.key),
                            printable(now)));
  }

  Result<> revert(const StepContext& context, const RevertRequest& request) override {
    const auto observed = observe(context.system);
    if (!observed) return tl::unexpected<Error>(observed.error());
    const auto& record = request.record;
    const auto now = value_at(*observed, "value");
    const auto before = masked(change_.value, value_at(record.before, "value"));
    if (before.empty()) return fail(Errc::invalid, "the journal has no former value");
    // If the step was done, a table that differs now is of somebody else.
    const bool is_kept = change_.key == kRings && record.done;
    const auto& rss = is_kept ? *observed : rss_source(record.before, *observed);
    if (is_value(before, now)) return restore_rss(context, rss, *observed);
    // An interface with another index is new, so no other program has changed the value.
    const bool same = value_at(record.before, "index") == value_at(*observed, "index");
    // A driver may have set another value than the one that it accepted.
    const bool is_ours = is_value(change_.value, now) || now == value_at(record.after, "value");
    if (same && !record.begun && !is_ours) return {};  // others changed it
    if (same && !is_ours && !request.force) {
      return fail_changed(fmt::format("{} of {}", change_.key, interface_.name),
                          masked(change_.value, now),
                          change_.value);
    }
    const auto set = write(context, change_.key, reverted_value(record.before, now));
    if (!set) return set;
    const auto after = observe(context.system);
    if (!after) return because(after.error(), "cannot verify");
    if (!is_value(before, value_at(*after, "value"))) {
      return fail(Errc::io,
                  fmt::format("the driver of '{}' accepted the former value '{}' for {}, but set "
                              "'{}'",
                              printable(interface_.name),
                              printable(before),
                              printable(change_.key),
                              printable(value_at(*after, "value"))));
    }
    return restore_rss(context, rss, *after);
  }

  std::vector<std::string> manual_commands(const Values& before) const override {
    const auto former = value_at(before, "value");
    // Only the words that the step changes become options.
    auto command = os::setting_command(
        change_.key, former, written_value(change_.value, former), interface_.name);
    if (command.empty()) return {};
    return {std::move(command)};
  }

 private:
  bool resets_rss() const { return change_.key == kChannels || change_.key == kRings; }

  // The values with the RSS table to which revert() returns: a table that was recorded with another
  // number of channels may name queues that do not exist now. The revert of the channels, which
  // follows, restores it.
  static const Values& rss_source(const Values& before, const Values& observed) {
    const bool is_same = list_of(before, kSavedChannels) == list_of(observed, kSavedChannels);
    return is_same ? before : observed;
  }

  // The kernel chooses handle and options of a queueing discipline.
  bool is_value(const std::string& pattern, const std::string& value) const {
    if (change_.key == qdisc_key()) return first_word_of(pattern) == first_word_of(value);
    return filled(pattern, value) == value;
  }

  std::string written_value(const std::string& pattern, const std::string& now) const {
    if (change_.key != qdisc_key()) return filled(pattern, now);
    const auto kind = first_word_of(pattern);
    return kind == os::kDefaultQueueing ? kind : fmt::format("{} 0 -", kind);
  }

  // A discipline returns with its handle and options; of other values, only the words that the step
  // changes.
  std::string reverted_value(const Values& before, const std::string& now) const {
    const auto former = value_at(before, "value");
    return change_.key == qdisc_key() ? former : filled(masked(change_.value, former), now);
  }

  Result<> write(const StepContext& context,
                 const std::string& key,
                 const std::string& value) const {
    const auto link = find_link(context.system, interface_);
    if (!link) return tl::unexpected<Error>(link.error());
    return context.system.links.set(link->index, key, value);
  }

  Result<> restore_rss(const StepContext& context, const Values& before, const Values& now) const {
    const auto saved = list_of(before, kSavedRss), present = list_of(now, kSavedRss);
    if (saved.empty() || present.empty() || saved == present) return {};
    auto set = write(context, std::string(kRss), saved.front());
    const auto after = set ? observe(context.system) : Result<Values>(Values());
    if (!after) return because(after.error(), "cannot verify");
    if (!set || list_of(*after, kSavedRss) == saved) return set;
    return fail(Errc::io,
                fmt::format("the driver of '{}' accepted the RSS table, but did not set it",
                            printable(interface_.name)));
  }

  NicInterface interface_;
  SettingChange change_;
  std::string written_;
};

}  // namespace

std::unique_ptr<Step> change_setting(const NicInterface& interface, const SettingChange& change) {
  return std::make_unique<ChangeSetting>(interface, change);
}

std::optional<SettingChange> setting_change_of(const StepRecord& record) {
  if (record.kind != StepKind::change_setting) return std::nullopt;
  return SettingChange{value_at(record.parameters, "setting"),
                       value_at(record.parameters, "value"),
                       value_at(record.parameters, "what")};
}

}  // namespace manactl::setup
