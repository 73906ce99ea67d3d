// SPDX-License-Identifier: MIT
//
// Finds any of many plain texts in a block at gigabytes a second. Every text is at least `window`
// bytes long, so it covers one of the positions 0, step, 2 * step ... with a whole gram: only those
// are looked at, through a table that says which grams belong to a text.

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
  enum class Case { exact, ignored };  // ignored: ASCII letters only, texts in lower case

  struct Hit {
    std::size_t at = std::string_view::npos;  // npos: none
    std::uint32_t text = 0;                   // index of the text
  };

  // The shortest text sets the window; each must have three bytes at least. When `before` is not
  // empty, a text counts only behind one of its bytes or at the beginning of the block.
  LiteralScanner(std::vector<std::string> texts, Case letters, std::string_view before = {});

  // A hit in `block` whose gram lies at or behind `from`. Hits come by position of their gram; not
  // every text of a line is given: one hit says that the line deserves a look.
  Hit next(std::string_view block, std::size_t from) const;

  // Every text that a line holds, by index, in no order; a text may come twice.
  std::vector<std::uint32_t> all_in(std::string_view line) const;

 private:
  struct Entry {
    std::uint32_t text;
    std::uint32_t offset;  // of the gram within the text
    std::uint32_t next;    // in the same slot, 0 ends
  };

  std::uint64_t mix(std::uint64_t gram) const;
  bool same(std::string_view text, const char* at) const;
  bool is_here(const Entry& entry, std::string_view block, std::size_t at) const;
  unsigned grams_worth(const char* at) const;
  Hit verify(std::string_view block, std::size_t at) const;
  void add(std::uint32_t text, std::size_t offset);
  std::map<std::uint64_t, unsigned> gram_counts() const;
  std::size_t rarest_window(const std::string& text,
                            std::size_t window,
                            const std::map<std::uint64_t, unsigned>& counts) const;

  static constexpr std::size_t kLongestWindow = 14;

  std::vector<std::string> texts_;
  std::vector<std::uint8_t> maybe_;   // by place: 1 when a gram of a text has it
  std::vector<std::uint32_t> heads_;  // by slot, into entries_
  std::vector<Entry> entries_;
  std::array<bool, 256> allowed_{};  // bytes that may come before a text
  std::size_t step_ = 1;
  std::uint64_t keep_ = 0;  // mask of the gram's bytes
  std::uint64_t fold_ = 0;  // 0x20 in every byte when case does not matter
};

}  // namespace manactl::diag
