// SPDX-License-Identifier: GPL-2.0-only
/*
 * The VMBus device of a NIC: offer and rescind.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "bus.h"
#include "compat.h"

#define NIC_VENDOR	0x1414

static void device_release(struct device *dev)
{
	struct hv_device *device = device_to_hv_device(dev);

	override_free(device);
	kfree(device);
}

struct nic *nic_of(const struct vmbus_channel *channel)
{
	return &nics[(channel->offermsg.child_relid - FIRST_RELID) % MAX_NICS];
}

struct port *port_of(const struct vmbus_channel *channel)
{
	return &nic_of(channel)->ports[channel->offermsg.offer.sub_channel_index];
}

/* The instance id of a NIC repeats its MAC as on Azure: 000d3a76-3bd0-000d-3a76-3bd0000d3a76. */
static void instance_from_mac(guid_t *instance, const u8 *mac)
{
	char text[UUID_STRING_LEN + 1];

	snprintf(text, sizeof(text), "%4phN-%2phN-%2phN-%2phN-%2phN%4phN",
		 mac, mac + 4, mac, mac + 2, mac + 4, mac);
	guid_parse(text, instance);
}

/* Number 0 is the primary channel. */
struct vmbus_channel *make_channel(struct nic *nic, unsigned int number)
{
	static const struct hv_vmbus_device_id nic_id = { HV_NIC_GUID };
	struct vmbus_channel *channel = kzalloc(sizeof(*channel), GFP_KERNEL);
	struct vmbus_channel_offer_channel *offer;

	if (!channel)
		return NULL;
	offer = &channel->offermsg;
	offer->offer.if_type = nic_id.guid;
	instance_from_mac(&offer->offer.if_instance, nic->mac);
	offer->offer.sub_channel_index = number;
	offer->child_relid = FIRST_RELID + nic->index + MAX_NICS * number;
	offer->connection_id = 0x10000 + offer->child_relid;
	offer->monitorid = nic->index + MAX_NICS * number;
	offer->monitor_allocated = nic_has_monitor(nic);
	offer->is_dedicated_interrupt = 1;
	channel->is_dedicated_interrupt = true;
	channel->monitor_bit = offer->monitorid % 32;
	channel->monitor_grp = offer->monitorid / 32;
	channel->target_cpu = number % num_online_cpus();
	channel->state = CHANNEL_OPEN_STATE;
	channel->device_id = HV_NIC;
	channel->max_pkt_size = VMBUS_DEFAULT_MAX_PKT_SIZE;
	INIT_LIST_HEAD(&channel->sc_list);
	init_completion(&channel->rescind_event);
	spin_lock_init(&channel->sched_lock);
	return channel;
}

static struct hv_device *make_device(struct vmbus_channel *channel)
{
	struct hv_device *device = kzalloc(sizeof(*device), GFP_KERNEL);

	if (!device)
		return NULL;
	device->dev_type = channel->offermsg.offer.if_type;
	device->dev_instance = channel->offermsg.offer.if_instance;
	device->vendor_id = NIC_VENDOR;
	device->device_id = HV_NIC;
	device->channel = channel;
	device->device.parent = vmbus_root;
	device->device.bus = &vmbus_bus;
	device->device.release = device_release;
	device->device.dma_parms = &device->dma_parms;
	device->device.dma_mask = &device->dma_mask;
	dev_set_name(&device->device, "%pUl", &device->dev_instance);
	return device;
}

int add_channel_directory(struct hv_device *device, struct vmbus_channel *channel)
{
	channel->kobj.kset = device->channels_kset;
	return kobject_init_and_add(&channel->kobj, &channel_ktype, NULL, "%u",
				    channel->offermsg.child_relid);
}

int nic_offer(struct nic *nic)
{
	struct vmbus_channel *channel = make_channel(nic, 0);
	struct hv_device *device = channel ? make_device(channel) : NULL;
	unsigned int i;
	int err;

	if (!device) {
		kfree(channel);
		return -ENOMEM;
	}
	channel->device_obj = device;
	INIT_LIST_HEAD(&nic->gpadls);
	INIT_WORK(&nic->offer_work, offer_subchannels);
	for (i = 0; i < MAX_CHANNELS; i++) {
		nic->ports[i].nic = nic;
		init_irq_work(&nic->ports[i].interrupt, host_interrupt);
	}
	nic->ports[0].channel = channel;
	nic->device = device;

	/*
	 * The probe of uio_hv_generic creates the file "ring" in the directory of the channel. The
	 * bus matches no driver until the directory exists, hence the call of device_attach().
	 */
	err = device_register(&device->device);
	if (!err) {
		device->channels_kset = kset_create_and_add("channels", NULL, &device->device.kobj);
		err = device->channels_kset ? add_channel_directory(device, channel) : -ENOMEM;
	}
	if (!err)
		err = min(device_attach(&device->device), 0);
	if (err)
		pr_err("hv_vmbus: cannot offer NIC %u: %d\n", nic->index, err);
	return err;
}

/* Removes the device; this unbinds the driver, which closes the channel. */
void vmbus_device_unregister(struct hv_device *device)
{
	struct vmbus_channel *channel = device->channel;
	struct kset *channels = device->channels_kset;
	struct nic *nic = nic_of(channel);

	pr_info("hv_vmbus: child device %s unregistered\n", dev_name(&device->device));
	nic->device = NULL;
	device_unregister(&device->device);
	nic->ports[0].channel = NULL;
	kobject_put(&channel->kobj);
	kset_unregister(channels);
}
EXPORT_SYMBOL_GPL(vmbus_device_unregister);

/* A driver with a rescind callback, such as uio_hv_generic, unregisters the device itself. */
void nic_rescind(struct nic *nic)
{
	struct vmbus_channel *channel = nic->ports[0].channel;

	channel->rescind = true;
	if (channel->chn_rescind_callback)
		channel->chn_rescind_callback(channel);
	else
		vmbus_device_unregister(nic->device);
}
