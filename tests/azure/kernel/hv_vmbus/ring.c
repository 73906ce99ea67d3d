// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest side of the rings: writes packets to the outbound ring, reads from the inbound ring.
 *
 * A packet in a ring consists of its descriptor, the payload, padding to 8 bytes, and a trailer of
 * 8 bytes with the start offset of the packet.
 */
#include <linux/module.h>
#include <linux/uio.h>

#include "bus.h"

#define TRAILER		sizeof(u64)

u32 ring_put(struct hv_ring_buffer *ring, u32 size, u32 at, const void *from, u32 len)
{
	u32 first = min(len, size - at);

	memcpy(ring->buffer + at, from, first);
	memcpy(ring->buffer, from + first, len - first);
	return (at + len) % size;
}

u32 ring_get(const struct hv_ring_buffer *ring, u32 size, u32 at, void *to, u32 len)
{
	u32 first = min(len, size - at);

	memcpy(to, ring->buffer + at, first);
	memcpy(to + first, ring->buffer, len - first);
	return (at + len) % size;
}

void ring_reset(struct hv_ring_buffer_info *info)
{
	memset(info->ring_buffer, 0, sizeof(*info->ring_buffer));
	info->ring_buffer->feature_bits.value = 1;
	info->priv_read_index = 0;
}

static int number_packet(struct vmbus_channel *channel, struct vmpacket_descriptor *head,
			 u64 request)
{
	u64 number = VMBUS_NO_RQSTOR;

	if ((head->flags & VMBUS_DATA_PACKET_FLAG_COMPLETION_REQUESTED) &&
	    channel->next_request_id_callback)
		number = channel->next_request_id_callback(channel, request);
	if (number == VMBUS_RQST_ERROR)
		return -EAGAIN;
	head->trans_id = number == VMBUS_NO_RQSTOR ? request : number;
	return 0;
}

/* Sends two parts, the descriptor (with its ranges) and the payload, and adds the padding. */
static int send_parts(struct vmbus_channel *channel, const struct kvec *parts, u64 request)
{
	struct hv_ring_buffer_info *info = &channel->outbound;
	struct vmpacket_descriptor *head = parts[0].iov_base;
	u32 len = parts[0].iov_len + parts[1].iov_len;
	u32 padded = ALIGN(len, 8);
	unsigned long flags;
	u64 start, zero = 0;
	int err = 0;
	u32 at;

	if (channel->rescind)
		return -ENODEV;
	head->len8 = padded / 8;

	spin_lock_irqsave(&info->ring_lock, flags);
	if (hv_get_bytes_to_write(info) <= padded + TRAILER) {
		channel->out_full_total++;
		if (!channel->out_full_flag)
			channel->out_full_first++;
		channel->out_full_flag = true;
		err = -EAGAIN;
		goto unlock;
	}
	channel->out_full_flag = false;
	err = number_packet(channel, head, request);
	if (err)
		goto unlock;

	at = info->ring_buffer->write_index;
	start = (u64)at << 32;
	at = ring_put(info->ring_buffer, info->ring_datasize, at, head, parts[0].iov_len);
	at = ring_put(info->ring_buffer, info->ring_datasize, at, parts[1].iov_base,
		      parts[1].iov_len);
	at = ring_put(info->ring_buffer, info->ring_datasize, at, &zero, padded - len);
	at = ring_put(info->ring_buffer, info->ring_datasize, at, &start, TRAILER);
	smp_store_release(&info->ring_buffer->write_index, at);
	channel->sig_events++;
unlock:
	spin_unlock_irqrestore(&info->ring_lock, flags);
	if (!err)
		host_wake();
	return err;
}

int vmbus_sendpacket(struct vmbus_channel *channel, void *buffer, u32 len, u64 request,
		     enum vmbus_packet_type type, u32 flags)
{
	struct vmpacket_descriptor head = {
		.type = type, .offset8 = sizeof(head) / 8, .flags = flags,
	};
	struct kvec parts[] = { { &head, sizeof(head) }, { buffer, len } };

	return send_parts(channel, parts, request);
}
EXPORT_SYMBOL(vmbus_sendpacket);

/* The caller has filled in the ranges; the descriptor in front of them is filled in here. */
int vmbus_sendpacket_mpb_desc(struct vmbus_channel *channel, struct vmbus_packet_mpb_array *ranges,
			      u32 ranges_len, void *buffer, u32 len, u64 request)
{
	struct kvec parts[] = { { ranges, ranges_len }, { buffer, len } };

	ranges->type = VM_PKT_DATA_USING_GPA_DIRECT;
	ranges->flags = VMBUS_DATA_PACKET_FLAG_COMPLETION_REQUESTED;
	ranges->dataoffset8 = ranges_len / 8;
	ranges->reserved = 0;
	return send_parts(channel, parts, request);
}
EXPORT_SYMBOL_GPL(vmbus_sendpacket_mpb_desc);

/* Copies the packet out of the ring, so that it is contiguous and cannot change. */
struct vmpacket_descriptor *hv_pkt_iter_first(struct vmbus_channel *channel)
{
	struct hv_ring_buffer_info *info = &channel->inbound;
	struct vmpacket_descriptor *packet = info->pkt_buffer;
	u32 end = smp_load_acquire(&info->ring_buffer->write_index);
	u32 at = info->priv_read_index;
	u32 available = (end + info->ring_datasize - at) % info->ring_datasize;

	if (available < sizeof(*packet))
		return NULL;
	ring_get(info->ring_buffer, info->ring_datasize, at, packet, sizeof(*packet));
	if (WARN_ON(hv_pkt_len(packet) > available || hv_pkt_len(packet) > info->pkt_buffer_size))
		return NULL;
	ring_get(info->ring_buffer, info->ring_datasize, at, packet, hv_pkt_len(packet));
	return packet;
}
EXPORT_SYMBOL_GPL(hv_pkt_iter_first);

struct vmpacket_descriptor *__hv_pkt_iter_next(struct vmbus_channel *channel,
					       const struct vmpacket_descriptor *packet)
{
	struct hv_ring_buffer_info *info = &channel->inbound;

	info->priv_read_index += hv_pkt_len(packet) + TRAILER;
	info->priv_read_index %= info->ring_datasize;
	return hv_pkt_iter_first(channel);
}
EXPORT_SYMBOL_GPL(__hv_pkt_iter_next);

/* The host polls for space in the ring, so no signal is needed. */
void hv_pkt_iter_close(struct vmbus_channel *channel)
{
	struct hv_ring_buffer_info *info = &channel->inbound;

	smp_store_release(&info->ring_buffer->read_index, info->priv_read_index);
}
EXPORT_SYMBOL_GPL(hv_pkt_iter_close);
