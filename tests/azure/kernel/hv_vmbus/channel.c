// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channels: memory for the rings, opening and closing, and buffers lent to the host.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "bus.h"

/*
 * uio_hv_generic maps int_page and both monitor_pages into user space and takes channel_mutex. The
 * kernel's headers do not show this structure. The places of these members are those in the BTF of
 * hv_vmbus.ko, the same in Debian 12 and its backports; build-modules compares them with what
 * uio_hv_generic.ko refers to.
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

/* Drivers look up their own entry, by device_id. No ring size is preferred. */
const struct vmbus_device vmbus_devs[] = {
	[HV_NIC] = { .dev_type = HV_NIC, HV_NIC_GUID, .perf_device = true },
	[HV_UNKNOWN] = { .dev_type = HV_UNKNOWN },
};
EXPORT_SYMBOL_GPL(vmbus_devs);

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

/* Both rings in one contiguous block, as uio_hv_generic hands it to user space. */
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
	struct nic *nic = nic_of(channel);
	int err;

	if (channel->state != CHANNEL_OPEN_STATE)
		return -EINVAL;
	if (channel->rescind)
		return -ENODEV;
	if (open_refused(nic))
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
	nvsp_reset(nic);
	nic->polled = polled;
	nic->open = true;
	mutex_unlock(&host_lock);
	host_wake();
	return 0;
}

/* Called by drivers that hand the rings to user space, which signals the host by no call. */
int vmbus_connect_ring(struct vmbus_channel *channel, void (*callback)(void *context),
		       void *context)
{
	return connect_ring(channel, callback, context, true);
}
EXPORT_SYMBOL_GPL(vmbus_connect_ring);

int vmbus_disconnect_ring(struct vmbus_channel *channel)
{
	struct nic *nic = nic_of(channel);

	if (channel->state != CHANNEL_OPENED_STATE)
		return -EINVAL;
	mutex_lock(&host_lock);
	nic->open = false;
	nvsp_reset(nic);
	mutex_unlock(&host_lock);

	irq_work_sync(&nic->interrupt);
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

int vmbus_teardown_gpadl(struct vmbus_channel *channel, struct vmbus_gpadl *lent)
{
	struct nic *nic = nic_of(channel);
	struct gpadl *gpadl, *next;

	mutex_lock(&host_lock);
	list_for_each_entry_safe(gpadl, next, &nic->gpadls, node) {
		if (gpadl->handle != lent->gpadl_handle)
			continue;
		if (nic->recv_buffer == gpadl)
			nic->recv_buffer = NULL;
		if (nic->send_buffer == gpadl)
			nic->send_buffer = NULL;
		list_del(&gpadl->node);
		kfree(gpadl);
	}
	mutex_unlock(&host_lock);
	lent->gpadl_handle = 0;
	return 0;
}
EXPORT_SYMBOL_GPL(vmbus_teardown_gpadl);

void vmbus_set_sc_create_callback(struct vmbus_channel *channel,
				  void (*callback)(struct vmbus_channel *subchannel))
{
	channel->sc_creation_callback = callback;
}
EXPORT_SYMBOL_GPL(vmbus_set_sc_create_callback);

/* A driver's own signal for rings that it filled without a call to us. */
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

int channels_init(void)
{
	unsigned int i;

	vmbus_connection.int_page = (void *)get_zeroed_page(GFP_KERNEL);
	for (i = 0; i < ARRAY_SIZE(vmbus_connection.monitor_pages); i++)
		vmbus_connection.monitor_pages[i] = (void *)get_zeroed_page(GFP_KERNEL);
	if (vmbus_connection.int_page && vmbus_connection.monitor_pages[0] &&
	    vmbus_connection.monitor_pages[1])
		return 0;
	channels_exit();
	return -ENOMEM;
}

void channels_exit(void)
{
	free_page((unsigned long)vmbus_connection.int_page);
	free_page((unsigned long)vmbus_connection.monitor_pages[0]);
	free_page((unsigned long)vmbus_connection.monitor_pages[1]);
}
