// SPDX-License-Identifier: GPL-2.0-only
/*
 * The files of /sys/bus/vmbus/devices/<uuid>/.
 */
#include <linux/module.h>

#include "bus.h"

static struct vmbus_channel *channel_of(struct device *dev)
{
	return device_to_hv_device(dev)->channel;
}

static ssize_t id_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "%u\n", channel_of(dev)->offermsg.child_relid);
}
static DEVICE_ATTR_RO(id);

static ssize_t state_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "%d\n", channel_of(dev)->state);
}
static DEVICE_ATTR_RO(state);

static ssize_t monitor_id_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "%u\n", channel_of(dev)->offermsg.monitorid);
}
static DEVICE_ATTR_RO(monitor_id);

static ssize_t class_id_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "{%pUl}\n", &device_to_hv_device(dev)->dev_type);
}
static DEVICE_ATTR_RO(class_id);

static ssize_t device_id_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "{%pUl}\n", &device_to_hv_device(dev)->dev_instance);
}
static DEVICE_ATTR_RO(device_id);

static ssize_t modalias_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "vmbus:%*phN\n", UUID_SIZE, &device_to_hv_device(dev)->dev_type);
}
static DEVICE_ATTR_RO(modalias);

static ssize_t vendor_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "0x%x\n", device_to_hv_device(dev)->vendor_id);
}
static DEVICE_ATTR_RO(vendor);

static ssize_t device_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "0x%x\n", device_to_hv_device(dev)->device_id);
}
static DEVICE_ATTR_RO(device);

static ssize_t numa_node_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "%d\n", cpu_to_node(channel_of(dev)->target_cpu));
}
static DEVICE_ATTR_RO(numa_node);

static ssize_t channel_vp_mapping_show(struct device *dev, struct device_attribute *attr,
				       char *text)
{
	struct vmbus_channel *channel = channel_of(dev);

	return sysfs_emit(text, "%u:%u\n", channel->offermsg.child_relid, channel->target_cpu);
}
static DEVICE_ATTR_RO(channel_vp_mapping);

#ifndef HAVE_CORE_OVERRIDE
static ssize_t driver_override_show(struct device *dev, struct device_attribute *attr, char *text)
{
	ssize_t len;

	device_lock(dev);
	len = sysfs_emit(text, "%s\n", device_to_hv_device(dev)->driver_override);
	device_unlock(dev);
	return len;
}

static ssize_t driver_override_store(struct device *dev, struct device_attribute *attr,
				     const char *text, size_t count)
{
	int err = driver_set_override(dev, &device_to_hv_device(dev)->driver_override, text, count);

	return err ? err : count;
}
static DEVICE_ATTR_RW(driver_override);
#endif

static struct attribute *device_attrs[] = {
	&dev_attr_id.attr,
	&dev_attr_state.attr,
	&dev_attr_monitor_id.attr,
	&dev_attr_class_id.attr,
	&dev_attr_device_id.attr,
	&dev_attr_modalias.attr,
	&dev_attr_vendor.attr,
	&dev_attr_device.attr,
	&dev_attr_numa_node.attr,
	&dev_attr_channel_vp_mapping.attr,
#ifndef HAVE_CORE_OVERRIDE
	&dev_attr_driver_override.attr,
#endif
	NULL,
};

static umode_t attr_visible(struct kobject *kobj, struct attribute *attr, int index)
{
	struct vmbus_channel *channel = channel_of(kobj_to_dev(kobj));

	if (attr == &dev_attr_monitor_id.attr && !channel->offermsg.monitor_allocated)
		return 0;
	return attr->mode;
}

static const struct attribute_group device_group = {
	.attrs = device_attrs,
	.is_visible = attr_visible,
};

const struct attribute_group *vmbus_device_groups[] = { &device_group, NULL };
