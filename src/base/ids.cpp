// SPDX-License-Identifier: MIT

#include "base/ids.h"

#include <algorithm>

#include "base/text.h"

namespace manactl {
namespace {

tl::unexpected<Error> not_a(std::string_view what,
                            std::string_view text,
                            std::string_view example) {
  return fail(Errc::invalid,
              fmt::format("'{}' is not {} (example: {})", printable(text), what, example));
}

bool all_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

unsigned hex_value(std::string_view digits) {
  return static_cast<unsigned>(parse_hex(digits).value_or(0));
}

}  // namespace

Result<PciAddress> PciAddress::parse(std::string_view text) {
  const auto invalid = [&] { return not_a("a PCI address", text, "7870:00:00.0"); };
  const auto parts = split(text, ':');
  if (parts.size() != 3) return invalid();
  const auto slot = split(parts[2], '.');
  if (slot.size() != 2) return invalid();
  const bool well_formed = all_hex(parts[0]) && parts[0].size() >= 4 && parts[0].size() <= 8 &&
                           all_hex(parts[1]) && parts[1].size() == 2 && all_hex(slot[0]) &&
                           slot[0].size() == 2 && all_hex(slot[1]) && slot[1].size() == 1;
  if (!well_formed) return invalid();
  const unsigned device = hex_value(slot[0]);
  const unsigned function = hex_value(slot[1]);
  if (device > 31 || function > 7) return invalid();
  return PciAddress{hex_value(parts[0]),
                    static_cast<std::uint8_t>(hex_value(parts[1])),
                    static_cast<std::uint8_t>(device),
                    static_cast<std::uint8_t>(function)};
}

std::string PciAddress::str() const {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", domain, bus, device, function);
}

Result<VmbusId> VmbusId::parse(std::string_view text) {
  const auto invalid = [&] {
    return not_a("a VMBus device id", text, "f8615163-df3e-46c5-913f-f2d2f965ed0e");
  };
  std::string_view body = text;
  if (body.size() == 38 && body.front() == '{' && body.back() == '}') body = body.substr(1, 36);
  const auto groups = split(body, '-');
  constexpr std::size_t kLengths[] = {8, 4, 4, 4, 12};
  if (groups.size() != std::size(kLengths)) return invalid();
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i].size() != kLengths[i] || !all_hex(groups[i])) return invalid();
  }
  VmbusId id;
  id.text_ = lower(body);
  return id;
}

Result<MacAddress> MacAddress::parse(std::string_view text) {
  const auto parts = split(text, ':');
  MacAddress mac;
  if (parts.size() != mac.bytes.size()) return not_a("a MAC address", text, "00:0d:3a:76:3b:d0");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].size() != 2 || !all_hex(parts[i])) {
      return not_a("a MAC address", text, "00:0d:3a:76:3b:d0");
    }
    mac.bytes[i] = static_cast<std::uint8_t>(hex_value(parts[i]));
  }
  return mac;
}

std::string MacAddress::str() const {
  return fmt::format("{:02x}", fmt::join(bytes, ":"));
}

Result<Ipv4Address> Ipv4Address::parse(std::string_view text) {
  constexpr std::size_t kParts = 4;
  const auto parts = split(text, '.');
  Ipv4Address address;
  for (const auto part : parts) {
    const auto value = parse_unsigned(part, 255);
    if (parts.size() != kParts || !value || (part.size() > 1 && part.front() == '0')) {
      return not_a("an IPv4 address", text, "10.0.0.4");
    }
    address.value = (address.value << 8U) | static_cast<std::uint32_t>(*value);
  }
  return address;
}

std::string Ipv4Address::str() const {
  return fmt::format(
      "{}.{}.{}.{}", value >> 24U, (value >> 16U) & 0xffU, (value >> 8U) & 0xffU, value & 0xffU);
}

Result<CpuList> CpuList::parse(std::string_view text) {
  constexpr std::uint64_t kMaxCpu = 65535;  // above any CONFIG_NR_CPUS; limits the size of `list`
  CpuList list;
  if (text.empty()) return list;
  for (const auto piece : split(text, ',')) {
    const auto ends = split(piece, '-');
    const auto first = parse_unsigned(ends.front(), kMaxCpu);
    const auto last = parse_unsigned(ends.back(), kMaxCpu);
    if (ends.size() > 2 || !first || !last || *first > *last) {
      return not_a("a CPU list", text, "0-3,8");
    }
    for (auto cpu = *first; cpu <= *last; ++cpu) list.cpus.push_back(static_cast<unsigned>(cpu));
  }
  std::sort(list.cpus.begin(), list.cpus.end());
  list.cpus.erase(std::unique(list.cpus.begin(), list.cpus.end()), list.cpus.end());
  return list;
}

std::string CpuList::str() const {
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i;
    while (end + 1 < cpus.size() && cpus[end + 1] == cpus[end] + 1) ++end;
    pieces.push_back(end == i ? fmt::format("{}", cpus[i])
                              : fmt::format("{}-{}", cpus[i], cpus[end]));
    i = end + 1;
  }
  return join(pieces, ",");
}

Result<InterfaceName> InterfaceName::parse(std::string_view text) {
  constexpr std::size_t kMaxLength = 127;
  const bool bad_byte = std::any_of(text.begin(), text.end(), [](unsigned char c) {
    return c <= ' ' || c == '/' || c == ':' || c == 0x7f;
  });
  if (text.empty() || text.size() > kMaxLength || text == "." || text == ".." || bad_byte ||
      text.front() == '-') {
    return not_a("an interface name", text, "eth1");
  }
  InterfaceName name;
  name.text_ = std::string(text);
  return name;
}

Result<Release> Release::parse(std::string_view text) {
  Release release;
  unsigned* const fields[] = {&release.major, &release.minor, &release.patch};
  std::string_view rest = text;
  std::size_t read = 0;
  for (unsigned* field : fields) {
    const auto digits = rest.substr(0, rest.find_first_not_of("0123456789"));
    constexpr std::size_t kMaxDigits = 9;
    if (digits.empty() || digits.size() > kMaxDigits) break;
    for (const char c : digits) *field = *field * 10 + static_cast<unsigned>(c - '0');
    ++read;
    rest.remove_prefix(digits.size());
    if (!rest.starts_with('.')) break;
    rest.remove_prefix(1);
  }
  if (read == 0) return not_a("a release number", text, "6.8.0");
  return release;
}

std::string Release::str() const {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace manactl
