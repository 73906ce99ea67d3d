// SPDX-License-Identifier: MIT

#include "device/options.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/text.h"

namespace manactl::device {
namespace {

Result<> set_number(std::string_view text, std::uint64_t min, std::uint64_t max, auto& into) {
  const auto value = parse_unsigned(text, max);
  if (!value) return tl::unexpected<Error>(value.error());
  if (*value < min) return fail(Errc::invalid, fmt::format("must be at least {}", min));
  into = static_cast<std::remove_reference_t<decltype(into)>>(*value);
  return {};
}

Result<> add_mac(Options& options, std::string_view text) {
  const auto address = MacAddress::parse(text);
  if (!address) return tl::unexpected<Error>(address.error());
  options.macs.push_back(*address);
  return {};
}

Result<> add_fault(Options& options, std::string_view text) {
  const auto value = Fault::parse(text);
  if (!value) return tl::unexpected<Error>(value.error());
  options.faults.push_back(*value);
  return {};
}

Result<> set_hostile(Options& options, std::string_view text) {
  const auto plan = HostilePlan::parse(text);
  if (!plan) return tl::unexpected<Error>(plan.error());
  options.hostile = *plan;
  return {};
}

Result<> add_uplink(Options& options, UplinkKind kind, std::string_view text) {
  const auto uplink = UplinkOption::parse(kind, text);
  if (!uplink) return tl::unexpected<Error>(uplink.error());
  for (const auto& other : options.uplinks) {
    if (other.port == uplink->port) {
      return fail(Errc::invalid, fmt::format("port {} is already connected", uplink->port));
    }
  }
  options.uplinks.push_back(*uplink);
  return {};
}

Result<> set_text(std::string_view text, std::string& into) {
  if (text.empty()) return fail(Errc::invalid, "the value is empty");
  into = text;
  return {};
}

MacAddress next_mac(MacAddress address, std::size_t distance) {
  address.bytes[5] = static_cast<std::uint8_t>(address.bytes[5] + distance);
  return address;
}

// Returns the error for an option that does not exist or takes no value. `known` has the options
// with a value.
Error unknown_option(const std::string& name, const auto& known) {
  std::vector<std::string> names = {"--trace", "--verbose", "--help"};
  if (std::ranges::find(names, name) != names.end()) {
    return {Errc::invalid, 0, fmt::format("'{}' takes no value", name)};
  }
  for (const auto& row : known) names.push_back(row.first);
  const auto near = nearest(name, names);
  return {Errc::invalid,
          0,
          fmt::format("unknown option '{}'{}",
                      printable(name),
                      near.empty() ? ", see --help" : fmt::format("; did you mean '{}'?", near))};
}

// Applies an option of the form NAME=VALUE.
Result<> apply(Options& options, std::size_t& ports, const std::string& word) {
  const auto equals = std::min(word.find('='), word.size());
  const auto name = word.substr(0, equals);
  const auto value = word.substr(std::min(equals + 1, word.size()));
  const std::map<std::string, std::function<Result<>()>, std::less<>> known = {
      {"--ports", [&] { return set_number(value, 1, kMaxPorts, ports); }},
      {"--mac", [&] { return add_mac(options, value); }},
      {"--queues", [&] { return set_number(value, 1, kMaxQueues, options.queues); }},
      {"--mtu", [&] { return set_number(value, 68, 9000, options.mtu); }},
      {"--hwc-timeout", [&] { return set_number(value, 1, 600'000, options.hwc_timeout_ms); }},
      {"--link-speed", [&] { return set_number(value, 1, 1'000'000, options.link_speed_mbps); }},
      {"--connect", [&] { return add_uplink(options, UplinkKind::peer, value); }},
      {"--tap", [&] { return add_uplink(options, UplinkKind::tap, value); }},
      {"--pcap", [&] { return set_text(value, options.capture_file); }},
      {"--fault", [&] { return add_fault(options, value); }},
      {"--hostile", [&] { return set_hostile(options, value); }},
      {"--console", [&] { return set_text(value, options.console); }},
      {"--qtest", [&] { return set_text(value, options.qtest); }},
      {"--trace-file", [&] { return set_text(value, options.trace_file); }},
  };
  const auto it = known.find(name);
  if (it == known.end()) return tl::unexpected<Error>(unknown_option(name, known));
  if (equals == word.size()) {
    return fail(Errc::invalid, fmt::format("'{}' needs a value, see --help", name));
  }
  const auto done = it->second();
  return done ? Result<>{} : because(done.error(), name);
}

}  // namespace

std::string usage(std::string_view program, std::string_view argument) {
  return fmt::format("usage: {} [OPTION...] {}\n", program, argument) +
         "  --ports=N          number of ports (default: 2)\n"
         "  --mac=ADDRESS      address of the next port; may be repeated\n"
         "  --queues=N         SQs and RQs per port (default: 16)\n"
         "  --mtu=N            maximum MTU (default: 1500)\n"
         "  --hwc-timeout=MS   let the driver query this timeout of the hardware channel\n"
         "  --link-speed=MBPS  let the driver query this link speed\n"
         "  --connect=PORT=SOCKET\n"
         "                     connect the port (from 0) to a port of another mana-device\n"
         "                     with the same SOCKET\n"
         "  --tap=PORT=INTERFACE\n"
         "                     connect the port (from 0) to this tap interface\n"
         "  --pcap=FILE        record the frames of all ports in FILE\n"
         "  --fault=CODE=ACTION[,after=N][,times=N]\n"
         "                     inject faults into responses; may be repeated\n"
         "                     CODE: number or name of a request, establish, destroy, any\n"
         "                     ACTION: refuse:STATUS, status:STATUS, ignore, no-response,\n"
         "                     short; STATUS is hexadecimal\n"
         "                     after=N: not for the first N requests (default: 0)\n"
         "                     times=N: only N times (default: unlimited)\n"
         "  --hostile=SEED[,rate=N][,kinds=KIND+...][,after=N][,times=N]\n"
         "                     misbehave at random, reproducibly\n"
         "                     rate=N: in one of N cases (default: 1000)\n"
         "                     after=N: leave out the first N misbehaviors (default: 0)\n"
         "                     times=N: only N misbehaviors (default: unlimited)\n"
         "  --console=SOCKET   accept commands on this socket; \"help\" lists them\n"
         "  --qtest=SOCKET     serve x-pci-proxy-dev of QEMU before 10.1; raise interrupts "
         "through\n"
         "                     the SOCKET of its option -qtest\n"
         "  --trace            print requests and violations on stderr\n"
         "  --trace-file=FILE  append them to FILE instead\n"
         "  -v, --verbose      print how the process is confined\n"
         "  --help             print this summary and exit\n";
}

Result<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  std::size_t ports = 2;
  for (const auto& word : arguments) {
    if (word == "--help") {
      options.help = true;
      return options;
    }
    if (word == "-v" || word == "--verbose") {
      options.verbose = true;
      continue;
    }
    if (word == "--trace") {
      options.trace = true;
      continue;
    }
    if (!word.starts_with("--")) {
      if (!options.path.empty()) return fail(Errc::invalid, "only one path is allowed");
      options.path = word;
      continue;
    }
    const auto done = apply(options, ports, word);
    if (!done) return tl::unexpected<Error>(done.error());
  }
  options.trace = options.trace || !options.trace_file.empty();
  if (options.path.empty()) return fail(Errc::invalid, "the path is missing, see --help");
  if (options.macs.size() > ports)
    return fail(Errc::invalid,
                fmt::format("more --mac ({}) than --ports ({})", options.macs.size(), ports));
  for (const auto& uplink : options.uplinks) {
    if (uplink.port >= ports) {
      return fail(
          Errc::invalid,
          fmt::format("port {} does not exist: the ports are 0 to {}", uplink.port, ports - 1));
    }
  }
  while (options.macs.size() < ports) {
    options.macs.push_back(next_mac(kFirstMac, options.macs.size()));
  }
  return options;
}

}  // namespace manactl::device
