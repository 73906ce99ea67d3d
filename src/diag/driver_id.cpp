// SPDX-License-Identifier: MIT

#include "diag/driver_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "diag/fact_lookups.h"
#include "diag/release_table.h"

namespace manactl::diag {

namespace {

constexpr const char* kTooOld = "rdma-core before 44 has no provider for MANA";

// The index is a driver id: enum rdma_driver_id in Linux include/uapi/rdma/ib_user_ioctl_verbs.h.
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

std::string provider_text(const ProviderChoice& provider) {
  switch (provider.kind) {
    case ProviderChoice::Kind::chosen:
      return "libibverbs chose " + provider.name;
    case ProviderChoice::Kind::none:
      return "libibverbs found no provider";
    case ProviderChoice::Kind::unknown:
      break;
  }
  return fmt::format("the choice of libibverbs is unknown ({})", provider.reason);
}

bool is_too_old_for_mana(const DriverIdInput& in) {
  return in.rdma_core && *in.rdma_core < release_table().mana_provider;
}

// Judges a kernel that reports 19: MANA in the 5.15 backport, but ERDMA in rdma-core 43 and later.
DriverIdVerdict judge_backport(const DriverIdInput& in) {
  if (in.provider.kind == ProviderChoice::Kind::chosen && in.provider.name == "mana") {
    return {Status::pass, "kernel and rdma-core are both patched to use 19"};
  }
  const bool unclaimed = in.rdma_core && *in.rdma_core < release_table().erdma_provider;
  if (in.provider.kind == ProviderChoice::Kind::chosen) {
    return {Status::fail, "19 is MANA in this kernel but ERDMA in rdma-core", true};
  }
  if (in.provider.kind == ProviderChoice::Kind::none) {
    return unclaimed ? DriverIdVerdict{Status::fail, kTooOld, true, true}
                     : DriverIdVerdict{Status::fail, "rdma-core has no MANA provider for 19", true};
  }
  if (!in.rdma_core) return {Status::warn, "only an rdma-core that is patched for 19 works", true};
  return {Status::fail,
          unclaimed ? kTooOld : "19 is ERDMA in this rdma-core unless it is patched",
          true,
          unclaimed};
}

// Judges a kernel that reports 20 for MANA, as upstream kernels do.
DriverIdVerdict judge_upstream(const DriverIdInput& in) {
  if (in.provider.kind == ProviderChoice::Kind::chosen) {
    if (in.provider.name == "mana") return {Status::pass, "kernel and rdma-core both use 20"};
    return {Status::fail, "rdma-core is patched to use 19, but this kernel uses 20", true};
  }
  if (in.provider.kind == ProviderChoice::Kind::none) {
    // Programs that are linked with libmana, such as those with net_mana, need no plug-in.
    if (in.rdma_core && !is_too_old_for_mana(in) && in.has_mana_library) {
      return {Status::pass, "kernel and rdma-core both use 20"};
    }
    return is_too_old_for_mana(in)
               ? DriverIdVerdict{Status::fail, kTooOld, false, true}
               : DriverIdVerdict{
                     Status::fail, "the MANA provider (libmana) is not installed", false, true};
  }
  if (is_too_old_for_mana(in)) return {Status::fail, kTooOld, false, true};
  if (in.rdma_core) return {Status::pass, "kernel and rdma-core both use 20"};
  return {Status::unknown, "20 is correct, but the version of rdma-core is unknown"};
}

DriverIdVerdict judge_other(const DriverIdInput& in) {
  if (in.provider.kind == ProviderChoice::Kind::chosen && in.provider.name == "mana") {
    return {Status::warn, "libmana claims this id, but no known release assigns it to MANA"};
  }
  if (*in.kernel == 0) {
    return {Status::fail,
            "the kernel reports no driver id, but libibverbs finds libmana only by this id"};
  }
  return {Status::fail, "this id belongs to another driver", true};
}

DriverIdVerdict judge_known(const DriverIdInput& in) {
  switch (*in.kernel) {
    case kBackportManaId:
      return judge_backport(in);
    case kManaId:
      return judge_upstream(in);
    default:
      return judge_other(in);
  }
}

DriverIdVerdict judge_without_id(const DriverIdInput& in) {
  if (!in.has_character_device) {
    return {Status::fail,
            fmt::format("{}: ib_uverbs is not loaded, so the device has no character device and no "
                        "driver id",
                        in.device)};
  }
  return {Status::unknown,
          fmt::format("{}: cannot read the kernel's driver id ({})", in.device, in.error)};
}

}  // namespace

std::string provider_name(std::string_view library) {
  const auto slash = library.rfind('/');
  if (slash != std::string_view::npos) library.remove_prefix(slash + 1);
  if (library.starts_with("lib")) library.remove_prefix(3);
  return std::string(library.substr(0, library.find_first_of("-.")));
}

std::string driver_id_owner(std::uint32_t driver_id) {
  return driver_id < kOwners.size() ? std::string(kOwners[driver_id]) : std::string();
}

DriverIdVerdict judge_driver_id(const DriverIdInput& input) {
  if (!input.kernel) return judge_without_id(input);
  DriverIdVerdict verdict = judge_known(input);
  verdict.name = fmt::format("{} ({})", input.device, *input.kernel);
  verdict.line = fmt::format("{}: kernel reports {}, {} ({}): {}",
                             input.device,
                             *input.kernel,
                             provider_text(input.provider),
                             core_text(input.rdma_core),
                             verdict.line);
  // If BTF and the reported id differ, kernel image and mana_ib were built from different sources.
  if (input.btf && *input.btf != static_cast<std::int64_t>(*input.kernel)) {
    verdict.line += fmt::format("; but BTF has RDMA_DRIVER_MANA = {}", *input.btf);
    if (verdict.status == Status::pass) verdict.status = Status::warn;
  }
  return verdict;
}

ProviderChoice provider_of(const host::Facts& facts, const std::string& device) {
  using Kind = ProviderChoice::Kind;
  if (!facts.rdma.providers) {
    return {Kind::unknown, "", facts.rdma.providers.error().message};
  }
  const auto& all = *facts.rdma.providers;
  const auto found = std::find_if(
      all.begin(), all.end(), [&device](const host::Provider& p) { return p.device == device; });
  if (found == all.end()) return {Kind::none, "", ""};
  if (found->library.empty()) return {Kind::unknown, "", found->error};
  return {Kind::chosen, provider_name(found->library), ""};
}

bool has_mana_library(const host::Facts& facts) {
  return facts.rdma.mana_provider && *facts.rdma.mana_provider;
}

DriverIdInput driver_id_input(const host::RdmaDevice& device, const host::Facts& facts) {
  DriverIdInput input;
  input.device = device.name;
  input.kernel = device.driver_id;
  // A missing character device counts only if ib_uverbs, which creates it, is known to be absent.
  input.has_character_device = !device.uverbs.empty() || !is_absent(facts, "ib_uverbs");
  input.error = device.error;
  if (facts.rdma.btf_mana) input.btf = *facts.rdma.btf_mana;
  input.provider = provider_of(facts, device.name);
  if (facts.rdma.rdma_core) input.rdma_core = *facts.rdma.rdma_core;
  input.has_mana_library = has_mana_library(facts);
  return input;
}

}  // namespace manactl::diag
