// SPDX-License-Identifier: MIT
#include "datapath/measure/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace manactl::datapath {

namespace {

// Values below 2 * kSteps have a bucket each. Above, each doubling of the value is divided into
// kSteps buckets of equal width.
constexpr unsigned kStepBits = 10;
constexpr std::size_t kSteps = std::size_t{1} << kStepBits;

constexpr std::size_t index_of(std::uint64_t value) {
  const auto bits = static_cast<unsigned>(std::bit_width(value));
  if (bits <= kStepBits + 1) return value;
  const auto shift = bits - kStepBits - 1;
  return kSteps * shift + (value >> shift);
}

constexpr Histogram::Bucket bucket_of(std::size_t index) {
  const auto shift = index < 2 * kSteps ? 0 : index / kSteps - 1;
  const auto low = std::uint64_t{index - kSteps * shift} << shift;
  return {low, low + (std::uint64_t{1} << shift) - 1, 0};
}

constexpr std::size_t kBuckets = index_of(Histogram::kMax) + 1;

// nextafter() corrects rounding errors: 0.07 * 100 is a little more than 7.
std::uint64_t rank_of(double share, std::uint64_t count) {
  const auto all = static_cast<double>(count);
  const auto rank = std::ceil(std::nextafter(share * all, 0.0));
  if (!(rank > 1)) return 1;
  return rank < all ? static_cast<std::uint64_t>(rank) : count;
}

}  // namespace

Histogram::Histogram() : counts_(kBuckets) {}

void Histogram::add(std::uint64_t value) noexcept {
  value = std::min(value, kMax);
  ++counts_[index_of(value)];
  ++count_;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  sum_ += static_cast<double>(value);
}

Histogram& Histogram::operator+=(const Histogram& other) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  sum_ += other.sum_;
  return *this;
}

double Histogram::mean() const {
  return count_ == 0 ? 0 : sum_ / static_cast<double>(count_);
}

std::uint64_t Histogram::percentile(double share) const {
  if (count_ == 0) return 0;
  const auto rank = rank_of(share, count_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    // The largest value may be below the end of its bucket.
    if (seen >= rank) return std::min(bucket_of(i).high, max_);
  }
  return max_;
}

std::vector<Histogram::Bucket> Histogram::buckets() const {
  std::vector<Bucket> buckets;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    buckets.push_back(bucket_of(i));
    buckets.back().count = counts_[i];
  }
  return buckets;
}

Histogram Histogram::of(const std::vector<Bucket>& buckets,
                        std::uint64_t min,
                        std::uint64_t max,
                        double mean) {
  Histogram made;
  for (const auto& bucket : buckets) {
    made.counts_[index_of(std::min(bucket.low, kMax))] += bucket.count;
    made.count_ += bucket.count;
  }
  if (made.count_ == 0) return made;
  made.min_ = min;
  made.max_ = max;
  made.sum_ = mean * static_cast<double>(made.count_);
  return made;
}

}  // namespace manactl::datapath
