// SPDX-License-Identifier: MIT

#include "cli/setup/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/text.h"

namespace manactl::cli {
namespace {

std::string eal_line(const ArgsDevices& devices) {
  return join(eal_arguments(devices.slots, devices.allow_channels), " ");
}

CpuList all_of(Lcores lcores) {
  lcores.workers.insert(lcores.workers.begin(), lcores.main);
  return {std::move(lcores.workers)};
}

// Returns the lcores of testpmd, which needs at least two: EAL's main lcore does not forward.
std::string lcore_options(const host::ProgramSize& size) {
  if (size.cpus.size() == 1) return fmt::format("--lcores=0@{0},1@{0}", size.cpus.front());
  return "-l " + all_of(lcores_of(size)).str();
}

std::vector<std::string> render_testpmd(const ArgsDevices& devices, const host::ProgramSize& size) {
  return {
      fmt::format("dpdk-testpmd {} {} -- --forward-mode=txonly --auto-start --nb-cores={} --txq={} "
                  "--rxq={} --txd={} --rxd={} --stats 2",
                  lcore_options(size),
                  eal_line(devices),
                  size.threads,
                  size.queues,
                  size.queues,
                  kDescriptors,
                  kDescriptors)};
}

std::vector<std::string> render_eal(const ArgsDevices& devices, const host::ProgramSize& /*size*/) {
  return {eal_line(devices)};
}

// SPDK passes the words of its option --env-context to EAL (lib/env_dpdk/init.c).
std::vector<std::string> render_spdk(const ArgsDevices& devices,
                                     const host::ProgramSize& /*size*/) {
  return {"--env-context " + shell_word(eal_line(devices))};
}

// The DPDK that SPDK builds by default (dpdkbuild/Makefile) contains no NIC drivers.
std::vector<std::string> limits_of_spdk(const ArgsDevices& /*devices*/) {
  return {
      "the DPDK that SPDK builds lacks net_mana and net_netvsc: configure SPDK with --with-dpdk "
      "and "
      "a DPDK that has them"};
}

std::vector<std::string> render_environment(const ArgsDevices& devices,
                                            const host::ProgramSize& /*size*/) {
  std::vector<std::string> buses, macs, channels;
  for (const auto& slot : devices.slots) {
    buses.push_back(slot.pci.str());
    for (const auto& mac : slot.macs) macs.push_back(mac.str());
    channels.insert(channels.end(), slot.channels.begin(), slot.channels.end());
  }
  return {"BUS_INFO=" + shell_word(join(buses, " ")),
          "MANA_MAC=" + shell_word(join(macs, " ")),
          "DEV_UUID=" + shell_word(join(channels, " ")),
          "EAL_ARGS=" + shell_word(eal_line(devices))};
}

constexpr Program kTestpmd{.name = "testpmd",
                           .title = "dpdk-testpmd",
                           .threads = "forwarding threads",
                           .render = render_testpmd};
constexpr Program kEal{.name = "eal", .title = "EAL", .render = render_eal};
constexpr Program kSpdk{
    .name = "spdk", .title = "SPDK", .render = render_spdk, .limits = limits_of_spdk};
constexpr Program kEnvironment{.name = "env", .title = "the shell", .render = render_environment};

constexpr std::array<const Program*, 7> kPrograms = {
    &kTestpmd, &kEal, &kOpenVswitch, &kSuricata, &kVpp, &kSpdk, &kEnvironment};

std::string cpu_warning(const Program& program,
                        const ArgsDevices& devices,
                        const host::ProgramSize& size) {
  if (size.cpus.empty()) {
    return fmt::format("the CPUs of this process are unknown, so the arguments name CPUs {}",
                       all_of(lcores_of(size)).str()) +
           (devices.facts->cpus ? std::string() : ": " + devices.facts->cpus.error().message);
  }
  if (size.cpus.size() > size.threads) return {};
  return fmt::format(
      "this process may use only CPU {}, which the two lcores of {} share: allow it more CPUs",
      size.cpus.front(),
      program.title);
}

Result<> check_threads(const Program& program, unsigned threads) {
  if (program.threads.empty()) {
    return fail(Errc::invalid,
                fmt::format("--for {} does not set threads; omit --threads", program.name));
  }
  const unsigned queues = threads + program.other_queues;
  if (std::has_single_bit(queues) && queues <= host::kMaxQueues) return {};
  const unsigned above = std::bit_ceil(queues), below = above / 2;
  std::vector<std::string> possible;
  for (const unsigned count : {below, above}) {
    if (count > program.other_queues && count <= host::kMaxQueues)
      possible.push_back(std::to_string(count - program.other_queues));
  }
  return fail(
      Errc::invalid,
      fmt::format("{} {} of {} need {} queues, and net_mana accepts only powers of two up to "
                  "{}: use {}",
                  threads,
                  program.threads,
                  program.title,
                  queues,
                  host::kMaxQueues,
                  join(possible, " or ")));
}

}  // namespace

std::span<const Program* const> programs() {
  return kPrograms;
}

std::vector<std::string> program_names() {
  std::vector<std::string> words;
  for (const auto* program : kPrograms) words.emplace_back(program->name);
  return words;
}

const Program* find_program(std::string_view name) {
  const auto found = std::ranges::find(kPrograms, name, &Program::name);
  return found == kPrograms.end() ? nullptr : *found;
}

Result<ProgramArgs> args_of(const Program& program,
                            const ArgsDevices& devices,
                            std::optional<unsigned> threads) {
  const auto possible = threads ? check_threads(program, *threads) : Result<>();
  if (!possible) return tl::unexpected<Error>(possible.error());
  ProgramArgs args;
  args.size = host::size_of_program(*devices.facts, devices.node, program.other_queues, threads);
  if (args.size.threads > 1 && devices.facts->cpus && args.size.cpus.size() <= args.size.threads) {
    return fail(Errc::unsupported,
                fmt::format("{} {} need {} CPUs with the main lcore, and this process may use {}",
                            args.size.threads,
                            program.threads,
                            args.size.threads + 1,
                            args.size.cpus.size()));
  }
  args.size.hugepage_bytes = program.hugepage_bytes != nullptr
                                 ? program.hugepage_bytes(devices)
                                 : host::testpmd_bytes(args.size.threads);
  args.lines = program.render(devices, args.size);
  if (program.limits != nullptr) args.warnings = program.limits(devices);
  if (program.threads.empty()) return args;
  auto warning = cpu_warning(program, devices, args.size);
  if (!warning.empty()) args.warnings.push_back(std::move(warning));
  return args;
}

Lcores lcores_of(const host::ProgramSize& size) {
  auto cpus = size.cpus;
  while (cpus.size() <= size.threads) {
    const bool shares = !size.cpus.empty();
    cpus.push_back(shares ? cpus.front() : static_cast<unsigned>(cpus.size()));
  }
  return {cpus.front(), {cpus.begin() + 1, cpus.end()}};
}

std::vector<PortOfNic> ports_of(const ArgsDevices& devices) {
  std::vector<PortOfNic> ports;
  for (const auto* nic : devices.nics) {
    const auto id = nic->vmbus ? nic->vmbus->str() : std::string();
    const bool has_channel = std::ranges::any_of(devices.slots, [&id](const setup::Slot& slot) {
      return std::ranges::find(slot.channels, id) != slot.channels.end();
    });
    ports.push_back({nic,
                     nic->vf->mac,
                     has_channel ? id : std::string(),
                     *nic->vf->pci,
                     nic->vf->dev_port.value_or(0) + 1});
  }
  return ports;
}

bool accepts_channels(const host::Facts& facts) {
  static constexpr Release kFirst{23, 11, 0};
  const auto installed = facts.dpdk.value_or(std::vector<host::SystemDpdk>{});
  return std::ranges::all_of(installed, [](const host::SystemDpdk& dpdk) {
    const auto release = Release::parse(dpdk.version);
    return !release || *release >= kFirst;
  });
}

std::vector<std::string> eal_arguments(const std::vector<setup::Slot>& slots, bool allow_channels) {
  std::vector<std::string> arguments;
  for (const auto& slot : slots) {
    arguments.push_back("--vdev=" + setup::vdev_of(slot));
    if (!allow_channels) continue;
    for (const auto& channel : slot.channels) {
      arguments.emplace_back("-a");
      arguments.push_back(channel);
    }
  }
  return arguments;
}

}  // namespace manactl::cli
