// SPDX-License-Identifier: GPL-2.0-only
/*
 * Exposes up to four MANA functions of QEMU at the PCI addresses of Azure: 7870:00:00.0 in slot 1,
 * 7871:00:00.0 in slot 2, and so on. This file contains the module parameters; their masks have one bit per
 * function, bit 0 for the first.
 */
#include <linux/module.h>

#include "azrelay.h"

#define VENDOR_ID_MS	0x1414
#define DEVICE_ID_MANA	0x00ba
#define MAX_RELAYS	4

static struct relay relays[MAX_RELAYS];
static unsigned int relay_count;
static uint present = ~0U;
static DEFINE_MUTEX(presence_lock);

static int present_set(const char *text, const struct kernel_param *kp)
{
	unsigned int i;
	int err = param_set_uint(text, kp);

	mutex_lock(&presence_lock);
	for (i = 0; !err && i < relay_count; i++) {
		bool wanted = present & BIT(i);

		if (wanted == relays[i].present)
			continue;
		if (wanted)
			err = relay_add(&relays[i]);
		else
			relay_remove(&relays[i], false);
	}
	mutex_unlock(&presence_lock);
	return err;
}

static int present_get(char *text, const struct kernel_param *kp)
{
	unsigned int i, mask = 0;

	for (i = 0; i < relay_count; i++)
		if (relays[i].present)
			mask |= BIT(i);
	return sysfs_emit(text, "%u\n", mask);
}

static const struct kernel_param_ops present_ops = { .set = present_set, .get = present_get };
module_param_cb(present, &present_ops, &present, 0644);
MODULE_PARM_DESC(present, "mask of functions on the bus; write it to remove and add functions");

static int surprise_set(const char *text, const struct kernel_param *kp)
{
	unsigned int i;
	uint mask;
	int err = kstrtouint(text, 0, &mask);

	if (err)
		return err;
	mutex_lock(&presence_lock);
	for (i = 0; i < relay_count; i++)
		if (mask & BIT(i) && relays[i].present)
			relay_remove(&relays[i], true);
	mutex_unlock(&presence_lock);
	return 0;
}

static const struct kernel_param_ops surprise_ops = { .set = surprise_set };
module_param_cb(surprise, &surprise_ops, NULL, 0200);
MODULE_PARM_DESC(surprise, "mask of functions that stop responding and are then removed");

static int __init azrelay_init(void)
{
	struct pci_dev *function;
	unsigned int i;
	int err = -ENODEV;

	/* Creating a relay removes the function from its bus, so the search starts again. */
	while (relay_count < MAX_RELAYS) {
		function = pci_get_device(VENDOR_ID_MS, DEVICE_ID_MANA, NULL);
		if (!function)
			break;
		err = relay_create(&relays[relay_count], function, relay_count);
		pci_dev_put(function);
		if (err)
			break;
		relay_count++;
	}
	mutex_lock(&presence_lock);
	for (i = 0; !err && i < relay_count; i++)
		if (present & BIT(i))
			err = relay_add(&relays[i]);
	mutex_unlock(&presence_lock);
	if (err)
		pr_err("azrelay: error %d after %u functions\n", err, relay_count);
	/* The root buses that exist use this module, so it must stay loaded despite an error. */
	return relay_count ? 0 : err;
}
module_init(azrelay_init);

/* No module_exit: the root buses cannot be removed. */
MODULE_DESCRIPTION("Exposes MANA functions of QEMU at the PCI addresses of Azure");
MODULE_LICENSE("GPL");
