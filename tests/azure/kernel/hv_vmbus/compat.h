/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the kernels that this module is built for differ: Linux 6.1 and 6.12. Kbuild defines
 * HAVE_RING_SYSFS where the drivers leave the ring's file in sysfs to the bus: that change came to
 * stable kernels, too, so no version tells.
 */
#ifndef AZURE_VMBUS_COMPAT_H
#define AZURE_VMBUS_COMPAT_H

#include <linux/device.h>
#include <linux/version.h>

/* What the bus's callbacks may change became less. */
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
