// SPDX-License-Identifier: GPL-2.0-only
/*
 * Copies a message of the guest from the send buffer and guest pages into one buffer.
 */
#include <linux/mm.h>
#include <linux/module.h>

#include "bus.h"

/* Copies the first part of a message, which may be in a section of the send buffer. */
static u32 gather_section(struct nic *nic, u32 section, u32 len, u8 *message)
{
	u64 from = (u64)section * SEND_SECTION_SIZE;

	if (section == NO_SECTION || !nic->send_buffer || len > MESSAGE_MAX ||
	    from + len > nic->send_buffer->size)
		return 0;
	memcpy(message, nic->send_buffer->memory + from, len);
	return len;
}

/* Copies the rest from pages. The packet lists ranges: length, offset, page frame numbers. */
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

/*
 * Copies a message to `message` (MESSAGE_MAX bytes); returns the length, or 0 if it is malformed.
 */
u32 gather_message(struct nic *nic, const struct vmpacket_descriptor *packet, u32 section, u32 len,
		   u8 *message)
{
	u32 done = gather_section(nic, section, len, message);

	if (packet->type == VM_PKT_DATA_USING_GPA_DIRECT)
		done = gather_pages(packet, done, message);
	return done;
}
