// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PCI function 7870:00:00.0: configuration space, adding and removing it.
 */
#include <linux/io.h>
#include <linux/module.h>
#include <linux/pci.h>

#include "azpci.h"
#include "compat.h"

#define DOMAIN		0x7870
#define VENDOR_ID_MS	0x1414
#define DEVICE_ID_MANA	0x00ba
#define MSIX_CAP	0x40
/* hv_netvsc finds its VF by this name, so it must equal the serial number that the host sends. */
#define SLOT_NAME	"1"

static u8 config[256];
static struct pci_bus *bus;
static struct pci_slot *slot;
static bool on_bus;
static DEFINE_MUTEX(presence_lock);

static struct pci_sysdata sysdata = { .domain = DOMAIN, .node = NUMA_NO_NODE };
static struct resource window = { .name = "azpci", .flags = IORESOURCE_MEM };

static void set16(int where, u16 value)
{
	put_unaligned_le16(value, config + where);
}

static void set32(int where, u32 value)
{
	put_unaligned_le32(value, config + where);
}

static u32 get32(int where)
{
	return get_unaligned_le32(config + where);
}

static void config_reset(void)
{
	memset(config, 0, sizeof(config));
	set16(PCI_VENDOR_ID, VENDOR_ID_MS);
	set16(PCI_DEVICE_ID, DEVICE_ID_MANA);
	set16(PCI_STATUS, PCI_STATUS_CAP_LIST);
	set16(PCI_CLASS_DEVICE, PCI_CLASS_NETWORK_ETHERNET);
	set32(PCI_BASE_ADDRESS_0, bar_address);
	set16(PCI_SUBSYSTEM_VENDOR_ID, VENDOR_ID_MS);
	set16(PCI_SUBSYSTEM_ID, DEVICE_ID_MANA);
	config[PCI_CAPABILITY_LIST] = MSIX_CAP;
	config[MSIX_CAP] = PCI_CAP_ID_MSIX;
	set16(MSIX_CAP + PCI_MSIX_FLAGS, AZGDMA_MSIX_VECTORS - 1);
	set32(MSIX_CAP + PCI_MSIX_TABLE, AZGDMA_MSIX_TABLE_OFFSET);
	set32(MSIX_CAP + PCI_MSIX_PBA, AZGDMA_MSIX_PBA_OFFSET);
}

static void bar_reset(void)
{
	unsigned int i;

	memset_io(bar, 0, AZGDMA_BAR_SIZE);
	writeq(AZGDMA_DB_PAGE_OFFSET, bar + AZGDMA_REG_DB_PAGE_OFFSET);
	writel(AZGDMA_DB_PAGE_SIZE, bar + AZGDMA_REG_DB_PAGE_SIZE);
	writeq(AZGDMA_SHM_OFFSET, bar + AZGDMA_REG_SHM_OFFSET);
	for (i = 0; i < AZGDMA_MSIX_VECTORS; i++)
		writel(PCI_MSIX_ENTRY_CTRL_MASKBIT,
		       bar + AZGDMA_MSIX_TABLE_OFFSET + i * PCI_MSIX_ENTRY_SIZE +
		       PCI_MSIX_ENTRY_VECTOR_CTRL);
}

bool function_present(void)
{
	return on_bus;
}

bool msix_enabled(void)
{
	u16 flags = get_unaligned_le16(config + MSIX_CAP + PCI_MSIX_FLAGS);

	return on_bus && (flags & PCI_MSIX_FLAGS_ENABLE) && !(flags & PCI_MSIX_FLAGS_MASKALL);
}

static int config_read(struct pci_bus *which, unsigned int devfn, int where, int size, u32 *value)
{
	/* There is only one function, with 256 bytes of configuration space. */
	if (devfn || !on_bus || where + size > sizeof(config)) {
		*value = ~0U;
		return devfn || !on_bus ? PCIBIOS_DEVICE_NOT_FOUND : PCIBIOS_SUCCESSFUL;
	}
	*value = get32(where & ~3) >> (8 * (where & 3));
	if (size < 4)
		*value &= (1U << (8 * size)) - 1;
	return PCIBIOS_SUCCESSFUL;
}

/* Returns which bits of a 32-bit word of the configuration space are writable. */
static u32 writable(int where)
{
	switch (where) {
	case PCI_COMMAND:
		return PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INTX_DISABLE;
	case PCI_BASE_ADDRESS_0:
		return ~(AZGDMA_BAR_SIZE - 1);
	case PCI_INTERRUPT_LINE:
		return 0xff;
	case MSIX_CAP:
		return (u32)(PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL) << 16;
	default:
		return 0;
	}
}

static int config_write(struct pci_bus *which, unsigned int devfn, int where, int size, u32 value)
{
	int word = where & ~3, shift = 8 * (where & 3);
	u32 mask;

	if (devfn || !on_bus)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (where + size > sizeof(config))
		return PCIBIOS_SUCCESSFUL;
	mask = (size < 4 ? (1U << (8 * size)) - 1 : ~0U) << shift;
	mask &= writable(word);
	set32(word, (get32(word) & ~mask) | ((value << shift) & mask));
	return PCIBIOS_SUCCESSFUL;
}

static struct pci_ops config_ops = { .read = config_read, .write = config_write };

int function_init(void)
{
	LIST_HEAD(resources);

	window.start = bar_address;
	window.end = bar_address + SZ_1M - 1;
	pci_add_resource(&resources, &window);
	pci_lock_rescan_remove();
	bus = pci_create_root_bus(NULL, 0, &config_ops, &sysdata, &resources);
	pci_unlock_rescan_remove();
	if (!bus) {
		pci_free_resource_list(&resources);
		return -ENOMEM;
	}
	return 0;
}

void function_exit(void)
{
	function_remove();
	pci_lock_rescan_remove();
	pci_stop_root_bus(bus);
	pci_remove_root_bus(bus);
	pci_unlock_rescan_remove();
}

int function_add(void)
{
	struct pci_dev *function;
	int err = 0;

	mutex_lock(&presence_lock);
	config_reset();
	bar_reset();
	on_bus = true;
	/* Let the model discard its queues before a driver can create new ones. */
	queue_store(AZGDMA_EVENT_PRESENCE, 1);
	pci_lock_rescan_remove();
	slot = pci_create_slot(bus, 0, SLOT_NAME, NULL);
	if (IS_ERR(slot)) {
		err = PTR_ERR(slot);
		slot = NULL;
	}
	pci_scan_child_bus(bus);
	function = pci_get_slot(bus, 0);
	if (!function)
		err = -ENODEV;
	if (!err)
		/* Claim the resource instead of assigning it, because the BAR address is fixed. */
		err = pci_claim_resource(function, 0);
	pci_bus_add_devices(bus);
	pci_dev_put(function);
	pci_unlock_rescan_remove();
	mutex_unlock(&presence_lock);
	return err;
}

/* Removes the function, as Azure removes the VF to service a host. */
void function_remove(void)
{
	struct pci_dev *function;

	mutex_lock(&presence_lock);
	function = pci_get_slot(bus, 0);
	if (function)
		pci_stop_and_remove_bus_device_locked(function);
	pci_dev_put(function);
	on_bus = false;
	if (slot)
		pci_destroy_slot(slot);
	slot = NULL;
	queue_store(AZGDMA_EVENT_PRESENCE, 0);
	mutex_unlock(&presence_lock);
}
