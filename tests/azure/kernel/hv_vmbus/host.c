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
/* How often the rings of user space are polled, and for how long after the last packet. */
#define POLL_NS		(50 * NSEC_PER_USEC)
#define BUSY_MS		100
/* The most packets of one channel that are handled before those of the next one. */
#define BUDGET		64

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
	struct vmbus_channel *channel = container_of(work, struct port, interrupt)->channel;

	if (!channel || !channel->onchannel_callback)
		return;
	channel->interrupts++;
	if (channel->callback_mode == HV_CALL_ISR)
		channel->onchannel_callback(channel->channel_callback_context);
	else
		tasklet_schedule(&channel->callback_event);
}

static int try_send(struct port *port, const struct vmpacket_descriptor *head, u32 head_len,
		    const void *payload, u32 payload_len)
{
	struct hv_ring_buffer_info *info = &port->channel->inbound;
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
		irq_work_queue(&port->interrupt);
	return 0;
}

int host_send(struct port *port, struct vmpacket_descriptor *head, u32 head_len,
	      const void *payload, u32 payload_len)
{
	head->offset8 = head_len / 8;
	head->len8 = ALIGN(head_len + payload_len, 8) / 8;
	return try_send(port, head, head_len, payload, payload_len);
}

int host_send_control(struct port *port, struct vmpacket_descriptor *head, u32 head_len,
		      const void *payload, u32 payload_len)
{
	unsigned int tick;
	int err = -EAGAIN;

	for (tick = 0; err && tick < RING_FULL_TICKS; tick++) {
		if (tick)
			schedule_timeout_uninterruptible(1);
		err = host_send(port, head, head_len, payload, payload_len);
	}
	if (err)
		pr_err("hv_vmbus: the ring of NIC %u is still full, dropping a message\n",
		       port->nic->index);
	return err;
}

void host_send_inband(struct nic *nic, const void *message, u32 len)
{
	struct vmpacket_descriptor head = { .type = VM_PKT_DATA_INBAND };

	host_send_control(&nic->ports[0], &head, sizeof(head), message, len);
}

void host_complete(struct port *port, u64 trans_id, const void *reply, u32 len)
{
	struct vmpacket_descriptor head = { .type = VM_PKT_COMP, .trans_id = trans_id };

	host_send_control(port, &head, sizeof(head), reply, len);
}

/* Copies the next packet out of the ring of the guest; false if the ring is empty. */
static bool next_packet(struct port *port)
{
	struct hv_ring_buffer_info *info = &port->channel->outbound;
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
		       port->nic->index, len);
		port->open = false;
		return false;
	}
	at = ring_get(ring, info->ring_datasize, at, packet, len);
	smp_store_release(&ring->read_index, (at + (u32)TRAILER) % info->ring_datasize);
	/* The guest sets pending_send_sz before it reads the index again. */
	virt_mb();
	if (READ_ONCE(ring->pending_send_sz))
		irq_work_queue(&port->interrupt);
	return true;
}

static bool any_polled(void)
{
	unsigned int i, k;

	for (i = 0; i < nic_count; i++)
		for (k = 0; k < MAX_CHANNELS; k++)
			if (nics[i].ports[k].open && nics[i].ports[k].polled)
				return true;
	return false;
}

static bool handle_port(struct port *port)
{
	unsigned int count = 0;

	while (count < BUDGET && port->open && next_packet(port)) {
		nvsp_packet(port, (void *)packet_buffer);
		count++;
	}
	return count;
}

/* Handles the packets in all rings; returns whether there was one. */
static bool handle_packets(void)
{
	bool found = false;
	unsigned int i, k;

	mutex_lock(&host_lock);
	for (i = 0; i < nic_count; i++)
		for (k = 0; k < MAX_CHANNELS; k++)
			found |= handle_port(&nics[i].ports[k]);
	mutex_unlock(&host_lock);
	return found;
}

/*
 * User space only sets a bit in a shared page, so its rings are polled: often while there are packets, and
 * every tick otherwise, because a poll costs an emulated CPU some microseconds.
 */
static int host_main(void *unused)
{
	ktime_t last = 0;

	while (!kthread_should_stop()) {
		if (handle_packets()) {
			last = ktime_get();
			cond_resched();
		} else if (!any_polled()) {
			wait_event_interruptible(host_queue, atomic_xchg(&host_work, 0) ||
						 kthread_should_stop());
		} else {
			bool busy = ktime_ms_delta(ktime_get(), last) < BUSY_MS;

			wait_event_interruptible_hrtimeout(host_queue, atomic_xchg(&host_work, 0) ||
							   kthread_should_stop(),
							   busy ? POLL_NS : TICK_NSEC);
		}
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
