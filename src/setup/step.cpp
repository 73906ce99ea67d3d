// SPDX-License-Identifier: MIT

#include "setup/step.h"

#include "base/text.h"
#include "setup/steps.h"

namespace manactl::setup {
namespace {

std::uint64_t number_of(const Values& values, std::string_view key) {
  return parse_unsigned(value_of(values, key)).value_or(0);
}

}  // namespace

Result<> Step::verify(const os::System& system) const {
  const auto seen = observe(system);
  if (!seen) return because(seen.error(), "cannot verify");
  if (done(*seen)) return {};
  std::string text;
  for (const auto& [key, value] : *seen) text += fmt::format(" {}={}", key, value);
  return fail(Errc::io, fmt::format("the kernel took it and did not do it:{}", printable(text)));
}

Result<std::unique_ptr<Step>> make_step(std::string_view kind, const Values& parameters) {
  const auto text = [&](std::string_view key) { return value_of(parameters, key); };
  if (kind == "surroundings") return keep_surroundings(text("interface"));
  if (kind == "module") return load_module(text("name"));
  if (kind == "hugepages") {
    return reserve_hugepages(
        text("pool"), number_of(parameters, "pages"), number_of(parameters, "others"));
  }
  if (kind == "mtu") {
    return set_mtu(text("interface"), static_cast<unsigned>(number_of(parameters, "mtu")));
  }
  if (kind == "down") return take_down(text("interface"));
  if (kind == "release") return release_channel(text("channel"), text("interface"), text("vf"));
  if (kind == "override") return override_driver(text("channel"));
  if (kind == "new-id") return announce_class(text("shared") == "yes");
  if (kind == "bind") return bind_channel(text("channel"));
  if (kind == "uio") return wait_for_uio(text("channel"));
  if (kind == "keep-down") return keep_down(text("interface"));
  return fail(Errc::invalid,
              fmt::format("a step '{}' is not known to this version", printable(kind, 40)));
}

std::string value_of(const Values& values, std::string_view key) {
  const auto found = values.find(key);
  return found == values.end() ? std::string() : found->second;
}

tl::unexpected<Error> foreign(std::string_view what, std::string_view now, std::string_view wrote) {
  return fail(Errc::busy,
              fmt::format("{} is '{}' and not '{}' as manactl left it: something else changed it, "
                          "so it stays (--force overwrites it)",
                          what,
                          printable(now, 80),
                          printable(wrote, 80)));
}

}  // namespace manactl::setup
