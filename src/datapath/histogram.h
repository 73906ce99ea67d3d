// SPDX-License-Identifier: MIT
//
// Latencies, counted in log-linear buckets after the manner of HDR histograms: every value is kept
// to within 1/1024 of itself, from 1 ns to more than a minute, in memory of constant size.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace manactl::datapath {

class Histogram {
 public:
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << 36U) - 1;  // 68.7 s in nanoseconds

  Histogram();

  // Allocates nothing and throws nothing; what is above kMost counts as kMost.
  void add(std::uint64_t value) noexcept;

  Histogram& operator+=(const Histogram& other);

  std::uint64_t count() const { return count_; }

  std::uint64_t least() const { return count_ == 0 ? 0 : least_; }  // exact

  std::uint64_t most() const { return most_; }  // exact

  double mean() const;  // exact

  // The highest value equivalent to the one below which `share` (0 to 1) of all lie; 0 of nothing.
  std::uint64_t percentile(double share) const;

  struct Bucket {
    std::uint64_t low = 0, high = 0;  // both inclusive
    std::uint64_t count = 0;
  };

  std::vector<Bucket> buckets() const;  // those that are not empty, ascending

  // One whose buckets, least(), most() and mean() were written down.
  static Histogram of(const std::vector<Bucket>& buckets,
                      std::uint64_t least,
                      std::uint64_t most,
                      double mean);

 private:
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0, least_ = ~std::uint64_t{0}, most_ = 0;
  double sum_ = 0;
};

}  // namespace manactl::datapath
