// SPDX-License-Identifier: MIT

#include "host/secure_boot.h"

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/text.h"
#include "host/decompress.h"

namespace manactl::host {
namespace {

constexpr std::size_t kMaxModule = 16U << 20U;  // bytes

// Returns the last bytes of the contents of a file, which may be compressed.
Result<std::string> tail_of(std::string_view file, bool newline) {
  constexpr std::size_t kTail = 64, kBlock = 64U << 10U;
  const auto source = decompressed(std::make_unique<MemorySource>(file, newline), kMaxModule);
  std::string tail;
  std::vector<char> block(kBlock);
  while (true) {
    const auto got = source->read(block);
    if (!got) return tl::unexpected<Error>(got.error());
    if (*got == 0) return tail;
    tail.append(block.data(), *got);
    tail.erase(0, tail.size() - std::min(tail.size(), kTail));
  }
}

Result<bool> is_signed(std::string_view module) {
  auto tail = tail_of(module, false);
  if (!tail) tail = tail_of(module, true);
  if (!tail) return tl::unexpected<Error>(tail.error());
  return trim(*tail).ends_with(kModuleSignature);
}

}  // namespace

Result<bool> secure_boot(const os::Files& files) {
  // The variable has four bytes of attributes and the value.
  constexpr const char* kVariable =
      "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
  const auto value = files.read(kVariable);
  if (!value && value.error().code == Errc::not_found) return false;
  if (!value) return tl::unexpected<Error>(value.error());
  return !value->empty() && value->back() == '\1';
}

bool is_outside_tree(std::string_view path) {
  constexpr std::array<std::string_view, 4> kDirectories = {
      "updates/", "extra/", "weak-updates/", "dkms/"};
  return std::ranges::any_of(
      kDirectories, [&](std::string_view directory) { return path.starts_with(directory); });
}

Result<bool> has_signature(const os::Files& files, const std::string& path) {
  const auto module = files.read(path, kMaxModule);
  if (!module) return tl::unexpected<Error>(module.error());
  auto result = is_signed(*module);
  if (!result) return because(result.error(), fmt::format("cannot read /{}", printable(path)));
  return result;
}

std::string reduced_module(std::string_view module) {
  return is_signed(module).value_or(false) ? std::string(kModuleSignature) : std::string();
}

}  // namespace manactl::host
