/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the supported kernels, Linux 6.1 and 6.12. Kbuild defines HAVE_RING_SYSFS if
 * the bus creates the sysfs file of the rings, and HAVE_CORE_OVERRIDE if the driver core implements
 * driver_override. The kernel version does not indicate this, because these changes were back-ported
 * to stable kernels.
 */
#ifndef AZURE_VMBUS_COMPAT_H
#define AZURE_VMBUS_COMPAT_H

#include <linux/device.h>
#include <linux/hyperv.h>
#include <linux/slab.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/* Later kernels pass const pointers to the callbacks of a bus. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
typedef const struct device uevent_device;
#else
typedef struct device uevent_device;
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)
typedef const struct device_driver match_driver;
#else
typedef struct device_driver match_driver;
#endif

/*
 * override_match() returns 1 if driver_override names this driver, 0 if it names another, and -1 if it is
 * not set.
 */
#ifdef HAVE_CORE_OVERRIDE
#define BUS_OVERRIDE .driver_override = true,
static inline int override_match(struct hv_device* device, struct hv_driver* driver) {
  return device_match_driver_override(&device->device, &driver->driver);
}
static inline void override_free(struct hv_device* device) {}
#else
#define BUS_OVERRIDE
static inline int override_match(struct hv_device* device, struct hv_driver* driver) {
  return device->driver_override ? !strcmp(device->driver_override, driver->name) : -1;
}
static inline void override_free(struct hv_device* device) {
  kfree(device->driver_override);
}
#endif

#endif
