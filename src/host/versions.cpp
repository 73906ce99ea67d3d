// SPDX-License-Identifier: MIT

#include "host/versions.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace manactl::host {
namespace {

// Returns "44.0" for "libibverbs.so.1.14.44.0": the name ends with the release of rdma-core.
Result<Release> release_in(const std::string& library) {
  const auto parts = split(library, '.');  // libibverbs so 1 14 44 0
  constexpr std::size_t kParts = 6;
  if (parts.size() >= kParts) {
    const auto release =
        Release::parse(fmt::format("{}.{}", parts[parts.size() - 2], parts[parts.size() - 1]));
    if (release) return *release;
  }
  return fail(Errc::invalid,
              fmt::format("'{}' does not end with the release of rdma-core", printable(library)));
}

// Returns "22.11 to 23.07" for ABI 23: DPDK starts a new ABI every November (abi_policy).
std::string releases_of(unsigned abi) {
  return fmt::format("{}.11 to {}.07", abi - 1, abi);
}

bool is_of_abi(const Release& release, unsigned abi) {
  return (release.major + 1 == abi && release.minor >= 11) ||
         (release.major == abi && release.minor < 11);
}

// The version in libdpdk.pc of the development package, if it has the ABI of the library.
std::optional<std::string> packaged_version(const os::Files& files,
                                            const std::string& directory,
                                            unsigned abi) {
  const auto text = files.read(directory + "/pkgconfig/libdpdk.pc");
  if (!text) return std::nullopt;
  constexpr std::string_view kKey = "Version:";
  for (const auto line : split(*text, '\n')) {
    if (!line.starts_with(kKey)) continue;
    const auto version = trim(line.substr(kKey.size()));
    const auto release = Release::parse(version);
    if (release && is_of_abi(*release, abi)) return printable(version);
  }
  return std::nullopt;
}

// The upstream version of a package, if that release has this ABI.
std::optional<std::string> upstream_of_abi(std::string_view package_version, unsigned abi) {
  const auto version = upstream_version(package_version);
  const auto release = Release::parse(version);
  if (!release || !is_of_abi(*release, abi)) return std::nullopt;
  return printable(version);
}

// The version of the library's Debian package. Libraries below usr/local do not belong to packages.
std::optional<std::string> dpkg_version(const os::Files& files,
                                        const std::string& directory,
                                        unsigned abi) {
  if (directory.starts_with("usr/local")) return std::nullopt;
  const auto status = files.read(kDpkgStatus);
  if (!status) return std::nullopt;
  const std::string name = fmt::format("Package: librte-eal{}\n", abi);
  const auto begin = status->find(name);
  if (begin == std::string::npos || (begin != 0 && (*status)[begin - 1] != '\n')) {
    return std::nullopt;
  }
  const auto paragraph =
      std::string_view(*status).substr(begin, status->find("\n\n", begin) - begin);
  bool installed = false;
  std::string_view version;
  for (const auto line : split(paragraph, '\n')) {
    if (line.starts_with("Status:")) installed = line.ends_with(" installed");
    if (line.starts_with("Version:")) version = trim(line.substr(line.find(':') + 1));
  }
  return installed ? upstream_of_abi(version, abi) : std::nullopt;
}

std::string version_of(const os::Files& files, const std::string& directory, unsigned abi) {
  auto version = packaged_version(files, directory, abi);
  if (!version) version = dpkg_version(files, directory, abi);
  return version ? *version : releases_of(abi);
}

std::string plugin_directory(const os::Files& files, const std::string& directory, unsigned abi) {
  const auto entries = files.list(directory + "/dpdk").value_or(std::vector<std::string>{});
  const std::string prefix = fmt::format("pmds-{}.", abi);
  const auto found = std::find_if(
      entries.begin(), entries.end(), [&](const auto& entry) { return entry.starts_with(prefix); });
  return found == entries.end() ? std::string() : directory + "/dpdk/" + *found;
}

bool has_plugin(const os::Files& files,
                const std::string& plugins,
                const char* name,
                unsigned abi) {
  return !plugins.empty() &&
         (exists(files, fmt::format("{}/librte_{}.so.{}", plugins, name, abi)) ||
          exists(files, fmt::format("{}/librte_{}.so", plugins, name)));
}

}  // namespace

std::string_view upstream_version(std::string_view package_version) {
  package_version.remove_prefix(std::min(package_version.find(':') + 1, package_version.size()));
  return package_version.substr(0, package_version.find_first_of("-~+"));
}

std::string_view distribution_of(std::string_view kernel_release) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kMarks = {
      {{".azl", "azurelinux"}, {".el", "rhel"}, {"+deb", "debian"}}};
  for (const auto& [mark, distribution] : kMarks) {
    if (kernel_release.find(mark) != kernel_release.npos) return distribution;
  }
  // Ubuntu's "6.8.0-1052-azure", but not SUSE's "6.4.0-150600.8.5-azure".
  const auto parts = split(kernel_release, '-');
  const bool is_ubuntu =
      parts.size() == 3 && parts[2] == "azure" && parse_unsigned(parts[1], UINT32_MAX).has_value();
  return is_ubuntu ? "ubuntu" : "";
}

std::vector<std::string> library_directories(const os::Files& files, const std::string& machine) {
  const std::string triplet = machine + "-linux-gnu";
  const std::string candidates[] = {"usr/local/lib/" + triplet,
                                    "usr/local/lib",
                                    "usr/local/lib64",
                                    "usr/lib/" + triplet,
                                    "usr/lib64",
                                    "usr/lib"};
  // Debian's loader searches usr/local first; others search it only if configured.
  const bool local_first = exists(files, "etc/ld.so.conf.d/libc.conf");
  std::vector<std::string> directories;
  std::copy_if(std::begin(candidates),
               std::end(candidates),
               std::back_inserter(directories),
               [&](const auto& directory) { return exists(files, directory); });
  if (!local_first) {
    std::stable_partition(directories.begin(), directories.end(), [](const auto& directory) {
      return !directory.starts_with("usr/local/");
    });
  }
  return directories;
}

Result<std::optional<Release>> rdma_core_release(const os::Files& files,
                                                 const std::vector<std::string>& directories) {
  for (const auto& directory : directories) {
    const std::string path = directory + "/libibverbs.so.1";
    const auto name = os::link_name(files, path);
    if (!name) {
      if (name.error().code == Errc::not_found) continue;
      return because(name.error(), "cannot determine the release of rdma-core");
    }
    const auto release = release_in(*name);
    if (!release) return tl::unexpected<Error>(release.error());
    return *release;
  }
  return std::nullopt;
}

bool has_mana_provider(const os::Files& files, const std::vector<std::string>& directories) {
  return std::any_of(directories.begin(), directories.end(), [&](const auto& directory) {
    return exists(files, directory + "/libmana.so.1");
  });
}

Result<std::vector<SystemDpdk>> installed_dpdk(const os::Files& files,
                                               const std::vector<std::string>& directories) {
  // Checking each name is cheaper than listing directories with thousands of libraries.
  constexpr unsigned kFirstAbi = 20;  // the ABI of DPDK 19.11
  constexpr unsigned kLastAbi = 30;
  std::vector<SystemDpdk> found;
  for (const auto& directory : directories) {
    for (unsigned abi = kFirstAbi; abi <= kLastAbi; ++abi) {
      SystemDpdk dpdk;
      dpdk.library = fmt::format("{}/librte_eal.so.{}", directory, abi);
      if (!exists(files, dpdk.library)) continue;
      dpdk.version = version_of(files, directory, abi);
      dpdk.plugin_directory = plugin_directory(files, directory, abi);
      dpdk.net_mana = has_plugin(files, dpdk.plugin_directory, "net_mana", abi);
      dpdk.net_netvsc = has_plugin(files, dpdk.plugin_directory, "net_netvsc", abi);
      found.push_back(std::move(dpdk));
    }
  }
  return found;
}

std::string dpdk_packages(std::string_view status) {
  constexpr std::string_view kEnd = "\n\n";
  std::string packages;
  while (!status.empty()) {
    const auto end = status.find(kEnd);
    const auto size = end == std::string_view::npos ? status.size() : end + kEnd.size();
    if (status.starts_with("Package: librte-eal")) packages += status.substr(0, size);
    status.remove_prefix(size);
  }
  return packages;
}

}  // namespace manactl::host
