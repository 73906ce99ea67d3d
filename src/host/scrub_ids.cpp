// SPDX-License-Identifier: MIT

#include "host/scrub_ids.h"

#include <algorithm>
#include <bitset>
#include <iterator>

#include "base/text.h"
#include "host/scrub_text.h"

namespace manactl::host {
namespace {

constexpr std::size_t kIdDigits = 32, kGuid = 36;

// Replacements have this form, so that they are recognized when a log is scrubbed again.
constexpr std::string_view kReplacement = "00000000000040008000";

// Classes of VMBus devices: network and PCI. Source: include/linux/hyperv.h of the kernel.
constexpr std::string_view kClasses[] = {"f8615163df3e46c5913ff2d2f965ed0e",
                                         "44c4f61d444444009d52802e27ede19f"};

// The length of the id at `at`: 36 with dashes, 32 without, 0 if there is none.
std::size_t length_at(std::string_view text, std::size_t at) {
  if (!is_hex(text[at]) || !begins_word(text, at)) return 0;
  const bool dashed = at_or_end(text, at + 8) == '-';
  const auto length = dashed ? kGuid : kIdDigits;
  if (at + length > text.size() || is_alphanumeric(at_or_end(text, at + length))) return 0;
  bool letter = false, digit = false;
  std::bitset<256> digits;  // that occur
  for (std::size_t i = 0; i < length; ++i) {
    const char c = text[at + i];
    const bool dash = dashed && (i == 8 || i == 13 || i == 18 || i == 23);
    if (dash ? c != '-' : !is_hex(c)) return 0;
    digits.set(static_cast<unsigned char>(lower(c)));
    digit = digit || is_digit(c);
    letter = letter || (!dash && !is_digit(c));
  }
  if (dashed) return length;
  // Without dashes, a number or an IPv6 address is possible, too.
  const auto word = text.substr(at, length);
  const bool address =
      word.find("00000000") != std::string_view::npos || word.substr(22, 4) == "fffe";
  constexpr std::size_t kMinDigits = 8;  // random digits have about 14 of 16
  return letter && digit && digits.count() >= kMinDigits && !address ? length : 0;
}

template <class Id>
Id id_of(std::string_view text) {
  Id id{};
  std::size_t count = 0;
  for (const char c : text) {
    if (c != '-' && count < id.size()) id[count++] = lower(c);
  }
  return id;
}

template <class Visit>
void visit_ids(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = length_at(text, at);
    if (length != 0) visit(text.substr(at, length));
    at += std::max<std::size_t>(length, 1);
  }
}

constexpr std::string_view kDrivers[] = {
    "vmbus", "netvsc", "hv_pci", "storvsc", "VMBUS", "VMBus", "uio_hv_generic"};

// Calls visit(part) for the parts of a line that are near the name of a driver of VMBus. A line may
// be a long document in JSON.
template <class Visit>
void visit_vmbus_parts(std::string_view line, Visit visit) {
  constexpr std::size_t kNear = 512;  // bytes on either side of the name
  for (const auto driver : kDrivers) {
    for (auto at = line.find(driver); at != std::string_view::npos;) {
      const auto start = at - std::min(at, kNear);
      visit(line.substr(start, at - start + kNear));
      at = line.find(driver, at + kNear);
    }
  }
}

}  // namespace

void IdReplacer::keep(std::string_view text) {
  visit_ids(text, [&](std::string_view id) {
    if (kept_.size() < kMaxKnown) kept_.insert(id_of<Id>(id));
  });
}

void IdReplacer::learn_log(std::string_view text) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    visit_vmbus_parts(line, [&](std::string_view part) { keep(part); });
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::size_t IdReplacer::replace(std::string_view text, std::size_t at, std::string& out) {
  const auto length = length_at(text, at);
  if (length == 0) return 0;
  const auto id = id_of<Id>(text.substr(at, length));
  const std::string_view digits(id.data(), id.size());
  const bool usual =
      digits.starts_with(kReplacement) || kept_.count(id) != 0 ||
      digits.find_first_not_of('0') == std::string_view::npos ||
      digits.find_first_not_of('f') == std::string_view::npos ||
      std::find(std::begin(kClasses), std::end(kClasses), digits) != std::end(kClasses);
  if (usual) return 0;
  auto known = numbers_.find(id);
  if (known == numbers_.end() && numbers_.size() < kMaxKnown)
    known = numbers_.emplace(id, numbers_.size() + 1).first;
  // With too many ids, the others get the same replacement.
  const auto number = known == numbers_.end() ? 0 : known->second;
  const auto replacement = fmt::format("{}{:012x}", kReplacement, number);
  for (std::size_t i = 0; i < replacement.size(); ++i) {
    const bool dash = length == kGuid && (i == 8 || i == 12 || i == 16 || i == 20);
    if (dash) out += '-';
    out += replacement[i];
  }
  return length;
}

}  // namespace manactl::host
