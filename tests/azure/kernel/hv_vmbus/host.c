// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host: a thread that reads the rings of all NICs and writes to the rings of the guest.
 *
 * One thread and one lock are sufficient for tests. With one lock, forwarding a packet between NICs
 * needs no lock order.
 */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "bus.h"

#define PACKET_MAX	SZ_16K
#define TRAILER		sizeof(u64)
/* Jiffies to wait for space in a full ring before a control message is dropped. */
#define RING_FULL_TICKS	100

DEFINE_MUTEX(host_lock);

static DECLARE_WAIT_QUEUE_HEAD(host_queue);
static atomic_t host_work;
static struct task_struct *host_task;
static u8 packet_buffer[PACKET_MAX] __aligned(8);

void host_wake(void)
{
	atomic_set(&host_work, 1);
	wake_up(&host_queue);
}

/* Runs in hard interrupt context, like the interrupt of Hyper-V. */
void host_interrupt(struct irq_work *work)
{
	struct vmbus_channel *channel = container_of(work, struct nic, interrupt)->channel;

	if (!channel || !channel->onchannel_callback)
		return;
	channel->interrupts++;
	if (channel->callback_mode == HV_CALL_ISR)
		channel->onchannel_callback(channel->channel_callback_context);
	else
		tasklet_schedule(&channel->callback_event);
}

static int try_send(struct nic *nic, const struct vmpacket_descriptor *head, u32 head_len,
		    const void *payload, u32 payload_len)
{
	struct hv_ring_buffer_info *info = &nic->channel->inbound;
	u32 padded = head->len8 * 8;
	u64 start, zero = 0;
	u32 at;

	if (hv_get_bytes_to_write(info) <= padded + TRAILER)
		return -EAGAIN;
	at = info->ring_buffer->write_index;
	start = (u64)at << 32;
	at = ring_put(info->ring_buffer, info->ring_datasize, at, head, head_len);
	at = ring_put(info->ring_buffer, info->ring_datasize, at, payload, payload_len);
	at = ring_put(info->ring_buffer, info->ring_datasize, at, &zero,
		      padded - head_len - payload_len);
	at = ring_put(info->ring_buffer, info->ring_datasize, at, &start, TRAILER);
	smp_store_release(&info->ring_buffer->write_index, at);

	/*
	 * Read the guest's interrupt mask after the packet is visible; otherwise a wake-up could be
	 * lost.
	 */
	virt_mb();
	if (!READ_ONCE(info->ring_buffer->interrupt_mask))
		irq_work_queue(&nic->interrupt);
	return 0;
}

int host_send(struct nic *nic, struct vmpacket_descriptor *head, u32 head_len,
	      const void *payload, u32 payload_len)
{
	head->offset8 = head_len / 8;
	head->len8 = ALIGN(head_len + payload_len, 8) / 8;
	return try_send(nic, head, head_len, payload, payload_len);
}

/* Waits for space in the ring; drops the message if the guest does not read the ring in time. */
static void send_control(struct nic *nic, struct vmpacket_descriptor *head, const void *payload,
			 u32 len)
{
	unsigned int tick;

	for (tick = 0; tick < RING_FULL_TICKS; tick++) {
		if (!host_send(nic, head, sizeof(*head), payload, len))
			return;
		schedule_timeout_uninterruptible(1);
	}
	pr_err("hv_vmbus: the ring of NIC %u is still full, dropping a message\n", nic->index);
}

void host_send_inband(struct nic *nic, const void *message, u32 len)
{
	struct vmpacket_descriptor head = { .type = VM_PKT_DATA_INBAND };

	send_control(nic, &head, message, len);
}

void host_complete(struct nic *nic, u64 trans_id, const void *reply, u32 len)
{
	struct vmpacket_descriptor head = { .type = VM_PKT_COMP, .trans_id = trans_id };

	send_control(nic, &head, reply, len);
}

/* Copies the next packet out of the ring of the guest; false if the ring is empty. */
static bool next_packet(struct nic *nic)
{
	struct hv_ring_buffer_info *info = &nic->channel->outbound;
	struct hv_ring_buffer *ring = info->ring_buffer;
	struct vmpacket_descriptor *packet = (void *)packet_buffer;
	u32 end = smp_load_acquire(&ring->write_index);
	u32 at = ring->read_index;
	u32 available, len;

	if (end >= info->ring_datasize || at >= info->ring_datasize)
		return false;
	available = (end + info->ring_datasize - at) % info->ring_datasize;
	if (available < sizeof(*packet))
		return false;
	ring_get(ring, info->ring_datasize, at, packet, sizeof(*packet));
	len = hv_pkt_len(packet);
	if (len > PACKET_MAX || len > available || hv_pkt_datalen(packet) > len) {
		pr_err("hv_vmbus: NIC %u sent a malformed packet of %u bytes, closing its channel\n",
		       nic->index, len);
		nic->open = false;
		return false;
	}
	at = ring_get(ring, info->ring_datasize, at, packet, len);
	smp_store_release(&ring->read_index, (at + (u32)TRAILER) % info->ring_datasize);
	if (READ_ONCE(ring->pending_send_sz))
		irq_work_queue(&nic->interrupt);
	return true;
}

static bool any_polled(void)
{
	unsigned int i;

	for (i = 0; i < nic_count; i++)
		if (nics[i].open && nics[i].polled)
			return true;
	return false;
}

static int host_main(void *unused)
{
	unsigned int i;

	while (!kthread_should_stop()) {
		/* User space only sets a bit in a shared page, so poll every tick. */
		long timeout = any_polled() ? 1 : MAX_SCHEDULE_TIMEOUT;

		wait_event_interruptible_timeout(host_queue,
						 atomic_xchg(&host_work, 0) ||
						 kthread_should_stop(),
						 timeout);
		mutex_lock(&host_lock);
		for (i = 0; i < nic_count; i++)
			while (nics[i].open && next_packet(&nics[i]))
				nvsp_packet(&nics[i], (void *)packet_buffer);
		mutex_unlock(&host_lock);
	}
	return 0;
}

int host_start(void)
{
	host_task = kthread_run(host_main, NULL, "vmbus-host");
	return PTR_ERR_OR_ZERO(host_task);
}

void host_stop(void)
{
	kthread_stop(host_task);
}
