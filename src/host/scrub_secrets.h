// SPDX-License-Identifier: MIT
//
// Recognizes passwords, keys and tokens by their form: the value after a key such as "password="
// or an option such as "--client-secret", blocks of PEM, JSON Web Tokens, hashes of crypt(3),
// tokens with the prefix of their issuer, and words in base64.

#pragma once

#include <cstddef>
#include <string_view>

#include "host/scrub_names.h"

namespace manactl::host {

class SecretFinder {
 public:
  // `text` must outlive the finder.
  explicit SecretFinder(std::string_view text)
      : text_(text), programs_(text, "chpasswd"), messages_(text, "'random' passwords") {}

  // The length of the secret that begins at `at`; 0 if there is none. The positions of successive
  // calls must increase.
  std::size_t length_at(std::size_t at);

 private:
  // The last occurrence of a word before a position that increases, and the next one.
  struct Occurrences {
    Occurrences(std::string_view all, std::string_view searched);
    void advance(std::size_t at);

    std::string_view text, word;
    std::size_t last = std::string_view::npos, next;
  };

  void find_block(std::size_t at);
  std::size_t block_word(std::size_t at) const;
  std::size_t account_password(std::size_t at);

  std::string_view text_;
  std::size_t block_start_ = 0, block_end_ = 0;  // of the current block of PEM
  std::size_t marker_ = 0;                       // position of the next "-----END"
  Occurrences programs_, messages_;              // words that precede lists of passwords
};

// Adds the secrets in `text` that are not usual words, so that they are replaced everywhere.
void learn_secrets(std::string_view text, NameReplacer& names);

}  // namespace manactl::host
