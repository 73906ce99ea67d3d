// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of /sys/bus/vmbus/devices/<uuid>/channels/<relid>/.
 */
#include <linux/module.h>
#include <linux/slab.h>

#include "bus.h"

struct channel_file {
	struct attribute attr;
	ssize_t (*show)(struct vmbus_channel *channel, char *text);
};

#define CHANNEL_FILE(_name, _format, _value)						\
static ssize_t _name##_show(struct vmbus_channel *channel, char *text)			\
{											\
	return sysfs_emit(text, _format "\n", _value);					\
}											\
static struct channel_file file_##_name = {						\
	.attr = { .name = #_name, .mode = 0444 }, .show = _name##_show,			\
}

CHANNEL_FILE(cpu, "%u", channel->target_cpu);
CHANNEL_FILE(interrupts, "%llu", channel->interrupts);
CHANNEL_FILE(events, "%llu", channel->sig_events);
CHANNEL_FILE(subchannel_id, "%u", channel->offermsg.offer.sub_channel_index);
CHANNEL_FILE(monitor_id, "%u", channel->offermsg.monitorid);
CHANNEL_FILE(pending, "%u", 0);
CHANNEL_FILE(latency, "%u", 0);
CHANNEL_FILE(intr_in_full, "%llu", channel->intr_in_full);
CHANNEL_FILE(intr_out_empty, "%llu", channel->intr_out_empty);
CHANNEL_FILE(out_full_first, "%llu", channel->out_full_first);
CHANNEL_FILE(out_full_total, "%llu", channel->out_full_total);

/* The following files can be read only while a driver has opened the channel. */
#define RING_FILE(_name, _value)							\
static ssize_t _name##_show(struct vmbus_channel *channel, char *text)			\
{											\
	if (channel->state != CHANNEL_OPENED_STATE)					\
		return -EINVAL;								\
	return sysfs_emit(text, "%u\n", _value);					\
}											\
static struct channel_file file_##_name = {						\
	.attr = { .name = #_name, .mode = 0444 }, .show = _name##_show,			\
}

RING_FILE(in_mask, channel->inbound.ring_buffer->interrupt_mask);
RING_FILE(out_mask, channel->outbound.ring_buffer->interrupt_mask);
RING_FILE(read_avail, hv_get_bytes_to_read(&channel->inbound));
RING_FILE(write_avail, hv_get_bytes_to_write(&channel->outbound));

static struct attribute *channel_attrs[] = {
	&file_cpu.attr,
	&file_interrupts.attr,
	&file_events.attr,
	&file_subchannel_id.attr,
	&file_monitor_id.attr,
	&file_pending.attr,
	&file_latency.attr,
	&file_intr_in_full.attr,
	&file_intr_out_empty.attr,
	&file_out_full_first.attr,
	&file_out_full_total.attr,
	&file_in_mask.attr,
	&file_out_mask.attr,
	&file_read_avail.attr,
	&file_write_avail.attr,
	NULL,
};

static umode_t channel_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	struct vmbus_channel *channel = container_of(kobj, struct vmbus_channel, kobj);

	if ((attr == &file_monitor_id.attr || attr == &file_pending.attr ||
	     attr == &file_latency.attr) && !channel->offermsg.monitor_allocated)
		return 0;
	return attr->mode;
}

static const struct attribute_group channel_group = {
	.attrs = channel_attrs,
	.is_visible = channel_visible,
};

static const struct attribute_group *channel_groups[] = { &channel_group, NULL };

static ssize_t channel_show(struct kobject *kobj, struct attribute *attr, char *text)
{
	struct channel_file *file = container_of(attr, struct channel_file, attr);

	return file->show(container_of(kobj, struct vmbus_channel, kobj), text);
}

static void channel_release(struct kobject *kobj)
{
	kfree(container_of(kobj, struct vmbus_channel, kobj));
}

static const struct sysfs_ops channel_ops = { .show = channel_show };

struct kobj_type channel_ktype = {
	.sysfs_ops = &channel_ops,
	.release = channel_release,
	.default_groups = channel_groups,
};

#ifdef HAVE_RING_SYSFS
/* uio_hv_generic maps the rings into user space; it provides the mmap function. */
static int ring_mmap(struct file *file, struct kobject *kobj, struct bin_attribute *attr,
		     struct vm_area_struct *vma)
{
	struct vmbus_channel *channel = container_of(kobj, struct vmbus_channel, kobj);

	if (channel->state != CHANNEL_OPENED_STATE)
		return -EINVAL;
	return channel->mmap_ring_buffer(channel, vma);
}

static struct bin_attribute ring_file = {
	.attr = { .name = "ring", .mode = 0600 },
	.size = SZ_4M,
	.mmap = ring_mmap,
};

int hv_create_ring_sysfs(struct vmbus_channel *channel,
			 int (*map)(struct vmbus_channel *channel, struct vm_area_struct *vma))
{
	channel->mmap_ring_buffer = map;
	channel->ring_sysfs_visible = true;
	return sysfs_create_bin_file(&channel->kobj, &ring_file);
}
EXPORT_SYMBOL_GPL(hv_create_ring_sysfs);

int hv_remove_ring_sysfs(struct vmbus_channel *channel)
{
	sysfs_remove_bin_file(&channel->kobj, &ring_file);
	channel->ring_sysfs_visible = false;
	channel->mmap_ring_buffer = NULL;
	return 0;
}
EXPORT_SYMBOL_GPL(hv_remove_ring_sysfs);
#endif
