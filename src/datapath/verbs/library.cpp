// SPDX-License-Identifier: MIT
#include "datapath/verbs/library.h"

#include <dlfcn.h>

#include <filesystem>

#include "base/late_library.h"
#include "base/text.h"

namespace manactl::datapath::verbs {

namespace {

constexpr const char* kRing = "manactl_sim_ring";
constexpr const char* kPackage = "rdma-core 44 or later (libibverbs1, ibverbs-providers)";

// The one that is in front of all others, or the system's.
Result<LateLibrary> find(const char* symbol, const std::string& soname) {
  const auto loaded = LateLibrary::loaded();
  if (loaded.function<void()>(symbol)) return loaded;
  return LateLibrary::open(soname);
}

Result<> missing(const Error& cause) {
  return fail(cause.code, fmt::format("{}; install {}", cause.message, kPackage));
}

Result<> bind_verbs(const LateLibrary& from, Library& into) {
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
  return bind.problem() ? missing(*bind.problem()) : Result<>();
}

Result<> bind_mana(const LateLibrary& from, Library& into) {
  FunctionBinder bind(from);
  bind("manadv_set_context_attr", into.set_context_attr);
  bind("manadv_init_obj", into.init_obj);
  return bind.problem() ? missing(*bind.problem()) : Result<>();
}

}  // namespace

Result<Library> load_library() {
  const auto verbs = find("ibv_get_device_list", "libibverbs.so.1");
  if (!verbs) return tl::unexpected<Error>(missing(verbs.error()).error());
  const auto mana = find("manadv_init_obj", "libmana.so.1");
  if (!mana) return tl::unexpected<Error>(missing(mana.error()).error());
  Library library;
  if (auto good = bind_verbs(*verbs, library); !good) return tl::unexpected<Error>(good.error());
  if (auto good = bind_mana(*mana, library); !good) return tl::unexpected<Error>(good.error());
  if (const auto ring = LateLibrary::loaded().function<RingCall>(kRing)) library.ring = *ring;
  return library;
}

std::string version_of(const Library& library) {
  Dl_info info{};
  const auto* function = reinterpret_cast<const void*>(library.open_device);
  if (dladdr(function, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const auto file = std::filesystem::canonical(info.dli_fname, error).filename().string();
  // libibverbs.so.1.14.44.0: two numbers of the interface, then the release.
  const auto pieces = split(file, '.');
  if (error || pieces.size() < 6 || pieces.front() != "libibverbs") return {};
  return fmt::format("{}.{}", printable(pieces[4], 10), printable(pieces[5], 10));
}

bool is_simulated() {
  return LateLibrary::loaded().function<RingCall>(kRing).has_value();
}

}  // namespace manactl::datapath::verbs
