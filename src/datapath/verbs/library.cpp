// SPDX-License-Identifier: MIT
#include "datapath/verbs/library.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/shared_library.h"
#include "base/text.h"

namespace manactl::datapath::verbs {

namespace {

constexpr const char* kDoorbellSymbol = "manactl_sim_ring";
constexpr const char* kPackage = "rdma-core 44 or later with MANA's provider";

// Returns the process itself if a preloaded library defines `symbol`, else the system's library.
Result<SharedLibrary> find_library(const char* symbol, const std::string& soname) {
  auto loaded = SharedLibrary::loaded();
  if (loaded.function<void()>(symbol)) return loaded;
  return SharedLibrary::open(soname);
}

Result<> missing_library(const Error& cause) {
  return fail(cause.code, fmt::format("{}; install {}", cause.message, kPackage));
}

Result<> bind_verbs(const SharedLibrary& from, Library& into) {
  FunctionBinder bind(from);
  bind("ibv_get_device_list", into.get_device_list);
  bind("ibv_free_device_list", into.free_device_list);
  bind("ibv_open_device", into.open_device);
  bind("ibv_close_device", into.close_device);
  bind("ibv_alloc_pd", into.alloc_pd);
  bind("ibv_dealloc_pd", into.dealloc_pd);
  bind("ibv_reg_mr", into.reg_mr);
  bind("ibv_dereg_mr", into.dereg_mr);
  bind("ibv_create_cq", into.create_cq);
  bind("ibv_destroy_cq", into.destroy_cq);
  bind("ibv_create_qp", into.create_qp);
  bind("ibv_destroy_qp", into.destroy_qp);
  bind("ibv_get_async_event", into.get_async_event);
  bind("ibv_ack_async_event", into.ack_async_event);
  bind("ibv_query_device", into.query_device);
  bind("ibv_create_comp_channel", into.create_comp_channel);
  bind("ibv_destroy_comp_channel", into.destroy_comp_channel);
  bind("ibv_get_cq_event", into.get_cq_event);
  bind("ibv_ack_cq_events", into.ack_cq_events);
  return bind.problem() ? missing_library(*bind.problem()) : Result<>();
}

Result<> bind_mana(const SharedLibrary& from, Library& into) {
  FunctionBinder bind(from);
  bind("manadv_set_context_attr", into.set_context_attr);
  bind("manadv_init_obj", into.init_obj);
  return bind.problem() ? missing_library(*bind.problem()) : Result<>();
}

}  // namespace

Result<Library> load_library() {
  const auto verbs = find_library("ibv_get_device_list", "libibverbs.so.1");
  if (!verbs) return tl::unexpected<Error>(missing_library(verbs.error()).error());
  const auto mana = find_library("manadv_init_obj", "libmana.so.1");
  if (!mana) return tl::unexpected<Error>(missing_library(mana.error()).error());
  Library library;
  if (auto good = bind_verbs(*verbs, library); !good) return tl::unexpected<Error>(good.error());
  if (auto good = bind_mana(*mana, library); !good) return tl::unexpected<Error>(good.error());
  const auto doorbell = SharedLibrary::loaded().function<DoorbellFunction>(kDoorbellSymbol);
  if (doorbell) library.doorbell = *doorbell;
  return library;
}

std::string version_of(const Library& library) {
  Dl_info info{};
  const auto* function = reinterpret_cast<const void*>(library.open_device);
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const auto file = std::filesystem::canonical(info.dli_fname, error).filename().string();
  // The name is like libibverbs.so.1.14.44.0: two numbers of the ABI, then the release.
  const auto parts = split(file, '.');
  if (error || parts.size() < 6 || parts.front() != "libibverbs") return {};
  return fmt::format("{}.{}", printable(parts[4]), printable(parts[5]));
}

bool is_simulated() {
  return SharedLibrary::loaded().function<DoorbellFunction>(kDoorbellSymbol).has_value();
}

}  // namespace manactl::datapath::verbs
