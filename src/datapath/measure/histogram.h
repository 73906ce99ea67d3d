// SPDX-License-Identifier: MIT
//
// A histogram of latencies with log-linear buckets, like HdrHistogram: values from 1 ns to 68 s
// with a relative error of at most 1/1024, in constant memory.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace manactl::datapath {

class Histogram {
 public:
  static constexpr std::uint64_t kMax = (std::uint64_t{1} << 36U) - 1;  // 68.7 s in nanoseconds

  Histogram();

  // Does not allocate. Values above kMax count as kMax.
  void add(std::uint64_t value) noexcept;

  Histogram& operator+=(const Histogram& other);

  std::uint64_t count() const { return count_; }

  std::uint64_t min() const { return count_ == 0 ? 0 : min_; }  // exact

  std::uint64_t max() const { return max_; }  // exact

  double mean() const;  // exact

  // A value that `share` (0 to 1) of all values do not exceed: the end of a bucket, or the maximum;
  // 0 without values.
  std::uint64_t percentile(double share) const;

  struct Bucket {
    std::uint64_t low = 0, high = 0;  // both inclusive
    std::uint64_t count = 0;
  };

  std::vector<Bucket> buckets() const;  // without empty ones, in ascending order

  // Restores a histogram from its buckets(), min(), max() and mean().
  static Histogram of(const std::vector<Bucket>& buckets,
                      std::uint64_t min,
                      std::uint64_t max,
                      double mean);

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0, min_ = ~std::uint64_t{0}, max_ = 0;
  double sum_ = 0;
};

}  // namespace manactl::datapath
