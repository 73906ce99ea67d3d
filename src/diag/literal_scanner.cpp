// SPDX-License-Identifier: MIT

#include "diag/literal_scanner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "base/characters.h"

namespace manactl::diag {
namespace {

constexpr std::size_t kLoad = sizeof(std::uint64_t);
constexpr unsigned kUnroll = 8;
constexpr unsigned kHashBits = 16;  // maybe_ has 64 KiB, of which a scan reads only a small part
constexpr unsigned kSlotBits = 14;
static_assert(std::endian::native == std::endian::little,
              "the gram mask assumes little-endian byte order");

std::uint64_t load(const char* at) {
  std::uint64_t gram = 0;
  std::memcpy(&gram, at, kLoad);
  return gram;
}

// Like load(), but `at` may be less than eight bytes before the end of the block.
std::uint64_t load_tail(std::string_view block, std::size_t at) {
  std::uint64_t gram = 0;
  std::memcpy(&gram, block.data() + at, std::min(kLoad, block.size() - at));
  return gram;
}

std::size_t hash_of(std::uint64_t mixed) {
  return mixed >> (64U - kHashBits);
}

std::size_t slot_of(std::uint64_t mixed) {
  return mixed >> (64U - kSlotBits);
}

std::uint64_t mix(std::uint64_t gram, std::uint64_t fold, std::uint64_t keep) {
  constexpr std::uint64_t kMix = 0x9E3779B97F4A7C15ULL;
  return ((gram | fold) & keep) * kMix;
}

// Returns the gram size for a window, both in bytes. A smaller gram allows larger steps.
std::size_t gram_for(std::size_t window) {
  constexpr std::size_t kShortWindow = 6;
  return window < kShortWindow ? 3 : window - (window / 3);
}

}  // namespace

LiteralScanner::LiteralScanner(std::vector<std::string> texts,
                               Case letters,
                               std::string_view before)
    : texts_(std::move(texts)), maybe_(1U << kHashBits), heads_(1U << kSlotBits), entries_(1) {
  if (before.empty()) allowed_.fill(true);
  for (const char c : before) allowed_.at(static_cast<unsigned char>(c)) = true;
  std::size_t window = SIZE_MAX;
  for (const auto& text : texts_) window = std::min(window, text.size());
  if (texts_.empty()) window = kLoad;
  window = std::min<std::size_t>(window, kMaxWindow);
  const std::size_t gram = std::min(gram_for(window), kLoad);
  step_ = window - gram + 1;
  keep_ = ~0ULL >> (8U * (kLoad - gram));
  fold_ = letters == Case::ignored ? 0x2020202020202020ULL : 0;
  const auto common = gram_counts();
  for (std::uint32_t i = 0; i < texts_.size(); ++i) {
    const std::size_t first = rarest_window(texts_[i], window, common);
    for (std::size_t at = first; at < first + step_; ++at) add(i, at);
  }
}

void LiteralScanner::add(std::uint32_t text, std::size_t offset) {
  const auto mixed = mix(load_tail(texts_[text], offset));
  maybe_[hash_of(mixed)] = 1;
  auto& head = heads_[slot_of(mixed)];
  entries_.push_back({text, static_cast<std::uint32_t>(offset), head});
  head = static_cast<std::uint32_t>(entries_.size() - 1);
}

// Counts each gram in all texts. Grams of many texts ("failed to ") are also frequent in logs.
std::map<std::uint64_t, unsigned> LiteralScanner::gram_counts() const {
  std::map<std::uint64_t, unsigned> counts;
  for (const auto& text : texts_) {
    for (std::size_t at = 0; at < text.size(); ++at) ++counts[mix(load_tail(text, at))];
  }
  return counts;
}

std::size_t LiteralScanner::rarest_window(const std::string& text,
                                          std::size_t window,
                                          const std::map<std::uint64_t, unsigned>& counts) const {
  std::size_t best = 0;
  unsigned min_sum = UINT32_MAX;
  for (std::size_t first = 0; first + window <= text.size(); ++first) {
    unsigned sum = 0;
    for (std::size_t at = first; at < first + step_; ++at) {
      sum += counts.at(mix(load_tail(text, at)));
    }
    if (sum <= min_sum) {
      min_sum = sum;
      best = first;
    }
  }
  return best;
}

std::uint64_t LiteralScanner::mix(std::uint64_t gram) const {
  return manactl::diag::mix(gram, fold_, keep_);
}

bool LiteralScanner::same(std::string_view text, const char* at) const {
  if (fold_ == 0) return std::memcmp(text.data(), at, text.size()) == 0;
  return std::equal(
      text.begin(), text.end(), at, [](char wanted, char c) { return wanted == lower(c); });
}

bool LiteralScanner::is_here(const Entry& entry, std::string_view block, std::size_t at) const {
  const auto& text = texts_[entry.text];
  if (entry.offset > at || at - entry.offset + text.size() > block.size()) return false;
  const std::size_t begin = at - entry.offset;
  const bool is_preceded = begin == 0 || allowed_[static_cast<unsigned char>(block[begin - 1])];
  return is_preceded && same(text, block.data() + begin);
}

LiteralScanner::Hit LiteralScanner::verify(std::string_view block, std::size_t at) const {
  for (auto i = heads_[slot_of(mix(load_tail(block, at)))]; i != 0; i = entries_[i].next) {
    const auto& entry = entries_[i];
    if (is_here(entry, block, at)) return {at - entry.offset, entry.text};
  }
  return {};
}

std::vector<std::uint32_t> LiteralScanner::all_in(std::string_view line) const {
  std::vector<std::uint32_t> found;
  for (std::size_t at = 0; at < line.size(); at += step_) {
    for (auto i = heads_[slot_of(mix(load_tail(line, at)))]; i != 0; i = entries_[i].next) {
      if (is_here(entries_[i], line, at)) found.push_back(entries_[i].text);
    }
  }
  return found;
}

// Tests the next kUnroll grams. Bit i of the result is set if gram i may belong to a text.
unsigned LiteralScanner::candidates_from(const char* at) const {
  const std::uint8_t* const maybe = maybe_.data();
  const std::size_t step = step_;
  const std::uint64_t keep = keep_;
  const std::uint64_t fold = fold_;
  unsigned candidates = 0;
#pragma GCC unroll 8
  for (unsigned i = 0; i < kUnroll; ++i, at += step) {
    candidates |= static_cast<unsigned>(maybe[hash_of(manactl::diag::mix(load(at), fold, keep))])
                  << i;
  }
  return candidates;
}

LiteralScanner::Hit LiteralScanner::next(std::string_view block, std::size_t from) const {
  const std::size_t step = step_;
  std::size_t at = from;
  while (at < block.size()) {
    const bool many = at + (kUnroll * step) + kLoad <= block.size();
    unsigned candidates = many ? candidates_from(block.data() + at) : 1;
    for (; candidates != 0; candidates &= candidates - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(candidates));
      const auto hit = verify(block, at + (i * step));
      if (hit.at != std::string_view::npos) return hit;
    }
    at += many ? kUnroll * step : step;
  }
  return {};
}

}  // namespace manactl::diag
