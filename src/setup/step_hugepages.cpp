// SPDX-License-Identifier: MIT

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "setup/steps.h"

namespace manactl::setup {
namespace {

constexpr std::string_view kInUse =
    "pages are in use; end the DPDK programs, delete the files rtemap_* that they left in "
    "hugetlbfs, and restore again";

// Other programs and other prepared NICs share the pool. This step therefore adds pages and, when
// it is reverted, removes the same number, so that NICs can be restored in any order.
class ReserveHugepages final : public Step {
 public:
  ReserveHugepages(std::string pool,
                   std::uint64_t pages,
                   std::uint64_t others,
                   std::optional<std::uint64_t> wanted)
      : Step(StepKind::reserve_hugepages, parameters_for(pool, pages, others, wanted)),
        pool_(std::move(pool)),
        pages_(pages),
        others_(others),
        accepts_fewer_(wanted.has_value()) {}

  std::string title() const override {
    return fmt::format("reserve {} in /{}", counted(pages_, "more page"), pool_);
  }

  Result<Values> observe(const os::System& system) const override {
    const auto total = read(system.files);
    if (!total) return tl::unexpected<Error>(total.error());
    return Values{{"pages", std::to_string(*total)}};
  }

  bool is_done(const Values& /*observed*/) const override { return pages_ == 0; }

  Result<Values> apply(const StepContext& context) override {
    const auto before = read(context.system.files);
    if (!before) return tl::unexpected<Error>(before.error());
    const auto written = context.system.files.write(file(), std::to_string(*before + pages_));
    if (!written) return tl::unexpected<Error>(written.error());
    // The kernel reserves as many pages as it can, and reports no error if it reserves fewer.
    const auto after = read(context.system.files);
    if (!after) return tl::unexpected<Error>(after.error());
    granted_ = *after - std::min(*after, *before);
    return Values{{"granted", std::to_string(granted_)}};
  }

  Result<> verify(const os::System& /*system*/) const override {
    if (granted_ >= pages_ || accepts_fewer_) return {};
    return fail(Errc::unsupported,
                fmt::format("the kernel granted {} of {} hugepages in /{}: memory is short or "
                            "fragmented; request fewer, or reserve them at boot",
                            granted_,
                            pages_,
                            pool_));
  }

  Result<> revert(const StepContext& context, const RevertRequest& request) override {
    if (!request.record.begun) return {};  // pages that appeared since belong to others
    const auto now = read(context.system.files);
    if (!now) return tl::unexpected<Error>(now.error());
    const auto own = *hugepages_of(request.record);
    if (!own.before) return fail(Errc::invalid, "the journal has no page count");
    const auto [min, max] = pages_without_own(*own.before, request.other_records);
    if (*now >= min && *now <= max) return {};  // already released
    const std::uint64_t wanted = max;
    // If the journal has no `granted`, this step may own any number of pages up to pages_.
    const bool ours =
        own.granted ? *now == wanted + *own.granted : *now > wanted && *now <= wanted + pages_;
    if (!ours && !request.force) {
      return fail_changed("/" + file(),
                          std::to_string(*now),
                          std::to_string(wanted + own.granted.value_or(pages_)));
    }
    auto written = context.system.files.write(file(), std::to_string(wanted));
    if (!written) return written;
    const auto after = read(context.system.files);
    if (!after) return tl::unexpected<Error>(after.error());
    if (*after == wanted) return {};
    return fail(Errc::io,
                fmt::format("/{} is {} after {} was written: {}", file(), *after, wanted, kInUse));
  }

  std::vector<std::string> manual_commands(const Values& before) const override {
    return {fmt::format("echo {} > /{}", value_at(before, "pages"), file())};
  }

 private:
  static Values parameters_for(const std::string& pool,
                               std::uint64_t pages,
                               std::uint64_t others,
                               std::optional<std::uint64_t> wanted) {
    Values values{
        {"pool", pool}, {"pages", std::to_string(pages)}, {"others", std::to_string(others)}};
    if (wanted) values["wanted"] = std::to_string(*wanted);
    return values;
  }

  std::string file() const { return pool_ + "/nr_hugepages"; }

  // Returns the fewest and the most pages that the pool may hold, not counting those of this step.
  // They differ if another entry was interrupted (no `granted`): it may own none or all of its
  // pages.
  std::pair<std::uint64_t, std::uint64_t> pages_without_own(
      std::uint64_t before, const std::vector<const StepRecord*>& others) const {
    const std::uint64_t unreserved = before - std::min(before, others_);
    std::uint64_t min = unreserved;
    std::uint64_t max = unreserved;
    for (const auto* record : others) {
      const auto other = hugepages_of(*record);
      if (!other || other->pool != pool_) continue;
      max += other->granted.value_or(other->pages);
      min += other->granted.value_or(0);
    }
    return {min, max};
  }

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
  bool accepts_fewer_;
  std::uint64_t granted_ = 0;
};

}  // namespace

std::unique_ptr<Step> reserve_hugepages(const std::string& pool,
                                        std::uint64_t pages,
                                        std::uint64_t held_by_others,
                                        std::optional<std::uint64_t> wanted) {
  return std::make_unique<ReserveHugepages>(pool, pages, held_by_others, wanted);
}

std::optional<HugepageReservation> hugepages_of(const StepRecord& record) {
  if (record.kind != StepKind::reserve_hugepages) return std::nullopt;
  HugepageReservation reservation;
  reservation.pool = value_at(record.parameters, "pool");
  reservation.pages = parse_unsigned(value_at(record.parameters, "pages")).value_or(0);
  reservation.others = parse_unsigned(value_at(record.parameters, "others")).value_or(0);
  if (const auto pages = parse_unsigned(value_at(record.parameters, "wanted"))) {
    reservation.wanted = *pages;
  }
  if (const auto pages = parse_unsigned(value_at(record.before, "pages"))) {
    reservation.before = *pages;
  }
  if (const auto pages = parse_unsigned(value_at(record.after, "granted"))) {
    reservation.granted = *pages;
  }
  return reservation;
}

}  // namespace manactl::setup
