// SPDX-License-Identifier: GPL-2.0-only
/*
 * Subchannels: further channels of a NIC, each with its own rings. They share the buffers of the primary
 * channel.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "bus.h"

/*
 * uio_hv_generic walks the list of subchannels under channel_mutex. The driver's callback opens the
 * channel.
 */
static int offer_subchannel(struct nic *nic, unsigned int number)
{
	struct vmbus_channel *primary = nic->ports[0].channel;
	struct vmbus_channel *channel = make_channel(nic, number);
	int err;

	if (!channel)
		return -ENOMEM;
	channel->primary_channel = primary;
	channel->device_obj = primary->device_obj;
	err = add_channel_directory(primary->device_obj, channel);
	if (err) {
		kobject_put(&channel->kobj);
		return err;
	}
	nic->ports[number].channel = channel;
	lock_channels();
	list_add_tail(&channel->sc_list, &primary->sc_list);
	unlock_channels();
	if (primary->sc_creation_callback)
		primary->sc_creation_callback(channel);
	return 0;
}

void offer_subchannels(struct work_struct *work)
{
	struct nic *nic = container_of(work, struct nic, offer_work);
	u32 number;

	for (number = 1; number <= READ_ONCE(nic->subchannels); number++) {
		int err = nic->ports[number].channel ? 0 : offer_subchannel(nic, number);

		if (err)
			pr_err("hv_vmbus: cannot offer subchannel %u of NIC %u: %d\n",
			       number, nic->index, err);
	}
}

/* Called when the primary channel is closed: the host has already forgotten the guest's request. */
void remove_subchannels(struct nic *nic)
{
	unsigned int number;

	cancel_work_sync(&nic->offer_work);
	for (number = 1; number < MAX_CHANNELS; number++) {
		struct vmbus_channel *channel = nic->ports[number].channel;

		if (!channel)
			continue;
		channel->rescind = true;
		vmbus_disconnect_ring(channel);
		lock_channels();
		list_del(&channel->sc_list);
		unlock_channels();
		kobject_del(&channel->kobj);
		vmbus_free_ring(channel);
		nic->ports[number].channel = NULL;
		kobject_put(&channel->kobj);
	}
}
