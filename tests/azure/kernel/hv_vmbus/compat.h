/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the supported kernels, Linux 6.1 and 6.12. Kbuild defines HAVE_RING_SYSFS if
 * the bus creates the sysfs file of the rings. The kernel version does not indicate this, because
 * the change was back-ported to stable kernels.
 */
#ifndef AZURE_VMBUS_COMPAT_H
#define AZURE_VMBUS_COMPAT_H

#include <linux/device.h>
#include <linux/version.h>

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

#endif
