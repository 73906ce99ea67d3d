// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host side of NVSP, the protocol of the synthetic NICs: version, the two shared buffers, RNDIS
 * messages in both directions, and notifications about the VF.
 */
#include <linux/bitmap.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "bus.h"

#define NVSP_LEN		40	/* the length of every message */
#define NVSP_OK			1
#define NVSP_FAILED		2

enum nvsp_type {
	NVSP_INIT = 1,
	NVSP_INIT_DONE = 2,
	NVSP_NDIS_VERSION = 100,
	NVSP_RECV_BUFFER = 101,
	NVSP_RECV_BUFFER_DONE = 102,
	NVSP_REVOKE_RECV_BUFFER = 103,
	NVSP_SEND_BUFFER = 104,
	NVSP_SEND_BUFFER_DONE = 105,
	NVSP_REVOKE_SEND_BUFFER = 106,
	NVSP_RNDIS = 107,
	NVSP_RNDIS_DONE = 108,
	NVSP_NDIS_CONFIG = 125,
	NVSP_VF_ASSOCIATION = 128,
	NVSP_SWITCH_PATH = 129,
	NVSP_SUBCHANNEL = 133,
};

/* All fields are 32-bit words, except buffer ids, which have 16 bits. */
struct nvsp {
	u32 type;
	u32 word[9];
};

static_assert(sizeof(struct nvsp) == NVSP_LEN);

/* The current message. Everything here is protected by host_lock. */
static u8 message[MESSAGE_MAX];

void nvsp_reset(struct nic *nic)
{
	nic->ready = false;
	nic->on_vf = false;
	nic->filter = 0;
	nic->subchannels = 0;
	memset(&nic->rss, 0, sizeof(nic->rss));
	nic->recv_buffer = NULL;
	nic->send_buffer = NULL;
	nic->recv_sections = 0;
	bitmap_zero(nic->recv_busy, RECV_SECTIONS);
	memset(nic->recv_count, 0, sizeof(nic->recv_count));
}

static struct gpadl *find_gpadl(struct nic *nic, u32 handle)
{
	struct gpadl *gpadl;

	list_for_each_entry(gpadl, &nic->gpadls, node)
		if (gpadl->handle == handle)
			return gpadl;
	return NULL;
}

static void reply_init(struct port *port, u64 trans_id, u32 version)
{
	bool known = version == 0x60001 || version == 0x60000 || version == 0x50000;
	struct nvsp reply = {
		.type = NVSP_INIT_DONE,
		.word = { 0x60001, 34 /* longest MDL chain */, known ? NVSP_OK : NVSP_FAILED },
	};

	host_complete(port, trans_id, &reply, sizeof(reply));
}

static void reply_recv_buffer(struct port *port, u64 trans_id, const struct nvsp *request)
{
	struct nic *nic = port->nic;
	struct nvsp reply = { .type = NVSP_RECV_BUFFER_DONE, .word = { NVSP_FAILED } };
	struct gpadl *gpadl = find_gpadl(nic, request->word[0]);

	if (gpadl) {
		u32 sections = min_t(u32, gpadl->size / RECV_SECTION_SIZE, RECV_SECTIONS);

		nic->recv_buffer = gpadl;
		nic->recv_buffer_id = request->word[1];
		nic->recv_sections = sections;
		reply = (struct nvsp){
			.type = NVSP_RECV_BUFFER_DONE,
			.word = { NVSP_OK, 1, 0, RECV_SECTION_SIZE, sections,
				  sections * RECV_SECTION_SIZE },
		};
	}
	host_complete(port, trans_id, &reply, sizeof(reply));
}

static void reply_send_buffer(struct port *port, u64 trans_id, const struct nvsp *request)
{
	struct nic *nic = port->nic;
	struct nvsp reply = { .type = NVSP_SEND_BUFFER_DONE };

	nic->send_buffer = find_gpadl(nic, request->word[0]);
	reply.word[0] = nic->send_buffer ? NVSP_OK : NVSP_FAILED;
	reply.word[1] = SEND_SECTION_SIZE;
	host_complete(port, trans_id, &reply, sizeof(reply));
}

static void handle_rndis(struct port *port, const struct vmpacket_descriptor *packet,
			 const struct nvsp *nvsp)
{
	struct nvsp done = { .type = NVSP_RNDIS_DONE, .word = { NVSP_OK } };
	u32 len = gather_message(port->nic, packet, nvsp->word[1], nvsp->word[2], message);

	/* The message has been copied. Complete it before the host sends a reply to it. */
	if (packet->flags & VMBUS_DATA_PACKET_FLAG_COMPLETION_REQUESTED)
		host_complete(port, packet->trans_id, &done, sizeof(done));
	rndis_messages(port->nic, message, len);
}

void nvsp_send_vf(struct nic *nic)
{
	struct nvsp notification = {
		.type = NVSP_VF_ASSOCIATION,
		.word = { nic_has_vf(nic), nic_has_vf(nic) ? nic->index + 1 : 0 },
	};

	host_send_inband(nic, &notification, sizeof(notification));
}

/*
 * Completes the request before the offers, because the guest counts the offers that follow. The work runs
 * after host_lock is released: the guest opens each subchannel when it is offered.
 */
static void handle_subchannel_request(struct port *port, u64 trans_id, const struct nvsp *request)
{
	struct nvsp reply = { .type = NVSP_SUBCHANNEL, .word = { NVSP_OK } };

	port->nic->subchannels = min_t(u32, request->word[1], nic_channels() - 1);
	reply.word[1] = port->nic->subchannels;
	host_complete(port, trans_id, &reply, sizeof(reply));
	schedule_work(&port->nic->offer_work);
}

static void handle_message(struct port *port, const struct vmpacket_descriptor *packet,
			   const struct nvsp *nvsp)
{
	struct nic *nic = port->nic;
	u64 id = packet->trans_id;

	switch (nvsp->type) {
	case NVSP_INIT:
		reply_init(port, id, nvsp->word[1]);
		return;
	case NVSP_RECV_BUFFER:
		reply_recv_buffer(port, id, nvsp);
		return;
	case NVSP_SEND_BUFFER:
		reply_send_buffer(port, id, nvsp);
		return;
	case NVSP_RNDIS:
		handle_rndis(port, packet, nvsp);
		return;
	case NVSP_SUBCHANNEL:
		handle_subchannel_request(port, id, nvsp);
		return;
	case NVSP_REVOKE_RECV_BUFFER:
		nic->recv_buffer = NULL;
		nic->ready = false;
		break;
	case NVSP_REVOKE_SEND_BUFFER:
		nic->send_buffer = NULL;
		break;
	case NVSP_SWITCH_PATH:
		nic->on_vf = nvsp->word[0];
		break;
	case NVSP_NDIS_VERSION:
	case NVSP_NDIS_CONFIG:
		break;
	default:
		pr_warn("hv_vmbus: NIC %u sent unknown NVSP message %u\n", nic->index, nvsp->type);
	}
	/* Other messages get an empty completion if the guest requested one. */
	if (packet->flags & VMBUS_DATA_PACKET_FLAG_COMPLETION_REQUESTED)
		host_complete(port, id, NULL, 0);
}

/*
 * The transaction id of a packet to the guest is the number of its first section in the receive buffer. DPDK
 * drops packets with other ids.
 */
static void release_sections(struct nic *nic, u64 trans_id)
{
	u32 count;

	if (trans_id >= nic->recv_sections)
		return;
	count = nic->recv_count[trans_id];
	bitmap_clear(nic->recv_busy, trans_id, count);
	nic->recv_count[trans_id] = 0;
}

void nvsp_packet(struct port *port, const struct vmpacket_descriptor *packet)
{
	struct nvsp nvsp = {};

	if (packet->type == VM_PKT_COMP) {
		release_sections(port->nic, packet->trans_id);
		return;
	}
	memcpy(&nvsp, hv_pkt_data(packet), min_t(u32, hv_pkt_datalen(packet), sizeof(nvsp)));
	handle_message(port, packet, &nvsp);
}

/* Drops the packet, as a network does, and returns -ENOBUFS or -EAGAIN if there is no space. */
int nvsp_send_rndis(struct port *port, u32 channel_type, const void *head, u32 head_len,
		    const void *data, u32 data_len)
{
	struct nic *nic = port->nic;
	struct nvsp nvsp = { .type = NVSP_RNDIS, .word = { channel_type, NO_SECTION } };
	/* Has space for one range even if the kernel declares ranges[] instead of ranges[1]. */
	union {
		struct vmtransfer_page_packet_header head;
		u8 bytes[offsetof(struct vmtransfer_page_packet_header, ranges[1])];
	} packet = {
		.head.d.type = VM_PKT_DATA_USING_XFER_PAGES,
		.head.xfer_pageset_id = nic->recv_buffer_id,
		.head.range_cnt = 1,
	};
	struct vmtransfer_page_range *range = packet.head.ranges;
	u32 count = DIV_ROUND_UP(head_len + data_len, RECV_SECTION_SIZE);
	bool control = channel_type == RNDIS_CONTROL;
	unsigned long first, end = nic->recv_sections - (control ? 0 : CONTROL_SECTIONS);
	int err;

	if (!nic->recv_buffer || nic->recv_sections <= CONTROL_SECTIONS)
		return -ENOBUFS;
	first = bitmap_find_next_zero_area(nic->recv_busy, end, 0, count, 0);
	if (first + count > end)
		return -ENOBUFS;

	packet.head.d.trans_id = first;
	range->byte_offset = first * RECV_SECTION_SIZE;
	range->byte_count = head_len + data_len;
	memcpy(nic->recv_buffer->memory + range->byte_offset, head, head_len);
	memcpy(nic->recv_buffer->memory + range->byte_offset + head_len, data, data_len);
	err = (control ? host_send_control : host_send)(port, &packet.head.d, sizeof(packet),
							&nvsp, sizeof(nvsp));
	if (err)
		return err;
	bitmap_set(nic->recv_busy, first, count);
	nic->recv_count[first] = count;
	return 0;
}
