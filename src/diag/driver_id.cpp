// SPDX-License-Identifier: MIT

#include "diag/driver_id.h"

#include <fmt/format.h>

#include <array>

#include "base/text.h"

namespace manactl::diag {

namespace {

constexpr std::uint32_t kBackportMana = 19;
constexpr std::uint32_t kMana = 20;
constexpr Release kCoreWithErdma{43, 0, 0};
constexpr Release kCoreWithMana{44, 0, 0};

constexpr std::array<std::string_view, 23> kOwners = {
    "UNKNOWN",
    "MLX5",
    "MLX4",
    "CXGB3",
    "CXGB4",
    "MTHCA",
    "BNXT_RE",
    "OCRDMA",
    "NES",
    "I40IW and IRDMA",
    "VMW_PVRDMA",
    "QEDR",
    "HNS",
    "USNIC",
    "RXE",
    "HFI1",
    "QIB",
    "EFA",
    "SIW",
    "ERDMA since rdma-core 43, MANA in Ubuntu's 5.15 backport",
    "MANA since rdma-core 44 and Linux 6.2",
    "IONIC since rdma-core 61",
    "BNG_RE",
};

std::string core_text(const std::optional<Release>& core) {
  return core ? fmt::format("rdma-core {}", core->major)
              : std::string("rdma-core of unknown version");
}

std::string provider_text(const ProviderSeen& provider) {
  switch (provider.kind) {
    case ProviderSeen::Kind::chosen:
      return "libibverbs chose " + provider.name;
    case ProviderSeen::Kind::none:
      return "libibverbs found no provider";
    case ProviderSeen::Kind::not_known:
      break;
  }
  return fmt::format("libibverbs was not asked ({})", provider.reason);
}

bool old_for_mana(const DriverIdInput& in) {
  return in.rdma_core && *in.rdma_core < kCoreWithMana;
}

// The kernel says 19: MANA in the backport, ERDMA to rdma-core 43 and later.
DriverIdVerdict judge_backport(const DriverIdInput& in) {
  if (in.provider.kind == ProviderSeen::Kind::chosen && in.provider.name == "mana") {
    return {Status::pass, "a patched pair, both say 19"};
  }
  const bool unclaimed = in.rdma_core && *in.rdma_core < kCoreWithErdma;
  if (in.provider.kind == ProviderSeen::Kind::chosen) {
    return {Status::fail, "the kernel means MANA, rdma-core means ERDMA", true};
  }
  if (in.provider.kind == ProviderSeen::Kind::none) {
    return unclaimed
               ? DriverIdVerdict{Status::fail,
                                 "rdma-core before 44 has no provider for MANA",
                                 true,
                                 true}
               : DriverIdVerdict{Status::fail, "nobody in rdma-core claims 19 for MANA", true};
  }
  if (!in.rdma_core) return {Status::warn, "only an rdma-core patched for 19 works", true};
  return {Status::fail,
          unclaimed ? "rdma-core before 44 has no provider for MANA"
                    : "19 is ERDMA there, unless it was patched",
          true,
          unclaimed};
}

// The kernel says 20, as upstream does.
DriverIdVerdict judge_upstream(const DriverIdInput& in) {
  if (in.provider.kind == ProviderSeen::Kind::chosen) {
    if (in.provider.name == "mana") return {Status::pass, "both say 20"};
    return {Status::fail, "rdma-core is patched for the 5.15 backport, this kernel is not", true};
  }
  if (in.provider.kind == ProviderSeen::Kind::none) {
    return old_for_mana(in)
               ? DriverIdVerdict{Status::fail, "MANA came with rdma-core 44", false, true}
               : DriverIdVerdict{
                     Status::fail, "the MANA provider (libmana) is not installed", false, true};
  }
  if (old_for_mana(in)) return {Status::fail, "MANA came with rdma-core 44", false, true};
  if (in.rdma_core) return {Status::pass, "both say 20"};
  return {Status::unknown, "20 is right, but nothing is known of rdma-core"};
}

DriverIdVerdict judge_other(const DriverIdInput& in) {
  if (in.provider.kind == ProviderSeen::Kind::chosen && in.provider.name == "mana") {
    return {Status::warn, "no release gives MANA this number, yet libmana claims it"};
  }
  if (*in.kernel == 0) {
    return {Status::fail, "the kernel names no driver, and libmana is found by its number alone"};
  }
  return {Status::fail, "libmana is found by its number alone, and this is another driver's", true};
}

DriverIdVerdict judge_known(const DriverIdInput& in) {
  switch (*in.kernel) {
    case kBackportMana:
      return judge_backport(in);
    case kMana:
      return judge_upstream(in);
    default:
      return judge_other(in);
  }
}

DriverIdVerdict judge_without_id(const DriverIdInput& in) {
  if (!in.character_device) {
    return {Status::fail,
            fmt::format("{}: no character device, so the kernel reports no driver id: ib_uverbs is "
                        "not loaded",
                        in.device)};
  }
  return {Status::unknown,
          fmt::format("{}: the kernel's driver id could not be read ({})", in.device, in.error)};
}

}  // namespace

std::string provider_name(std::string_view library) {
  const auto slash = library.rfind('/');
  if (slash != std::string_view::npos) library.remove_prefix(slash + 1);
  if (library.starts_with("lib")) library.remove_prefix(3);
  return std::string(library.substr(0, library.find_first_of("-.")));
}

std::string owner_of(std::uint32_t driver_id) {
  return driver_id < kOwners.size() ? std::string(kOwners[driver_id]) : std::string();
}

DriverIdVerdict judge_driver_id(const DriverIdInput& input) {
  if (!input.kernel) return judge_without_id(input);
  DriverIdVerdict verdict = judge_known(input);
  verdict.brief = fmt::format("{} ({})", input.device, *input.kernel);
  verdict.line = fmt::format("{}: kernel says {}, {} ({}): {}",
                             input.device,
                             *input.kernel,
                             provider_text(input.provider),
                             core_text(input.rdma_core),
                             verdict.line);
  // The kernel image and the module were then not built from the same source.
  if (input.btf && *input.btf != static_cast<std::int64_t>(*input.kernel)) {
    verdict.line += fmt::format("; BTF disagrees: RDMA_DRIVER_MANA = {}", *input.btf);
    if (verdict.status == Status::pass) verdict.status = Status::warn;
  }
  return verdict;
}

}  // namespace manactl::diag
