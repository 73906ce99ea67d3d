/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between the supported kernels, Linux 6.1 and 6.12.
 */
#ifndef AZPCI_COMPAT_H
#define AZPCI_COMPAT_H

#include <linux/mm.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#include <linux/unaligned.h>
#else
#include <asm/unaligned.h>
#endif

/* Since Linux 6.3, vm_flags must not be written directly. */
static inline void add_vm_flags(struct vm_area_struct* vma, unsigned long flags) {
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
  vm_flags_set(vma, flags);
#else
  vma->vm_flags |= flags;
#endif
}

#endif
