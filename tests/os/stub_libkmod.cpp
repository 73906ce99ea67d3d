// SPDX-License-Identifier: MIT
//
// A stub of libkmod for the tests of modules. The environment variable STUB_KMOD names the function
// that fails; STUB_KMOD_LOG receives the calls.

#include <libkmod.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <string>

struct kmod_ctx {};

struct kmod_config_iter {
  const std::array<const char*, 2>* next;
  const std::array<const char*, 2>* end;
  const std::array<const char*, 2>* entry;
};

struct kmod_list {};

struct kmod_module {};

namespace {

using Entry = std::array<const char*, 2>;

const Entry blacklists[] = {{"other", nullptr}, {"mana_ib", nullptr}};
const Entry installs[] = {{"no_command", nullptr},
                          {"empty_command", " "},
                          {"loop", "/sbin/x false"},
                          {"uio-hv-generic", "/bin/false"}};
kmod_ctx context;
kmod_list list;
kmod_module module;
std::string name;

bool fails(const std::string& call) {
  return call == std::getenv("STUB_KMOD");
}

void log(const std::string& call) {
  setenv("STUB_KMOD_LOG", (std::getenv("STUB_KMOD_LOG") + call + ' ').c_str(), 1);
}

template <std::size_t N>
kmod_config_iter* iterate(const Entry (&entries)[N]) {
  if (fails("iterators")) return nullptr;
  return new kmod_config_iter{entries, entries + N, nullptr};
}

}  // namespace

extern "C" {
kmod_ctx* kmod_new(const char* /*directory*/, const char* const* paths) {
  std::string text;
  for (; paths != nullptr && *paths != nullptr; ++paths) {
    text += (text.empty() ? "" : ",") + std::string(*paths);
  }
  log("new(" + text + ")");
  return fails("new") ? nullptr : &context;
}

kmod_ctx* kmod_unref(kmod_ctx* /*context*/) {
  log("end");
  return nullptr;
}

kmod_config_iter* kmod_config_get_blacklists(const kmod_ctx* /*context*/) {
  return iterate(blacklists);
}

kmod_config_iter* kmod_config_get_install_commands(const kmod_ctx* /*context*/) {
  return iterate(installs);
}

bool kmod_config_iter_next(kmod_config_iter* entries) {
  if (entries->next == entries->end) return false;
  entries->entry = entries->next++;
  return true;
}

const char* kmod_config_iter_get_key(const kmod_config_iter* entries) {
  return (*entries->entry)[0];
}

const char* kmod_config_iter_get_value(const kmod_config_iter* entries) {
  return (*entries->entry)[1];
}

void kmod_config_iter_free_iter(kmod_config_iter* entries) {
  log("free_iter");
  delete entries;
}

int kmod_module_new_from_lookup(kmod_ctx* /*context*/, const char* alias, kmod_list** found) {
  log("lookup(" + std::string(alias) + ")");
  if (fails("lookup")) return -EACCES;
  name = alias;
  *found = fails("nothing") ? nullptr : &list;
  return 0;
}

int kmod_module_unref_list(kmod_list* /*found*/) {
  log("free_list");
  return 0;
}

kmod_module* kmod_module_get_module(const kmod_list* /*found*/) {
  return &module;
}

kmod_module* kmod_module_unref(kmod_module* /*one*/) {
  log("free_module");
  return nullptr;
}

int kmod_module_probe_insert_module(kmod_module* one,
                                    unsigned flags,
                                    const char* /*options*/,
                                    int (*run)(kmod_module*, const char*, void*),
                                    const void* /*data*/,
                                    void (*)(kmod_module*, bool, const char*)) {
  const int ran = run(one, "/bin/sh", nullptr);  // as for a module with an install command
  log("insert(" + name + ",flags=" + std::to_string(flags >> 16U) +
      ",command=" + std::to_string(ran) + ")");
  if (fails("insert")) return -EBUSY;
  return fails("blacklist") ? KMOD_PROBE_APPLY_BLACKLIST : 0;
}
}
