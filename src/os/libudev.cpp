// SPDX-License-Identifier: MIT

#include "os/libudev.h"

#include <libudev.h>

#include "base/shared_library.h"

namespace manactl::os {
namespace {

struct Libudev {
  decltype(udev_new)* create = nullptr;
  decltype(udev_unref)* unref = nullptr;
  decltype(udev_enumerate_new)* enumerate_new = nullptr;
  decltype(udev_enumerate_unref)* enumerate_unref = nullptr;
  decltype(udev_enumerate_add_match_subsystem)* enumerate_add_match_subsystem = nullptr;
  decltype(udev_enumerate_add_match_sysattr)* enumerate_add_match_sysattr = nullptr;
  decltype(udev_enumerate_scan_devices)* enumerate_scan_devices = nullptr;
  decltype(udev_enumerate_get_list_entry)* enumerate_get_list_entry = nullptr;
  decltype(udev_list_entry_get_next)* list_entry_get_next = nullptr;
  decltype(udev_list_entry_get_name)* list_entry_get_name = nullptr;
  decltype(udev_device_new_from_syspath)* device_new_from_syspath = nullptr;
  decltype(udev_device_unref)* device_unref = nullptr;
  decltype(udev_device_get_sysname)* device_get_sysname = nullptr;
  decltype(udev_device_get_syspath)* device_get_syspath = nullptr;
  decltype(udev_device_get_driver)* device_get_driver = nullptr;
  decltype(udev_device_get_sysattr_value)* device_get_sysattr_value = nullptr;
};

Result<Libudev> load_libudev() {
  const auto library = SharedLibrary::open("libudev.so.1");
  if (!library) return tl::unexpected<Error>(library.error());
  Libudev calls;
  FunctionBinder bind(*library);
  bind("udev_new", calls.create);
  bind("udev_unref", calls.unref);
  bind("udev_enumerate_new", calls.enumerate_new);
  bind("udev_enumerate_unref", calls.enumerate_unref);
  bind("udev_enumerate_add_match_subsystem", calls.enumerate_add_match_subsystem);
  bind("udev_enumerate_add_match_sysattr", calls.enumerate_add_match_sysattr);
  bind("udev_enumerate_scan_devices", calls.enumerate_scan_devices);
  bind("udev_enumerate_get_list_entry", calls.enumerate_get_list_entry);
  bind("udev_list_entry_get_next", calls.list_entry_get_next);
  bind("udev_list_entry_get_name", calls.list_entry_get_name);
  bind("udev_device_new_from_syspath", calls.device_new_from_syspath);
  bind("udev_device_unref", calls.device_unref);
  bind("udev_device_get_sysname", calls.device_get_sysname);
  bind("udev_device_get_syspath", calls.device_get_syspath);
  bind("udev_device_get_driver", calls.device_get_driver);
  bind("udev_device_get_sysattr_value", calls.device_get_sysattr_value);
  if (bind.problem()) return tl::unexpected<Error>(*bind.problem());
  return calls;
}

const Result<Libudev>& libudev() {
  static const auto loaded = load_libudev();
  return loaded;
}

}  // namespace

std::string libudev_obstacle() {
  return libudev() ? std::string() : libudev().error().message;
}

}  // namespace manactl::os

using manactl::os::libudev;

extern "C" {

udev* udev_new() {
  return libudev()->create();
}

udev* udev_unref(udev* context) {
  return libudev()->unref(context);
}

udev_enumerate* udev_enumerate_new(udev* context) {
  return libudev()->enumerate_new(context);
}

udev_enumerate* udev_enumerate_unref(udev_enumerate* search) {
  return libudev()->enumerate_unref(search);
}

int udev_enumerate_add_match_subsystem(udev_enumerate* search, const char* subsystem) {
  return libudev()->enumerate_add_match_subsystem(search, subsystem);
}

int udev_enumerate_add_match_sysattr(udev_enumerate* search,
                                     const char* attribute,
                                     const char* value) {
  return libudev()->enumerate_add_match_sysattr(search, attribute, value);
}

int udev_enumerate_scan_devices(udev_enumerate* search) {
  return libudev()->enumerate_scan_devices(search);
}

udev_list_entry* udev_enumerate_get_list_entry(udev_enumerate* search) {
  return libudev()->enumerate_get_list_entry(search);
}

udev_list_entry* udev_list_entry_get_next(udev_list_entry* entry) {
  return libudev()->list_entry_get_next(entry);
}

const char* udev_list_entry_get_name(udev_list_entry* entry) {
  return libudev()->list_entry_get_name(entry);
}

udev_device* udev_device_new_from_syspath(udev* context, const char* path) {
  return libudev()->device_new_from_syspath(context, path);
}

udev_device* udev_device_unref(udev_device* device) {
  return libudev()->device_unref(device);
}

const char* udev_device_get_sysname(udev_device* device) {
  return libudev()->device_get_sysname(device);
}

const char* udev_device_get_syspath(udev_device* device) {
  return libudev()->device_get_syspath(device);
}

const char* udev_device_get_driver(udev_device* device) {
  return libudev()->device_get_driver(device);
}

const char* udev_device_get_sysattr_value(udev_device* device, const char* name) {
  return libudev()->device_get_sysattr_value(device, name);
}

}  // extern "C"
