// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps request ids to addresses while requests are in flight, so that the host sees no addresses.
 */
#include <linux/bitmap.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "bus.h"

int requestor_init(struct vmbus_channel *channel)
{
	struct vmbus_requestor *requestor = &channel->requestor;

	spin_lock_init(&requestor->req_lock);
	requestor->size = channel->rqstor_size;
	if (!requestor->size)
		return 0;
	requestor->req_arr = kcalloc(requestor->size, sizeof(u64), GFP_KERNEL);
	requestor->req_bitmap = bitmap_zalloc(requestor->size, GFP_KERNEL);
	if (requestor->req_arr && requestor->req_bitmap)
		return 0;
	requestor_exit(channel);
	return -ENOMEM;
}

void requestor_exit(struct vmbus_channel *channel)
{
	struct vmbus_requestor *requestor = &channel->requestor;

	kfree(requestor->req_arr);
	bitmap_free(requestor->req_bitmap);
	requestor->req_arr = NULL;
	requestor->req_bitmap = NULL;
	requestor->size = 0;
}

/* Ids start at 1: packets that complete no request have the id 0. */
u64 vmbus_next_request_id(struct vmbus_channel *channel, u64 address)
{
	struct vmbus_requestor *requestor = &channel->requestor;
	unsigned long flags, slot;

	if (!requestor->size)
		return VMBUS_NO_RQSTOR;
	lock_requestor(channel, flags);
	slot = find_first_zero_bit(requestor->req_bitmap, requestor->size);
	if (slot < requestor->size) {
		__set_bit(slot, requestor->req_bitmap);
		requestor->req_arr[slot] = address;
	}
	unlock_requestor(channel, flags);
	return slot < requestor->size ? slot + 1 : VMBUS_RQST_ERROR;
}
EXPORT_SYMBOL_GPL(vmbus_next_request_id);

u64 vmbus_request_addr(struct vmbus_channel *channel, u64 number)
{
	struct vmbus_requestor *requestor = &channel->requestor;
	u64 address = VMBUS_RQST_ERROR;
	unsigned long flags;

	if (!requestor->size)
		return VMBUS_NO_RQSTOR;
	lock_requestor(channel, flags);
	if (number && number <= requestor->size &&
	    __test_and_clear_bit(number - 1, requestor->req_bitmap))
		address = requestor->req_arr[number - 1];
	unlock_requestor(channel, flags);
	return address;
}
EXPORT_SYMBOL_GPL(vmbus_request_addr);
