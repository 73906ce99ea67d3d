// SPDX-License-Identifier: GPL-2.0-only
/*
 * A VMBus without Hyper-V, for the tests of manactl: offers NICs to the unmodified hv_netvsc.ko and
 * uio_hv_generic.ko of Debian and simulates the host. The module and its exported symbols have the
 * names of the real hv_vmbus, because the drivers depend on them.
 *
 * This file contains the module parameters. Masks have one bit per NIC, bit 0 for the first.
 */
#include <linux/etherdevice.h>
#include <linux/module.h>

#include "bus.h"

struct nic nics[MAX_NICS];
unsigned int nic_count = 2;
module_param_named(nics, nic_count, uint, 0444);
MODULE_PARM_DESC(nics, "number of NICs");

static char *macs[MAX_NICS];
static unsigned int mac_count;
module_param_array(macs, charp, &mac_count, 0444);
MODULE_PARM_DESC(macs, "MAC addresses; NIC n defaults to 00:0d:3a:76:3b:d0 + n");

static uint no_monitor;
module_param(no_monitor, uint, 0444);
MODULE_PARM_DESC(no_monitor, "mask of NICs offered with monitor_allocated = 0");

static uint channels = 2;
module_param(channels, uint, 0444);
MODULE_PARM_DESC(channels, "channels of each NIC, 1 to 8; the guest opens no more than it has CPUs");

u32 nic_channels(void)
{
	return channels;
}

static uint refuse_open;
module_param(refuse_open, uint, 0644);
MODULE_PARM_DESC(refuse_open, "mask of NICs whose channel cannot be opened (EAGAIN)");

static uint refuse_gpadl;
module_param(refuse_gpadl, uint, 0644);
MODULE_PARM_DESC(refuse_gpadl, "mask of NICs for which the host rejects shared buffers (EDQUOT)");

static uint refuse_bind;
module_param(refuse_bind, uint, 0644);
MODULE_PARM_DESC(refuse_bind, "mask of NICs whose probe fails before the driver is called");

static char refuse_driver[32];
module_param_string(refuse_driver, refuse_driver, sizeof(refuse_driver), 0644);
MODULE_PARM_DESC(refuse_driver, "restricts refuse_bind to this driver");

static int refuse_errno = ENOMEM;
module_param(refuse_errno, int, 0644);
MODULE_PARM_DESC(refuse_errno, "errno of refuse_bind, positive");

static uint vf_mask = ~0U;

static bool in_mask(uint mask, const struct nic *nic)
{
	return mask & BIT(nic->index);
}

bool nic_has_monitor(const struct nic *nic)
{
	return !in_mask(no_monitor, nic);
}

bool nic_has_vf(const struct nic *nic)
{
	return in_mask(vf_mask, nic);
}

bool open_refused(const struct nic *nic)
{
	return in_mask(refuse_open, nic);
}

bool gpadl_refused(const struct nic *nic)
{
	return in_mask(refuse_gpadl, nic);
}

int bind_refusal(const struct nic *nic, const char *driver)
{
	if (!in_mask(refuse_bind, nic))
		return 0;
	if (refuse_driver[0] && strcmp(strim(refuse_driver), driver))
		return 0;
	return -refuse_errno;
}

/* Notifies the guest of each NIC whose VF was added or removed. */
static int vf_set(const char *text, const struct kernel_param *kp)
{
	unsigned int i;
	uint old = vf_mask;
	int err = param_set_uint(text, kp);

	if (err)
		return err;
	mutex_lock(&host_lock);
	for (i = 0; i < nic_count; i++)
		if (nics[i].ready && (old ^ vf_mask) & BIT(i))
			nvsp_send_vf(&nics[i]);
	mutex_unlock(&host_lock);
	return 0;
}

static const struct kernel_param_ops vf_ops = { .set = vf_set, .get = param_get_uint };
module_param_cb(vf, &vf_ops, &vf_mask, 0644);
MODULE_PARM_DESC(vf, "mask of NICs that have a VF; the guest is notified of changes");

/* Parses the value of the parameters rescind and offer: the index of a NIC. */
static int nic_from_text(const char *text, struct nic **nic)
{
	unsigned int index;
	int err = kstrtouint(text, 0, &index);

	if (err)
		return err;
	if (index >= nic_count)
		return -ENODEV;
	*nic = &nics[index];
	return 0;
}

static int rescind_set(const char *text, const struct kernel_param *kp)
{
	struct nic *nic;
	int err = nic_from_text(text, &nic);

	if (err)
		return err;
	if (!nic->device)
		return -ENODEV;
	nic_rescind(nic);
	return 0;
}

static int offer_set(const char *text, const struct kernel_param *kp)
{
	struct nic *nic;
	int err = nic_from_text(text, &nic);

	if (err)
		return err;
	return nic->device ? -EEXIST : nic_offer(nic);
}

static const struct kernel_param_ops rescind_ops = { .set = rescind_set };
module_param_cb(rescind, &rescind_ops, NULL, 0200);
static const struct kernel_param_ops offer_ops = { .set = offer_set };
module_param_cb(offer, &offer_ops, NULL, 0200);

static int choose_macs(void)
{
	static const u8 first[ETH_ALEN] = { 0x00, 0x0d, 0x3a, 0x76, 0x3b, 0xd0 };
	unsigned int i;

	for (i = 0; i < nic_count; i++) {
		nics[i].index = i;
		ether_addr_copy(nics[i].mac, first);
		nics[i].mac[5] += i;
		if (i < mac_count && !mac_pton(macs[i], nics[i].mac))
			return -EINVAL;
	}
	return 0;
}

/* The devices exist before drivers are loaded, because the drivers depend on this module. */
static int __init azure_vmbus_init(void)
{
	unsigned int i;
	int err;

	if (!nic_count || nic_count > MAX_NICS || !channels || channels > MAX_CHANNELS)
		return -EINVAL;
	err = choose_macs();
	if (!err)
		err = connection_init();
	if (err)
		return err;
	err = bus_init();
	if (err)
		goto free_pages;
	err = host_start();
	if (err)
		goto remove_bus;
	for (i = 0; !err && i < nic_count; i++)
		err = nic_offer(&nics[i]);
	if (!err)
		return 0;

	for (i = 0; i < nic_count; i++)
		if (nics[i].device)
			nic_rescind(&nics[i]);
	host_stop();
remove_bus:
	bus_exit();
free_pages:
	connection_exit();
	return err;
}
module_init(azure_vmbus_init);

/* No module_exit: hv_vmbus is not unloaded on a real machine either. */
MODULE_DESCRIPTION("VMBus with NICs for tests, without Hyper-V");
MODULE_LICENSE("GPL");
