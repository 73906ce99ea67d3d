// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exposes a PCI function of QEMU in a PCI domain of its own. The root bus of that domain forwards
 * configuration accesses to the function. The function keeps its BARs, and its MSI-X messages need no
 * relay.
 */
#include <linux/module.h>
#include <linux/pci.h>

#include "azrelay.h"

/* The PCI domain of the first MANA function on Azure. */
#define FIRST_DOMAIN	0x7870
#define BAR_FLAGS	(IORESOURCE_MEM | IORESOURCE_PREFETCH | IORESOURCE_MEM_64)

static struct relay *relay_of(struct pci_bus *bus)
{
	return container_of(bus->sysdata, struct relay, sysdata);
}

/* The PCI core holds pci_lock, which serializes configuration accesses on all buses. */
static int config_read(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 *value)
{
	struct relay *relay = relay_of(bus);

	if (devfn || !READ_ONCE(relay->connected)) {
		*value = ~0U;
		return PCIBIOS_DEVICE_NOT_FOUND;
	}
	return relay->source->ops->read(relay->source, relay->source_devfn, where, size, value);
}

static int config_write(struct pci_bus *bus, unsigned int devfn, int where, int size, u32 value)
{
	struct relay *relay = relay_of(bus);

	if (devfn || !READ_ONCE(relay->connected))
		return PCIBIOS_DEVICE_NOT_FOUND;
	return relay->source->ops->write(relay->source, relay->source_devfn, where, size, value);
}

static struct pci_ops config_ops = { .read = config_read, .write = config_write };

/* Copies the BARs to the windows of the new root bus. create_bus() reserves them in their parent resources. */
static int copy_windows(struct relay *relay, struct pci_dev *function, struct resource **parents)
{
	unsigned int i;

	for (i = 0; i < PCI_STD_NUM_BARS; i++) {
		struct resource *bar = &function->resource[i], *window = &relay->windows[i];

		if (!resource_size(bar) || !(bar->flags & IORESOURCE_MEM))
			continue;
		parents[i] = pci_find_parent_resource(function, bar);
		if (!parents[i])
			return -EBUSY;
		window->name = "azrelay";
		window->start = bar->start;
		window->end = bar->end;
		window->flags = bar->flags & BAR_FLAGS;
	}
	return 0;
}

static int create_bus(struct relay *relay, struct resource **parents)
{
	LIST_HEAD(resources);
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < PCI_STD_NUM_BARS; i++) {
		if (!parents[i])
			continue;
		err = request_resource(parents[i], &relay->windows[i]);
		if (!err)
			pci_add_resource(&resources, &relay->windows[i]);
	}
	if (!err) {
		pci_lock_rescan_remove();
		relay->bus = pci_create_root_bus(NULL, 0, &config_ops, &relay->sysdata, &resources);
		pci_unlock_rescan_remove();
	}
	if (relay->bus)
		return 0;
	pci_free_resource_list(&resources);
	for (i = 0; i < PCI_STD_NUM_BARS; i++)
		if (relay->windows[i].parent)
			release_resource(&relay->windows[i]);
	return err ?: -ENOMEM;
}

int relay_create(struct relay *relay, struct pci_dev *function, unsigned int index)
{
	struct resource *parents[PCI_STD_NUM_BARS] = {};
	int err;

	relay->source = function->bus;
	relay->source_devfn = function->devfn;
	relay->sysdata.domain = FIRST_DOMAIN + index;
	relay->sysdata.node = NUMA_NO_NODE;
	/* hv_netvsc finds a VF by this name: it must be the serial number that hv_vmbus sends. */
	snprintf(relay->slot_name, sizeof(relay->slot_name), "%u", index + 1);
	err = copy_windows(relay, function, parents);
	if (err)
		return err;
	pci_stop_and_remove_bus_device_locked(function);
	return create_bus(relay, parents);
}

/* Claims the BARs at their addresses, because QEMU has mapped them there. */
static int claim_bars(struct relay *relay, struct pci_dev *function)
{
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < PCI_STD_NUM_BARS; i++)
		if (relay->windows[i].flags)
			err = pci_claim_resource(function, i);
	return err;
}

int relay_add(struct relay *relay)
{
	struct pci_dev *function;
	int err = 0;

	relay->connected = true;
	pci_lock_rescan_remove();
	relay->slot = pci_create_slot(relay->bus, 0, relay->slot_name, NULL);
	if (IS_ERR(relay->slot)) {
		err = PTR_ERR(relay->slot);
		relay->slot = NULL;
	}
	pci_scan_child_bus(relay->bus);
	function = pci_get_slot(relay->bus, 0);
	if (!function)
		err = -ENODEV;
	if (!err)
		err = claim_bars(relay, function);
	pci_bus_add_devices(relay->bus);
	pci_dev_put(function);
	pci_unlock_rescan_remove();
	relay->present = !err;
	return err;
}

/* Disables memory decoding and bus mastering. */
static void stop_decoding(struct pci_dev *function)
{
	u16 command;

	pci_read_config_word(function, PCI_COMMAND, &command);
	pci_write_config_word(function, PCI_COMMAND,
			      command & ~(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER));
}

void relay_remove(struct relay *relay, bool surprise)
{
	struct pci_dev *function = pci_get_slot(relay->bus, 0);

	if (function && surprise) {
		stop_decoding(function);
		WRITE_ONCE(relay->connected, false);
		function->error_state = pci_channel_io_perm_failure;
	}
	if (function)
		pci_stop_and_remove_bus_device_locked(function);
	pci_dev_put(function);
	WRITE_ONCE(relay->connected, false);
	if (relay->slot)
		pci_destroy_slot(relay->slot);
	relay->slot = NULL;
	relay->present = false;
}
