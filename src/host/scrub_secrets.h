// SPDX-License-Identifier: MIT
//
// Recognizes passwords, keys and tokens by their form: the value after a key such as "password="
// or an option such as "--client-secret", blocks of PEM, JSON Web Tokens, hashes of crypt(3), and
// words in base64. Products are not listed.

#pragma once

#include <cstddef>
#include <string_view>

#include "host/scrub_names.h"

namespace manactl::host {

class SecretFinder {
 public:
  // `text` must outlive the finder.
  explicit SecretFinder(std::string_view text) : text_(text) {}

  // The length of the secret that begins at `at`; 0 if there is none. The positions of successive
  // calls must increase.
  std::size_t length_at(std::size_t at);

 private:
  void find_block(std::size_t at);
  std::size_t block_word(std::size_t at) const;

  std::string_view text_;
  std::size_t block_start_ = 0, block_end_ = 0;  // of the current block of PEM
  std::size_t marker_ = 0;                       // position of the next "-----END"
};

// Adds the secrets in `text` that are not usual words, so that they are replaced everywhere.
void learn_secrets(std::string_view text, NameReplacer& names);

}  // namespace manactl::host
