/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations shared by the files of this module. The module fails to load on more than one CPU,
 * because the MMIO trap of the kernel supports only one.
 */
#ifndef AZPCI_H
#define AZPCI_H

#include <linux/pci.h>

#include "azgdma.h"

/* main.c */
extern unsigned long bar_address;
extern void __iomem* bar; /* our own mapping, which is not trapped */

/* function.c: the PCI function */
int function_init(void);
void function_exit(void);
int function_add(void);
void function_remove(void);
bool function_present(void);
bool msix_enabled(void);

/* trap.c: stores of the driver */
int trap_start(void);
void trap_stop(void);

/* msix.c: interrupts to the driver */
int msix_raise(unsigned int vector);

/* chardev.c: /dev/azgdma */
int chardev_init(void);
void chardev_exit(void);
bool model_attached(void);
void queue_store(u32 offset, u64 value);

#endif
