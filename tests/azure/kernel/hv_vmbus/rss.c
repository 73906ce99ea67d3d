// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive-side scaling: the Toeplitz hash of a packet's addresses selects an entry of the guest's
 * indirection table.
 */
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/module.h>

#include "bus.h"
#include "compat.h"

#define RSS_DISABLE		BIT(4)
#define HASH_TCP_IPV4		BIT(9)
#define HASH_TCP_IPV6		BIT(12)
/* Two IPv6 addresses and two ports. */
#define INPUT_MAX		36

/* NDIS_RECEIVE_SCALE_PARAMETERS. The offsets are relative to its start. */
struct rss_parameters {
	u8 header[4];
	u16 flags;
	u16 base_cpu;
	u32 hash_types;
	u16 table_bytes;
	u32 table_offset;
	u16 key_bytes;
	u32 key_offset;
};

void rss_set(struct nic *nic, const void *parameters, u32 len)
{
	const struct rss_parameters *given = parameters;
	struct rss *rss = &nic->rss;
	const u8 *bytes = parameters;
	u32 i;

	memset(rss, 0, sizeof(*rss));
	if (len < sizeof(*given) || given->flags & RSS_DISABLE)
		return;
	if (given->table_offset > len || given->table_bytes > len - given->table_offset ||
	    given->key_offset > len || given->key_bytes > len - given->key_offset)
		return;
	rss->hash_types = given->hash_types;
	memcpy(rss->key, bytes + given->key_offset, min_t(u32, given->key_bytes, sizeof(rss->key)));
	rss->table_size = min_t(u32, given->table_bytes / sizeof(u32), sizeof(rss->table));
	for (i = 0; i < rss->table_size; i++)
		rss->table[i] = get_unaligned_le32(bytes + given->table_offset + i * sizeof(u32));
	rss->on = rss->table_size;
}

/* Copies the bytes that the hash covers; returns their number, 0 for other protocols. */
static u32 hash_input(const struct rss *rss, const u8 *frame, u32 len, u8 *input)
{
	u32 protocol, addresses, at, ports = 0;
	bool with_ports;

	if (len < ETH_HLEN + sizeof(struct ipv6hdr) + 4)
		return 0;
	if (get_unaligned_be16(frame + 12) == ETH_P_IP) {
		const struct iphdr *ip = (const void *)(frame + ETH_HLEN);

		at = ETH_HLEN + offsetof(struct iphdr, saddr);
		addresses = 8;
		protocol = ip->protocol;
		with_ports = rss->hash_types & HASH_TCP_IPV4 && ip->ihl == 5 &&
			     !(ip->frag_off & htons(0x3fff));
	} else if (get_unaligned_be16(frame + 12) == ETH_P_IPV6) {
		const struct ipv6hdr *ip = (const void *)(frame + ETH_HLEN);

		at = ETH_HLEN + offsetof(struct ipv6hdr, saddr);
		addresses = 32;
		protocol = ip->nexthdr;
		with_ports = rss->hash_types & HASH_TCP_IPV6;
	} else {
		return 0;
	}
	if (with_ports && protocol == IPPROTO_TCP)
		ports = 4;
	/* The ports follow the addresses. */
	memcpy(input, frame + at, addresses + ports);
	return addresses + ports;
}

static u32 toeplitz(const u8 *key, const u8 *input, u32 len)
{
	u32 hash = 0, window = get_unaligned_be32(key), bit;

	for (bit = 0; bit < len * 8; bit++) {
		if (input[bit / 8] & (0x80 >> bit % 8))
			hash ^= window;
		window = window << 1 | ((key[bit / 8 + 4] >> (7 - bit % 8)) & 1);
	}
	return hash;
}

struct port *rss_port(struct nic *nic, const u8 *frame, u32 len)
{
	const struct rss *rss = &nic->rss;
	u8 input[INPUT_MAX];
	u32 bytes = rss->on ? hash_input(rss, frame, len, input) : 0;
	u32 number = 0;

	if (bytes)
		number = rss->table[toeplitz(rss->key, input, bytes) % rss->table_size];
	if (number >= MAX_CHANNELS || !nic->ports[number].open)
		number = 0;
	return &nic->ports[number];
}
