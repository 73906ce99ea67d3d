// SPDX-License-Identifier: GPL-2.0-only
/*
 * A MANA virtual function without hardware, for the tests of manactl: a PCI function whose BAR is
 * ordinary memory, reserved with memmap=1M$ADDRESS. A process that uses /dev/azgdma (azgdma.h)
 * implements the device.
 */
#include <linux/cpumask.h>
#include <linux/io.h>
#include <linux/module.h>

#include "azpci.h"

unsigned long bar_address = 0x30000000;
module_param(bar_address, ulong, 0444);
MODULE_PARM_DESC(bar_address, "memory reserved with memmap=1M$ADDRESS");

void __iomem *bar;

static bool present = true;

static int present_set(const char *text, const struct kernel_param *kp)
{
	bool wanted;
	int err = kstrtobool(text, &wanted);

	if (err)
		return err;
	if (!bar) {
		/* The module is still being loaded, so azpci_init() will use the value. */
		present = wanted;
		return 0;
	}
	if (wanted == function_present())
		return 0;
	if (wanted)
		err = function_add();
	else
		function_remove();
	return err;
}

static int present_get(char *text, const struct kernel_param *kp)
{
	return sysfs_emit(text, "%d\n", function_present());
}

static const struct kernel_param_ops present_ops = { .set = present_set, .get = present_get };
module_param_cb(present, &present_ops, NULL, 0644);
MODULE_PARM_DESC(present, "whether the function is on the bus; write 0 or 1 to remove or add it");

static int __init azpci_init(void)
{
	int err;

	if (num_online_cpus() != 1) {
		pr_err("azpci: the MMIO trap needs a single CPU\n");
		return -EOPNOTSUPP;
	}
	bar = ioremap(bar_address, AZGDMA_BAR_SIZE);
	if (!bar) {
		pr_err("azpci: 0x%lx is not reserved; boot with memmap=1M$0x%lx\n",
		       bar_address, bar_address);
		return -ENOMEM;
	}
	err = chardev_init();
	if (err)
		goto unmap;
	err = trap_start();
	if (err)
		goto remove_chardev;
	err = function_init();
	if (err)
		goto remove_trap;
	if (present)
		err = function_add();
	if (!err)
		return 0;

	function_exit();
remove_trap:
	trap_stop();
remove_chardev:
	chardev_exit();
unmap:
	iounmap(bar);
	return err;
}
module_init(azpci_init);

/* No module_exit: PCI root buses are not removed on a real machine either. */
MODULE_DESCRIPTION("A PCI function for a device model in user space");
MODULE_LICENSE("GPL");
