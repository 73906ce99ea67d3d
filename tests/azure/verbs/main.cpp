// SPDX-License-Identifier: MIT
//
// manactl-azure-verbs: makes the first verbs calls of net_mana with the guest's libibverbs. It
// opens an RDMA device, allocates a protection domain and a parent domain, and prints one line for
// each step.

#include <dlfcn.h>
#include <infiniband/verbs.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>

namespace {

// Prints "open_device: ok" or, for example, "open_device: Operation not supported".
bool report(const char* what, bool good) {
  const std::string error = std::generic_category().message(errno);
  std::printf("%s: %s\n", what, good ? "ok" : error.c_str());
  return good;
}

// Prints the library of the provider. poll_cq always belongs to the provider, never to libibverbs.
void report_provider(ibv_context* context) {
  Dl_info info{};
  const void* call = reinterpret_cast<void*>(context->ops.poll_cq);
  const bool found = dladdr(call, &info) != 0 && info.dli_fname != nullptr;
  const std::string file = found ? info.dli_fname : "?";
  std::printf("provider: %s\n", file.substr(file.rfind('/') + 1).c_str());
}

bool use(ibv_context* context) {
  ibv_pd* domain = ibv_alloc_pd(context);
  if (!report("alloc_pd", domain != nullptr)) return false;
  ibv_parent_domain_init_attr attributes{};
  attributes.pd = domain;
  ibv_pd* parent = ibv_alloc_parent_domain(context, &attributes);
  const bool good = report("alloc_parent_domain", parent != nullptr);
  if (parent != nullptr) ibv_dealloc_pd(parent);
  return report("dealloc_pd", ibv_dealloc_pd(domain) == 0) && good;
}

}  // namespace

int main() {
  int count = 0;
  ibv_device** devices = ibv_get_device_list(&count);
  std::printf("devices: %d\n", count);
  if (devices == nullptr || count == 0) return 1;
  ibv_context* context = ibv_open_device(devices[0]);
  if (!report("open_device", context != nullptr)) return 1;
  report_provider(context);
  const bool good = use(context);
  ibv_close_device(context);
  ibv_free_device_list(devices);
  return good ? 0 : 1;
}
