// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channels: allocation of the rings, opening and closing.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "bus.h"

static void run_callback(struct tasklet_struct *tasklet)
{
	struct vmbus_channel *channel = from_tasklet(channel, tasklet, callback_event);

	if (channel->onchannel_callback)
		channel->onchannel_callback(channel->channel_callback_context);
}

static void ring_place(struct hv_ring_buffer_info *info, struct page *pages, u32 size)
{
	memset(info, 0, sizeof(*info));
	spin_lock_init(&info->ring_lock);
	mutex_init(&info->ring_buffer_mutex);
	info->ring_buffer = page_address(pages);
	info->ring_size = size;
	info->ring_datasize = size - sizeof(struct hv_ring_buffer);
	info->ring_size_div10_reciprocal = reciprocal_value(size / 10);
}

/* Allocates both rings in one contiguous block, which uio_hv_generic maps into user space. */
int vmbus_alloc_ring(struct vmbus_channel *channel, u32 send_size, u32 recv_size)
{
	u32 size = send_size + recv_size;
	struct page *pages;

	if (!PAGE_ALIGNED(send_size) || !PAGE_ALIGNED(recv_size))
		return -EINVAL;
	pages = alloc_pages(GFP_KERNEL | __GFP_ZERO | __GFP_NOWARN, get_order(size));
	if (!pages)
		return -ENOMEM;
	channel->ringbuffer_page = pages;
	channel->ringbuffer_pagecount = size >> PAGE_SHIFT;
	channel->ringbuffer_send_offset = send_size >> PAGE_SHIFT;
	ring_place(&channel->outbound, pages, send_size);
	ring_place(&channel->inbound, pages + channel->ringbuffer_send_offset, recv_size);
	return 0;
}
EXPORT_SYMBOL_GPL(vmbus_alloc_ring);

void vmbus_free_ring(struct vmbus_channel *channel)
{
	if (!channel->ringbuffer_page)
		return;
	/* uio_hv_generic frees the rings when it is unbound, even if a process still uses them. */
	vmbus_disconnect_ring(channel);
	__free_pages(channel->ringbuffer_page,
		     get_order(channel->ringbuffer_pagecount << PAGE_SHIFT));
	channel->ringbuffer_page = NULL;
	channel->outbound.ring_buffer = NULL;
	channel->inbound.ring_buffer = NULL;
}
EXPORT_SYMBOL_GPL(vmbus_free_ring);

static int make_buffers(struct vmbus_channel *channel)
{
	u32 size = channel->max_pkt_size ?: VMBUS_DEFAULT_MAX_PKT_SIZE;

	channel->inbound.pkt_buffer = kzalloc(size, GFP_KERNEL);
	if (!channel->inbound.pkt_buffer)
		return -ENOMEM;
	channel->inbound.pkt_buffer_size = size;
	return requestor_init(channel);
}

static void free_buffers(struct vmbus_channel *channel)
{
	requestor_exit(channel);
	kfree(channel->inbound.pkt_buffer);
	channel->inbound.pkt_buffer = NULL;
}

static int connect_ring(struct vmbus_channel *channel, void (*callback)(void *context),
			void *context, bool polled)
{
	struct port *port = port_of(channel);
	int err;

	if (channel->state != CHANNEL_OPEN_STATE)
		return -EINVAL;
	if (channel->rescind)
		return -ENODEV;
	if (open_refused(port->nic))
		return -EAGAIN;
	err = make_buffers(channel);
	if (err) {
		free_buffers(channel);
		return err;
	}
	ring_reset(&channel->outbound);
	ring_reset(&channel->inbound);
	tasklet_setup(&channel->callback_event, run_callback);
	channel->onchannel_callback = callback;
	channel->channel_callback_context = context;
	channel->state = CHANNEL_OPENED_STATE;

	mutex_lock(&host_lock);
	if (!channel->primary_channel)
		nvsp_reset(port->nic);
	port->polled = polled;
	port->open = true;
	mutex_unlock(&host_lock);
	host_wake();
	return 0;
}

/*
 * Called by drivers that map the rings into user space. The host must poll such rings, because user
 * space does not call vmbus_set_event().
 */
int vmbus_connect_ring(struct vmbus_channel *channel, void (*callback)(void *context),
		       void *context)
{
	return connect_ring(channel, callback, context, true);
}
EXPORT_SYMBOL_GPL(vmbus_connect_ring);

/* The host rescinds the subchannels when the primary channel is closed. */
int vmbus_disconnect_ring(struct vmbus_channel *channel)
{
	struct port *port = port_of(channel);

	if (channel->state != CHANNEL_OPENED_STATE)
		return -EINVAL;
	mutex_lock(&host_lock);
	port->open = false;
	if (!channel->primary_channel)
		nvsp_reset(port->nic);
	mutex_unlock(&host_lock);
	if (!channel->primary_channel)
		remove_subchannels(port->nic);

	irq_work_sync(&port->interrupt);
	tasklet_kill(&channel->callback_event);
	channel->onchannel_callback = NULL;
	channel->sc_creation_callback = NULL;
	channel->state = CHANNEL_OPEN_STATE;
	free_buffers(channel);
	return 0;
}
EXPORT_SYMBOL_GPL(vmbus_disconnect_ring);

int vmbus_open(struct vmbus_channel *channel, u32 send_size, u32 recv_size, void *data,
	       u32 data_len, void (*callback)(void *context), void *context)
{
	int err = vmbus_alloc_ring(channel, send_size, recv_size);

	if (err)
		return err;
	err = connect_ring(channel, callback, context, false);
	if (err)
		vmbus_free_ring(channel);
	return err;
}
EXPORT_SYMBOL_GPL(vmbus_open);

void vmbus_close(struct vmbus_channel *channel)
{
	if (!vmbus_disconnect_ring(channel))
		vmbus_free_ring(channel);
}
EXPORT_SYMBOL_GPL(vmbus_close);

void vmbus_set_sc_create_callback(struct vmbus_channel *channel,
				  void (*callback)(struct vmbus_channel *subchannel))
{
	channel->sc_creation_callback = callback;
}
EXPORT_SYMBOL_GPL(vmbus_set_sc_create_callback);

/* Signals the host. Called by drivers that write to the rings without vmbus_sendpacket(). */
void vmbus_set_event(struct vmbus_channel *channel)
{
	host_wake();
}
EXPORT_SYMBOL_GPL(vmbus_set_event);

void vmbus_set_chn_rescind_callback(struct vmbus_channel *channel,
				    void (*callback)(struct vmbus_channel *channel))
{
	channel->chn_rescind_callback = callback;
}
EXPORT_SYMBOL_GPL(vmbus_set_chn_rescind_callback);
