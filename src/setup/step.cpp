// SPDX-License-Identifier: MIT

#include "setup/step.h"

#include <algorithm>

#include "base/text.h"
#include "setup/steps.h"

namespace manactl::setup {

std::string value_at(const Values& values, std::string_view key) {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

std::string list_key(std::string_view list, std::size_t number) {
  constexpr std::size_t kDigits = 6;
  const auto digits = std::to_string(number);
  std::string key(list);
  key += '.';
  key.append(kDigits - std::min(kDigits, digits.size()), '0');
  return key += digits;
}

std::vector<std::string> list_of(const Values& values, std::string_view list) {
  const auto prefix = std::string(list) + '.';
  std::vector<std::string> found;
  for (auto it = values.lower_bound(prefix); it != values.end() && it->first.starts_with(prefix);
       ++it) {
    found.push_back(it->second);
  }
  return found;
}

Result<> Step::verify(const os::System& system) const {
  const auto observed = observe(system);
  if (!observed) return because(observed.error(), "cannot verify");
  if (is_done(*observed)) return {};
  std::string text;
  for (const auto& [key, value] : *observed) text += fmt::format(" {}={}", key, value);
  return fail(Errc::io, "the kernel accepted the change, but the state is still" + printable(text));
}

Result<> Step::revert(const StepContext& /*context*/, const RevertRequest& /*request*/) {
  return {};
}

std::vector<std::string> Step::manual_commands(const Values& /*before*/) const {
  return {};
}

Result<Values> with_no_values(const Result<>& applied) {
  if (!applied) return tl::unexpected<Error>(applied.error());
  return Values{};
}

Result<std::unique_ptr<Step>> make_step(const StepRecord& record) {
  const auto text = [&](std::string_view key) { return value_at(record.parameters, key); };
  const auto number = [&](std::string_view key) { return parse_unsigned(text(key)).value_or(0); };
  const auto has = [&](std::string_view key) { return record.parameters.contains(key); };
  switch (record.kind) {
    case StepKind::save_addresses:
      return save_addresses(interface_of(record.parameters));
    case StepKind::load_module:
      return load_module(text("name"));
    case StepKind::reserve_hugepages:
      return reserve_hugepages(text("pool"),
                               number("pages"),
                               number("others"),
                               has("wanted") ? std::optional(number("wanted")) : std::nullopt);
    case StepKind::set_mtu:
      return set_mtu(interface_of(record.parameters), static_cast<unsigned>(number("mtu")));
    case StepKind::set_down:
      return set_down(interface_of(record.parameters));
    case StepKind::unbind_channel:
      return unbind_channel(interface_of(record.parameters),
                            has("vf") ? std::optional(vf_of(record.parameters)) : std::nullopt);
    case StepKind::override_driver:
      return override_driver(record.channel());
    case StepKind::add_class_id:
      return add_class_id(text("shared") == "yes");
    case StepKind::bind_channel:
      return bind_channel(record.channel());
    case StepKind::wait_for_uio:
      return wait_for_uio(record.channel());
    case StepKind::keep_down:
      return keep_down(interface_of(record.parameters));
    case StepKind::change_setting:
      return change_setting(interface_of(record.parameters),
                            {text("setting"), text("value"), text("what")});
    case StepKind::unknown:
      break;
  }
  return fail(Errc::invalid, "this version of manactl does not know this kind of step");
}

StepRecord make_record(const Step& step, Values before) {
  StepRecord record;
  record.kind = step.kind();
  record.parameters = step.parameters();
  record.title = step.title();
  record.manual_commands = step.manual_commands(before);
  record.before = std::move(before);
  return record;
}

tl::unexpected<Error> fail_changed(std::string_view what,
                                   std::string_view now,
                                   std::string_view written) {
  return fail(Errc::busy,
              fmt::format("{} is '{}', but manactl set it to '{}': something else changed it; use "
                          "--force to overwrite it",
                          what,
                          printable(now),
                          printable(written)));
}

}  // namespace manactl::setup
