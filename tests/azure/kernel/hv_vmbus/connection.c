// SPDX-License-Identifier: GPL-2.0-only
/*
 * Data of the bus that drivers access: version, shared pages, table of device classes.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "bus.h"

/*
 * uio_hv_generic maps int_page and both monitor_pages into user space and locks channel_mutex. The
 * structure is not part of the kernel headers. The offsets are from the BTF of hv_vmbus.ko and
 * are equal in Debian 12 and its backports; build-modules compares them with the references of
 * uio_hv_generic.ko.
 */
struct vmbus_connection {
	u8 unused1[48];
	void *int_page;
	u8 unused2[16];
	void *monitor_pages[2];
	u8 unused3[40];
	struct mutex channel_mutex;
	u8 unused4[120];
};

static_assert(offsetof(struct vmbus_connection, int_page) == 48);
static_assert(offsetof(struct vmbus_connection, monitor_pages) == 72);
static_assert(offsetof(struct vmbus_connection, channel_mutex) == 128);
static_assert(sizeof(struct vmbus_connection) == 280);

struct vmbus_connection vmbus_connection = {
	.channel_mutex = __MUTEX_INITIALIZER(vmbus_connection.channel_mutex),
};
EXPORT_SYMBOL_GPL(vmbus_connection);

__u32 vmbus_proto_version = VERSION_WIN10_V5_2;
EXPORT_SYMBOL_GPL(vmbus_proto_version);

/* Drivers look up their entry by device_id. The entries have no preferred ring size. */
const struct vmbus_device vmbus_devs[] = {
	[HV_NIC] = { .dev_type = HV_NIC, HV_NIC_GUID, .perf_device = true },
	[HV_UNKNOWN] = { .dev_type = HV_UNKNOWN },
};
EXPORT_SYMBOL_GPL(vmbus_devs);

/* Protects the lists of subchannels. */
void lock_channels(void)
{
	mutex_lock(&vmbus_connection.channel_mutex);
}

void unlock_channels(void)
{
	mutex_unlock(&vmbus_connection.channel_mutex);
}

int connection_init(void)
{
	unsigned int i;

	vmbus_connection.int_page = (void *)get_zeroed_page(GFP_KERNEL);
	for (i = 0; i < ARRAY_SIZE(vmbus_connection.monitor_pages); i++)
		vmbus_connection.monitor_pages[i] = (void *)get_zeroed_page(GFP_KERNEL);
	if (vmbus_connection.int_page && vmbus_connection.monitor_pages[0] &&
	    vmbus_connection.monitor_pages[1])
		return 0;
	connection_exit();
	return -ENOMEM;
}

void connection_exit(void)
{
	free_page((unsigned long)vmbus_connection.int_page);
	free_page((unsigned long)vmbus_connection.monitor_pages[0]);
	free_page((unsigned long)vmbus_connection.monitor_pages[1]);
}
