// SPDX-License-Identifier: MIT
//
// A stub of libibverbs for the tests of the verbs probe. The environment variable STUB_VERBS
// selects its behavior, or names the only function that comes from the provider. The stub reads
// IBV_SHOW_WARNINGS to detect whether the probe removes variables that start with IBV_.

#include <infiniband/verbs.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#undef ibv_get_device_list

extern "C" int stub_provider_poll(ibv_cq* queue, int max, ibv_wc* done);

namespace {

int own_notify(ibv_cq* /*queue*/, int /*solicited*/) {
  return 0;
}

ibv_device devices[2];
ibv_device* table[5000] = {&devices[0], &devices[1]};
verbs_context extended;
ibv_context& context = extended.context;

std::string_view mode() {
  const char* text = std::getenv("STUB_VERBS");
  return text == nullptr ? "" : text;
}

template <class Function>
void set(const char* name, Function*& function) {
  if (mode() == name)
    function = reinterpret_cast<Function*>(reinterpret_cast<void*>(stub_provider_poll));
}

void set_provider_function() {
  set("poll_cq", context.ops.poll_cq);
  set("post_send", context.ops.post_send);
  set("post_recv", context.ops.post_recv);
  set("req_notify_cq", context.ops.req_notify_cq);
  set("post_srq_recv", context.ops.post_srq_recv);
  set("create_qp_ex", extended.create_qp_ex);
  set("create_cq_ex", extended.create_cq_ex);
  set("create_wq", extended.create_wq);
  set("modify_wq", extended.modify_wq);
  set("destroy_wq", extended.destroy_wq);
  set("create_rwq_ind_table", extended.create_rwq_ind_table);
  set("destroy_rwq_ind_table", extended.destroy_rwq_ind_table);
  set("alloc_parent_domain", extended.alloc_parent_domain);
  set("query_device_ex", extended.query_device_ex);
  set("create_srq_ex", extended.create_srq_ex);
  set("create_flow", extended.ibv_create_flow);
}

}  // namespace

extern "C" ibv_device** ibv_get_device_list(int* count) {
  if (mode() == "crash") raise(SIGSEGV);
  while (mode() == "hang") pause();
  if (mode() == "exit") _exit(0);
  *count = 0;
  if (mode() == "none") return nullptr;
  errno = mode() == "refuse" ? EACCES : ENOSYS;
  if (mode() == "refuse" || mode() == "nokernel") return nullptr;
  std::strcpy(devices[0].name, "mana_0");
  std::strcpy(devices[1].name, std::getenv("IBV_SHOW_WARNINGS") == nullptr ? "mana_1" : "noisy");
  *count = mode() == "many" ? 5000 : 2;
  for (int i = 2; i < *count; ++i) table[i] = &devices[1];
  errno = EACCES;  // without meaning after a success
  return table;
}

extern "C" const char* ibv_get_device_name(ibv_device* device) {
  return device->name;
}

extern "C" ibv_context* ibv_open_device(ibv_device* device) {
  if (device == &devices[1]) {
    if (mode() != "no errno") errno = EACCES;
    return nullptr;
  }
  context.abi_compat = __VERBS_ABI_IS_EXTENDED;
  extended.sz = sizeof extended;
  context.device = device;
  context.ops.req_notify_cq = own_notify;
  if (mode().empty()) context.ops.poll_cq = stub_provider_poll;
  set_provider_function();
  return &context;
}
