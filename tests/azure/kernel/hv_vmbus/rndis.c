// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host side of RNDIS ([MS-RNDIS]): control messages and packets. All NICs are connected to one
 * hub.
 */
#include <linux/module.h>
#include <linux/rndis.h>

#include "bus.h"

#define OID_OFFLOAD		0xfc01020d	/* TCP offload hardware capabilities */
#define OID_RSS			0x00010203	/* receive scale capabilities */
#define OID_RSS_PARAMETERS	0x00010204
#define NDIS_RSS_CAPS		0x88
/* With these bits, the guest may also request the hash over TCP ports. */
#define RSS_IPV4		BIT(8)
#define RSS_IPV6		BIT(9)
#define LINK_SPEED		1000000000	/* in 100 bit/s: 100 Gbit/s */
#define MAX_FRAME		1500
/* Offsets in a message are relative to the end of this header. */
#define BODY			8

struct rndis_head {
	u32 type;
	u32 len;
};

/* The format of query and set requests. */
struct rndis_request {
	struct rndis_head head;
	u32 id;
	u32 oid;
	u32 info_len;
	u32 info_offset;
	u32 handle;
};

struct rndis_init_done {
	struct rndis_head head;
	u32 id;
	u32 status;
	u32 major;
	u32 minor;
	u32 device_flags;
	u32 medium;
	u32 max_packets;
	u32 max_transfer;
	u32 alignment;
	u32 reserved[2];
};

struct rndis_query_done {
	struct rndis_head head;
	u32 id;
	u32 status;
	u32 info_len;
	u32 info_offset;
};

/* The completion of a set request or of a keepalive message. */
struct rndis_set_done {
	struct rndis_head head;
	u32 id;
	u32 status;
};

struct rndis_packet {
	struct rndis_head head;
	u32 data_offset;
	u32 data_len;
	u32 oob[3];
	u32 info_offset;
	u32 info_len;
	u32 handle;
	u32 reserved;
};

/* NDIS_RECEIVE_SCALE_CAPABILITIES, revision 2 */
struct ndis_rss_caps {
	u8 type;
	u8 revision;
	u16 size;
	u32 caps;
	u32 messages;
	u32 queues;
	u16 table_entries;
} __packed;

static void send_reply(struct nic *nic, const void *head, u32 head_len, const void *data, u32 len)
{
	if (nvsp_send_rndis(&nic->ports[0], RNDIS_CONTROL, head, head_len, data, len))
		pr_err("hv_vmbus: cannot send an RNDIS reply to NIC %u\n", nic->index);
}

static void handle_init(struct nic *nic, const struct rndis_request *request)
{
	struct rndis_init_done done = {
		.head = { RNDIS_MSG_INIT | RNDIS_MSG_COMPLETION, sizeof(done) },
		.id = request->id,
		.status = RNDIS_STATUS_SUCCESS,
		.major = RNDIS_MAJOR_VERSION,
		.minor = RNDIS_MINOR_VERSION,
		.device_flags = RNDIS_DF_CONNECTIONLESS,
		.max_packets = 8,
		.max_transfer = SZ_16K,
		.alignment = 3,		/* 2^3 */
	};

	send_reply(nic, &done, sizeof(done), NULL, 0);
	nic->ready = true;
	if (nic_has_vf(nic))
		nvsp_send_vf(nic);
}

static void reply_query(struct nic *nic, u32 id, u32 status, const void *info, u32 len)
{
	struct rndis_query_done done = {
		.head = { RNDIS_MSG_QUERY | RNDIS_MSG_COMPLETION, sizeof(done) + len },
		.id = id,
		.status = status,
		.info_len = len,
		.info_offset = len ? sizeof(done) - BODY : 0,
	};

	send_reply(nic, &done, sizeof(done), info, len);
}

static const void *info_of(const struct rndis_request *request, u32 *len)
{
	u32 end = request->head.len - BODY;

	if (request->info_offset > end || request->info_len > end - request->info_offset)
		*len = 0;
	else
		*len = request->info_len;
	return (const u8 *)request + BODY + request->info_offset;
}

static void handle_query(struct nic *nic, const struct rndis_request *request)
{
	const u32 frame_size = MAX_FRAME, link_speed = LINK_SPEED, connected = 0;
	const struct ndis_rss_caps rss_caps = {
		.type = NDIS_RSS_CAPS,
		.revision = 2,
		.size = sizeof(rss_caps),
		.caps = RSS_IPV4 | RSS_IPV6,
		.messages = nic_channels(),
		.queues = nic_channels(),
		.table_entries = sizeof(nic->rss.table),
	};
	const void *info;
	u32 len;

	switch (request->oid) {
	case RNDIS_OID_GEN_MAXIMUM_FRAME_SIZE:
		reply_query(nic, request->id, 0, &frame_size, sizeof(frame_size));
		break;
	case RNDIS_OID_GEN_LINK_SPEED:
		reply_query(nic, request->id, 0, &link_speed, sizeof(link_speed));
		break;
	case RNDIS_OID_GEN_MEDIA_CONNECT_STATUS:
		reply_query(nic, request->id, 0, &connected, sizeof(connected));
		break;
	case RNDIS_OID_802_3_PERMANENT_ADDRESS:
		reply_query(nic, request->id, 0, nic->mac, ETH_ALEN);
		break;
	case OID_RSS:
		reply_query(nic, request->id, 0, &rss_caps, sizeof(rss_caps));
		break;
	case OID_OFFLOAD:
		/* Echo the guest's structure. It is zero after its header, so it reports no features. */
		info = info_of(request, &len);
		reply_query(nic, request->id, 0, info, len);
		break;
	default:
		reply_query(nic, request->id, RNDIS_STATUS_NOT_SUPPORTED, NULL, 0);
	}
}

static void handle_set(struct nic *nic, const struct rndis_request *request)
{
	struct rndis_set_done done = {
		.head = { RNDIS_MSG_SET | RNDIS_MSG_COMPLETION, sizeof(done) },
		.id = request->id,
		.status = RNDIS_STATUS_SUCCESS,
	};
	u32 len;
	const void *info = info_of(request, &len);

	if (request->oid == OID_RSS_PARAMETERS)
		rss_set(nic, info, len);
	if (request->oid == RNDIS_OID_GEN_CURRENT_PACKET_FILTER && len == sizeof(nic->filter))
		memcpy(&nic->filter, info, len);
	send_reply(nic, &done, sizeof(done), NULL, 0);
}

/* Forwards a packet to all other open NICs, except those that use the data path of their VF. */
static void handle_packet(struct nic *from, const struct rndis_packet *packet)
{
	struct rndis_packet head = {
		.head = { RNDIS_MSG_PACKET, sizeof(head) + packet->data_len },
		.data_offset = sizeof(head) - BODY,
		.data_len = packet->data_len,
	};
	const u8 *frame = (const u8 *)packet + BODY + packet->data_offset;
	u32 end = packet->head.len - BODY;
	unsigned int i;

	if (packet->data_offset > end || packet->data_len > end - packet->data_offset)
		return;
	for (i = 0; i < nic_count; i++) {
		struct nic *to = &nics[i];

		if (to != from && to->ports[0].open && to->ready && to->filter && !to->on_vf)
			nvsp_send_rndis(rss_port(to, frame, packet->data_len), RNDIS_DATA,
					&head, sizeof(head), frame, packet->data_len);
	}
}

static void handle_keepalive(struct nic *nic, const struct rndis_request *request)
{
	struct rndis_set_done done = {
		.head = { RNDIS_MSG_KEEPALIVE | RNDIS_MSG_COMPLETION, sizeof(done) },
		.id = request->id,
	};

	send_reply(nic, &done, sizeof(done), NULL, 0);
}

/* Handles one or more consecutive messages. */
void rndis_messages(struct nic *nic, u8 *message, u32 len)
{
	while (len >= sizeof(struct rndis_head) + sizeof(u32)) {
		struct rndis_head *head = (void *)message;

		if (head->len < sizeof(*head) + sizeof(u32) || head->len > len)
			return;
		if (head->type == RNDIS_MSG_PACKET && head->len >= sizeof(struct rndis_packet))
			handle_packet(nic, (void *)message);
		else if (head->type == RNDIS_MSG_INIT)
			handle_init(nic, (void *)message);
		else if (head->type == RNDIS_MSG_QUERY && head->len >= sizeof(struct rndis_request))
			handle_query(nic, (void *)message);
		else if (head->type == RNDIS_MSG_SET && head->len >= sizeof(struct rndis_request))
			handle_set(nic, (void *)message);
		else if (head->type == RNDIS_MSG_KEEPALIVE)
			handle_keepalive(nic, (void *)message);
		else if (head->type == RNDIS_MSG_HALT)
			nic->ready = false;
		message += head->len;
		len -= head->len;
	}
}
