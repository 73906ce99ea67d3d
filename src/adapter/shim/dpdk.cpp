// SPDX-License-Identifier: MIT

#include "adapter/shim/dpdk.h"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>

#include <string>

namespace manactl::adapter {
namespace {

constexpr std::string_view kEal = "librte_eal.so", kNetMana = "librte_net_mana.so";

void* find_version_function() {
  return dlsym(RTLD_DEFAULT, "rte_version");
}

std::string_view file_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_net_mana_loaded() {
  const auto visit = [](dl_phdr_info* library, std::size_t, void*) {
    const std::string_view path = library->dlpi_name;
    return static_cast<int>(file_of(path).starts_with(kNetMana));
  };
  return dl_iterate_phdr(visit, nullptr) != 0;
}

bool is_any_file(const std::string& pattern) {
  glob_t found{};
  const bool any = glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0;
  globfree(&found);
  return any;
}

}  // namespace

std::string_view dpdk_release() {
  using Function = const char*();
  auto* const function = reinterpret_cast<Function*>(find_version_function());
  return function == nullptr ? std::string_view() : function();
}

bool lacks_net_mana() {
  Dl_info library{};
  const auto* const function = find_version_function();
  if (function == nullptr || dladdr(function, &library) == 0) return false;
  const std::string path = library.dli_fname;
  // In a program that contains DPDK, drivers are not libraries.
  if (!file_of(path).starts_with(kEal) || is_net_mana_loaded()) return false;
  const auto folder = path.substr(0, path.size() - file_of(path).size());
  // DPDK installs its drivers in dpdk/pmds-<ABI>; its build tree has links to them beside EAL.
  return !is_any_file(folder + "dpdk/pmds-*/" + kNetMana.data() + "*") &&
         !is_any_file(folder + kNetMana.data() + "*");
}

}  // namespace manactl::adapter
