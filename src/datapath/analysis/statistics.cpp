// SPDX-License-Identifier: MIT
#include "datapath/analysis/statistics.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>
#include <span>

namespace manactl::datapath {

namespace {

constexpr double kLevel = 0.95;

double middle(std::span<const double> sorted) {
  if (sorted.empty()) return 0;
  const auto half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

// The binomial probability of k successes in n trials with p = 1/2. Uses logarithms because 2^-n
// underflows beyond n = 1074.
double binomial(std::size_t n, std::size_t k) {
  const auto log_factorial = [](std::size_t of) {
    int sign = 0;  // std::lgamma() would store it in a global variable
    return lgamma_r(static_cast<double>(of) + 1, &sign);
  };
  const double all = static_cast<double>(n) * std::numbers::ln2;
  return std::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) - all);
}

// How many of n sorted values can be cut off at each end such that the rest encloses the median
// with a probability of 95 %. The number of values below the median has a binomial distribution.
std::optional<std::size_t> values_to_cut(std::size_t n) {
  const double tail = (1 - kLevel) / 2;
  double below = 0;
  std::optional<std::size_t> cut;
  for (std::size_t k = 0; 2 * k < n; ++k) {
    below += binomial(n, k);
    if (below > tail) break;
    cut = k;
  }
  return cut;
}

std::optional<double> variation_of(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (mean == 0) return 0;
  const double squares =
      std::accumulate(values.begin(), values.end(), 0.0, [mean](double sum, double value) {
        return sum + (value - mean) * (value - mean);
      });
  return std::sqrt(squares / (count - 1)) / mean;
}

struct Ranked {
  double value;
  bool first;  // true if the value belongs to the first series
};

struct Ranks {
  double u = 0;     // pairs whose larger value is in the first series; a tie counts half
  double ties = 0;  // sum of t^3 - t over all groups of t equal values
};

Ranks rank(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<Ranked> all;
  all.reserve(a.size() + b.size());
  for (const double value : a) all.push_back({value, true});
  for (const double value : b) all.push_back({value, false});
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.value < y.value; });
  Ranks ranks;
  double sum = 0;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i;
    while (end < all.size() && all[end].value == all[i].value) ++end;
    const auto size = static_cast<double>(end - i);
    const double shared = static_cast<double>(i + end + 1) / 2;  // mean of the ranks i+1 ... end
    for (; i < end; ++i) sum += all[i].first ? shared : 0;
    ranks.ties += size * size * size - size;
  }
  const auto count = static_cast<double>(a.size());
  ranks.u = sum - count * (count + 1) / 2;
  return ranks;
}

// Adds the orders whose largest value is from the first series: it exceeds all j others, so U grows
// by j.
void add_orders(std::vector<double>& to, const std::vector<double>& from, std::size_t j) {
  for (std::size_t k = to.size(); k-- > j;) to[k] += from[k - j];
}

// P(U >= u) for values without ties. Counts, for each U, the orders in which n values of the first
// series and m values of the second can be sorted so that they give this U.
double exact_tail(std::size_t n, std::size_t m, double u) {
  const std::size_t max_u = n * m;
  // After step j, orders[i][k] is the number of orders with U = k of i and j values.
  std::vector<std::vector<double>> orders(n + 1, std::vector<double>(max_u + 1, 0));
  for (auto& row : orders) row[0] = 1;
  for (std::size_t j = 1; j <= m; ++j) {
    for (std::size_t i = 1; i <= n; ++i) add_orders(orders[i], orders[i - 1], j);
  }
  const auto& counts = orders[n];
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  const auto from = counts.begin() + static_cast<std::ptrdiff_t>(std::ceil(u));
  return std::accumulate(from, counts.end(), 0.0) / total;
}

double normal_tail(double n, double m, const Ranks& ranks, double u) {
  const double all = n + m;
  const double spread = n * m / 12 * (all + 1 - ranks.ties / (all * (all - 1)));
  if (spread <= 0) return 0.5;  // all values are equal
  const double z = (u - n * m / 2 - 0.5) / std::sqrt(spread);
  return std::erfc(z / std::numbers::sqrt2) / 2;
}

// Computes medians of resampled series.
class Resampler {
 public:
  explicit Resampler(const std::vector<double>& values) : values_(values), drawn_(values.size()) {}

  double median(std::mt19937_64& random) {
    // The results of uniform_int_distribution differ between standard libraries.
    for (auto& value : drawn_) value = values_[random() % values_.size()];
    std::sort(drawn_.begin(), drawn_.end());
    return middle(drawn_);
  }

 private:
  const std::vector<double>& values_;
  std::vector<double> drawn_;
};

Bounds resampled_change(const std::vector<double>& before, const std::vector<double>& after) {
  constexpr std::size_t kDraws = 10000;
  constexpr std::uint64_t kSeed = 1;
  std::mt19937_64 random(kSeed);
  Resampler first(before), second(after);
  std::vector<double> changes;
  changes.reserve(kDraws);
  for (std::size_t i = 0; i < kDraws; ++i) {
    const double base = first.median(random);
    const double changed = second.median(random);
    if (base > 0) changes.push_back(changed / base - 1);
  }
  if (changes.empty()) return {};
  std::sort(changes.begin(), changes.end());
  const auto at = [&](double share) {
    return changes[static_cast<std::size_t>(share * static_cast<double>(changes.size() - 1))];
  };
  return {at((1 - kLevel) / 2), at((1 + kLevel) / 2)};
}

}  // namespace

double median(std::vector<double> values) {
  return middle(sorted(std::move(values)));
}

Estimate estimate(const std::vector<double>& values) {
  const auto ordered = sorted(values);
  Estimate estimate;
  estimate.count = ordered.size();
  estimate.median = middle(ordered);
  if (const auto cut = values_to_cut(ordered.size())) {
    estimate.confidence = Bounds{ordered[*cut], ordered[ordered.size() - 1 - *cut]};
  }
  estimate.variation = variation_of(values);
  return estimate;
}

double mann_whitney(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return 1;
  constexpr std::size_t kExact = 20;
  const auto ranks = rank(a, b);
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  const double u = std::max(ranks.u, n * m - ranks.u);  // the larger U of the two series
  const bool exact = ranks.ties == 0 && std::max(a.size(), b.size()) <= kExact;
  const double tail = exact ? exact_tail(a.size(), b.size(), u) : normal_tail(n, m, ranks, u);
  return std::min(1.0, 2 * tail);
}

std::optional<Effect> compare(const std::vector<double>& before, const std::vector<double>& after) {
  if (before.empty() || after.empty()) return std::nullopt;
  const double base = median(before);
  if (!(base > 0)) return std::nullopt;
  return Effect{
      median(after) / base - 1, resampled_change(before, after), mann_whitney(before, after)};
}

}  // namespace manactl::datapath
