/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations shared by the files of this module.
 */
#ifndef AZRELAY_H
#define AZRELAY_H

#include <linux/pci.h>

/* A MANA function of QEMU, and the root bus on which the guest sees it. */
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
 * relay_create() removes the function from QEMU's bus. relay_add() adds it to the root bus, and relay_remove()
 * removes it from there; with `surprise`, the function first stops responding.
 */
int relay_create(struct relay* relay, struct pci_dev* function, unsigned int index);
int relay_add(struct relay* relay);
void relay_remove(struct relay* relay, bool surprise);

#endif
