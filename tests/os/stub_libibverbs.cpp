// SPDX-License-Identifier: MIT
//
// A stub of libibverbs for the tests of the verbs probe. The environment variable STUB_VERBS
// selects its behavior. The stub reads IBV_SHOW_WARNINGS to detect whether the probe removes
// variables that start with IBV_.

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
ibv_device* table[] = {&devices[0], &devices[1], nullptr};
ibv_context context;

std::string_view mode() {
  const char* text = std::getenv("STUB_VERBS");
  return text == nullptr ? "" : text;
}

}  // namespace

extern "C" ibv_device** ibv_get_device_list(int* count) {
  if (mode() == "crash") raise(SIGSEGV);
  while (mode() == "hang") pause();
  if (mode() == "exit") _exit(0);
  *count = 0;
  errno = mode() == "refuse" ? EACCES : ENOSYS;
  if (mode() == "refuse" || mode() == "nokernel") return nullptr;
  std::strcpy(devices[0].name, "mana_0");
  std::strcpy(devices[1].name, std::getenv("IBV_SHOW_WARNINGS") == nullptr ? "mana_1" : "noisy");
  *count = 2;
  return table;
}

extern "C" const char* ibv_get_device_name(ibv_device* device) {
  return device->name;
}

extern "C" ibv_context* ibv_open_device(ibv_device* device) {
  if (device == &devices[1]) {
    errno = EACCES;
    return nullptr;
  }
  context.device = device;
  context.ops.req_notify_cq = own_notify;
  context.ops.poll_cq = mode() == "bare" ? nullptr : stub_provider_poll;
  return &context;
}
