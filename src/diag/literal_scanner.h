// SPDX-License-Identifier: MIT
//
// Finds any of many plain texts in a block at gigabytes per second. At every step_-th offset of the
// block, it looks up the next 3 to 8 bytes (a gram) in a table. The table holds `step_` adjacent
// grams of each text, so wherever a text occurs, one of its grams starts at such an offset. These
// grams lie in the window: the part of the text (at most kMaxWindow bytes) with the rarest grams.

#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace manactl::diag {

class LiteralScanner {
 public:
  enum class Case { exact, ignored };  // ignored: ASCII only; texts must be lower case

  struct Hit {
    std::size_t at = std::string_view::npos;  // where the text begins; npos: no text found
    std::uint32_t text = 0;                   // index into the constructor's `texts`
  };

  // Each text must have at least three bytes. If `before` is not empty, a text is found only after
  // one of these characters or at the beginning of the block.
  LiteralScanner(std::vector<std::string> texts, Case letters, std::string_view before = {});

  // Returns the text of the first known gram at or after `from`. Another text may begin earlier,
  // even in the same line. To find all texts of that line, use all_in().
  Hit next(std::string_view block, std::size_t from) const;

  // The indexes of all texts in a line, in no order; an index may occur twice.
  std::vector<std::uint32_t> all_in(std::string_view line) const;

 private:
  struct Entry {
    std::uint32_t text;
    std::uint32_t offset;  // offset of the gram within the text
    std::uint32_t next;    // next entry in the same slot; 0 at the end
  };

  std::uint64_t mix(std::uint64_t gram) const;
  bool same(std::string_view text, const char* at) const;
  bool is_here(const Entry& entry, std::string_view block, std::size_t at) const;
  unsigned candidates_from(const char* at) const;
  Hit verify(std::string_view block, std::size_t at) const;
  void add(std::uint32_t text, std::size_t offset);
  std::map<std::uint64_t, unsigned> gram_counts() const;
  std::size_t rarest_window(const std::string& text,
                            std::size_t window,
                            const std::map<std::uint64_t, unsigned>& counts) const;

  static constexpr std::size_t kMaxWindow = 14;

  std::vector<std::string> texts_;
  std::vector<std::uint8_t> maybe_;   // for each hash: 1 if a gram of a text has it
  std::vector<std::uint32_t> heads_;  // for each slot: its first index into entries_
  std::vector<Entry> entries_;
  std::array<bool, 256> allowed_{};  // characters that may precede a text
  std::size_t step_ = 1;
  std::uint64_t keep_ = 0;  // mask of the gram's bytes
  std::uint64_t fold_ = 0;  // 0x20 in every byte if case is ignored
};

}  // namespace manactl::diag
