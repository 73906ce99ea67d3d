// SPDX-License-Identifier: GPL-2.0-only
/*
 * A message of the guest in one piece, from the places where it lies.
 */
#include <linux/mm.h>
#include <linux/module.h>

#include "bus.h"

/* The first part of a message may lie in a section of the send buffer. */
static u32 gather_section(struct nic *nic, u32 section, u32 len, u8 *message)
{
	u64 from = (u64)section * SEND_SECTION_SIZE;

	if (section == NO_SECTION || !nic->send_buffer || len > MESSAGE_MAX ||
	    from + len > nic->send_buffer->size)
		return 0;
	memcpy(message, nic->send_buffer->memory + from, len);
	return len;
}

/* The rest lies in pages that the packet lists: length, offset, then one frame number per page. */
static u32 gather_pages(const struct vmpacket_descriptor *packet, u32 at, u8 *message)
{
	const struct vmdata_gpa_direct *direct = (const void *)packet;
	const u8 *end = (const u8 *)packet + packet->offset8 * 8;
	const struct gpa_range *range = direct->range;
	u32 i;

	for (i = 0; i < direct->range_cnt && (const u8 *)(range + 1) <= end; i++) {
		const u64 *pfn = range->pfn_array;
		u32 offset = range->byte_offset;
		u32 left = range->byte_count;

		while (left && (const u8 *)(pfn + 1) <= end) {
			u32 part = min_t(u32, left, PAGE_SIZE - offset);

			if (at + part > MESSAGE_MAX || !pfn_valid(*pfn))
				return 0;
			memcpy(message + at, pfn_to_kaddr(*pfn) + offset, part);
			at += part;
			left -= part;
			offset = 0;
			pfn++;
		}
		range = (const void *)pfn;
	}
	return at;
}

/* Into `message`, which has MESSAGE_MAX bytes. How many it got; 0 when the guest says nonsense. */
u32 gather_message(struct nic *nic, const struct vmpacket_descriptor *packet, u32 section, u32 len,
		   u8 *message)
{
	u32 done = gather_section(nic, section, len, message);

	if (packet->type == VM_PKT_DATA_USING_GPA_DIRECT)
		done = gather_pages(packet, done, message);
	return done;
}
