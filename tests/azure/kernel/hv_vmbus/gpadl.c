// SPDX-License-Identifier: GPL-2.0-only
/*
 * Buffers that the guest shares with the host (GPADLs).
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "bus.h"

int vmbus_establish_gpadl(struct vmbus_channel *channel, void *buffer, u32 size,
			  struct vmbus_gpadl *result)
{
	static atomic_t next_handle = ATOMIC_INIT(0xe1e10);
	struct nic *nic = nic_of(channel);
	struct gpadl *gpadl;

	if (channel->rescind)
		return -ENODEV;
	if (gpadl_refused(nic))
		return -EDQUOT;
	gpadl = kzalloc(sizeof(*gpadl), GFP_KERNEL);
	if (!gpadl)
		return -ENOMEM;
	gpadl->handle = atomic_inc_return(&next_handle) - 1;
	gpadl->memory = buffer;
	gpadl->size = size;
	mutex_lock(&host_lock);
	list_add_tail(&gpadl->node, &nic->gpadls);
	mutex_unlock(&host_lock);

	result->gpadl_handle = gpadl->handle;
	result->buffer = buffer;
	result->size = size;
	return 0;
}
EXPORT_SYMBOL_GPL(vmbus_establish_gpadl);

int vmbus_teardown_gpadl(struct vmbus_channel *channel, struct vmbus_gpadl *shared)
{
	struct nic *nic = nic_of(channel);
	struct gpadl *gpadl, *next;

	mutex_lock(&host_lock);
	list_for_each_entry_safe(gpadl, next, &nic->gpadls, node) {
		if (gpadl->handle != shared->gpadl_handle)
			continue;
		if (nic->recv_buffer == gpadl)
			nic->recv_buffer = NULL;
		if (nic->send_buffer == gpadl)
			nic->send_buffer = NULL;
		list_del(&gpadl->node);
		kfree(gpadl);
	}
	mutex_unlock(&host_lock);
	shared->gpadl_handle = 0;
	return 0;
}
EXPORT_SYMBOL_GPL(vmbus_teardown_gpadl);
