// SPDX-License-Identifier: MIT

#include <algorithm>

#include "base/text.h"
#include "setup/steps.h"

namespace manactl::setup {
namespace {

// The pool is shared. What is ours is the difference, so that two NICs can be restored in either
// order: the pages that nobody of us holds stay as they are.
class ReserveHugepages final : public Step {
 public:
  ReserveHugepages(std::string pool, std::uint64_t pages, std::uint64_t others)
      : pool_(std::move(pool)), pages_(pages), others_(others) {}

  std::string_view kind() const override { return "hugepages"; }

  Values parameters() const override {
    return {
        {"pool", pool_}, {"pages", std::to_string(pages_)}, {"others", std::to_string(others_)}};
  }

  std::string title() const override {
    return fmt::format("reserve {} more pages in {}", pages_, pool_);
  }

  Result<Values> observe(const os::System& system) const override {
    const auto total = read(system.files);
    if (!total) return tl::unexpected<Error>(total.error());
    return Values{{"pages", std::to_string(*total)}};
  }

  bool done(const Values& /*seen*/) const override { return pages_ == 0; }

  Result<Values> apply(Machine& machine) override {
    const auto before = read(machine.system.files);
    if (!before) return tl::unexpected<Error>(before.error());
    const auto written = machine.system.files.write(file(), std::to_string(*before + pages_));
    if (!written) return tl::unexpected<Error>(written.error());
    // The kernel grants what it finds and reports no error.
    const auto after = read(machine.system.files);
    if (!after) return tl::unexpected<Error>(after.error());
    granted_ = *after > *before ? *after - *before : 0;
    return Values{{"granted", std::to_string(granted_)}};
  }

  Result<> verify(const os::System& /*system*/) const override {
    if (granted_ >= pages_) return {};
    return fail(Errc::unsupported,
                fmt::format("the kernel granted {} of {} hugepages in /{}: memory is short or in "
                            "pieces; ask for fewer, or reserve them when the machine starts",
                            granted_,
                            pages_,
                            pool_));
  }

  Result<> revert(Machine& machine, const Undo& undo) override {
    const auto now = read(machine.system.files);
    if (!now) return tl::unexpected<Error>(now.error());
    const auto before = parse_unsigned(value_of(undo.record.before, "pages"));
    if (!before) return because(before.error(), "the journal tells no number of pages");
    // Without the record of what was granted it lies between nothing and all.
    const auto granted = parse_unsigned(value_of(undo.record.after, "granted"));
    const std::uint64_t rest = *before - std::min(*before, others_);
    std::uint64_t least = rest;
    std::uint64_t most = rest;
    for (const auto* other : undo.others) {
      if (value_of(other->parameters, "pool") != pool_) continue;
      const auto all = parse_unsigned(value_of(other->parameters, "pages")).value_or(0);
      const auto known = parse_unsigned(value_of(other->after, "granted"));
      most += known.value_or(all);
      least += known.value_or(0);
    }
    if (*now >= least && *now <= most) return {};  // given back already
    const std::uint64_t wanted = most;
    const bool ours =
        granted ? *now == wanted + *granted : *now > wanted && *now <= wanted + pages_;
    if (!ours && !undo.force) {
      return foreign(
          "/" + file(), std::to_string(*now), std::to_string(wanted + granted.value_or(pages_)));
    }
    auto written = machine.system.files.write(file(), std::to_string(wanted));
    if (!written) return written;
    const auto after = read(machine.system.files);
    if (!after) return tl::unexpected<Error>(after.error());
    if (*after == wanted) return {};
    return fail(
        Errc::io,
        fmt::format("/{} is {} after {} was written: pages are in use", file(), *after, wanted));
  }

  std::vector<std::string> by_hand(const Values& before) const override {
    return {fmt::format("echo {} > /{}", value_of(before, "pages"), file())};
  }

 private:
  std::string file() const { return pool_ + "/nr_hugepages"; }

  Result<std::uint64_t> read(const os::Files& files) const {
    const auto text = files.read(file());
    if (!text) return tl::unexpected<Error>(text.error());
    auto number = parse_unsigned(trim(*text));
    if (!number) return because(number.error(), "cannot read '/" + file() + "'");
    return number;
  }

  std::string pool_;
  std::uint64_t pages_;
  std::uint64_t others_;
  std::uint64_t granted_ = 0;
};

}  // namespace

std::unique_ptr<Step> reserve_hugepages(const std::string& pool,
                                        std::uint64_t pages,
                                        std::uint64_t held_by_others) {
  return std::make_unique<ReserveHugepages>(pool, pages, held_by_others);
}

}  // namespace manactl::setup
