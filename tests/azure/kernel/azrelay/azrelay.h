/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations shared by the files of this module.
 */
#ifndef AZRELAY_H
#define AZRELAY_H

#include <linux/pci.h>

/* A MANA function of QEMU, and the root bus at which the guest sees it. */
struct relay {
  struct pci_bus* source;
  unsigned int source_devfn;
  struct pci_sysdata sysdata;
  struct resource windows[PCI_STD_NUM_BARS];
  char slot_name[4];

  /* Protected by presence_lock. Configuration accesses read connected without a lock. */
  struct pci_bus* bus;
  struct pci_slot* slot;
  bool present;
  bool connected;
};

/*
 * relay_create() takes the function from its bus. relay_remove() removes the function of the root bus: with
 * surprise, the device first stops to respond, as if it had been pulled out.
 */
int relay_create(struct relay* relay, struct pci_dev* function, unsigned int index);
int relay_add(struct relay* relay);
void relay_remove(struct relay* relay, bool surprise);

#endif
