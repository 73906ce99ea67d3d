// SPDX-License-Identifier: GPL-2.0-only
/*
 * Matching of drivers and devices: static ids, ids added and removed at run time, driver_override.
 */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "bus.h"
#include "compat.h"

struct dynamic_id {
	struct list_head node;
	struct hv_vmbus_device_id id;
};

static const struct hv_vmbus_device_id override_id;

static const struct hv_vmbus_device_id *find_static(const struct hv_driver *driver,
						    const guid_t *type)
{
	const struct hv_vmbus_device_id *id;

	for (id = driver->id_table; id && !guid_is_null(&id->guid); id++)
		if (guid_equal(&id->guid, type))
			return id;
	return NULL;
}

/* The caller holds the lock of the driver, because remove_id may free the entry. */
static struct dynamic_id *find_dynamic(struct hv_driver *driver, const guid_t *type)
{
	struct dynamic_id *entry;

	list_for_each_entry(entry, &driver->dynids.list, node)
		if (guid_equal(&entry->id.guid, type))
			return entry;
	return NULL;
}

/* With driver_override, only the named driver matches, and it needs no id. */
bool ids_find(struct hv_driver *driver, struct hv_device *device,
	      struct hv_vmbus_device_id *found)
{
	const struct hv_vmbus_device_id *fixed;
	struct dynamic_id *entry;
	bool matched = true;
	int override = override_match(device, driver);

	if (!override)
		return false;

	spin_lock(&driver->dynids.lock);
	entry = find_dynamic(driver, &device->dev_type);
	fixed = find_static(driver, &device->dev_type);
	if (entry)
		*found = entry->id;
	else if (fixed)
		*found = *fixed;
	else if (override > 0)
		*found = override_id;
	else
		matched = false;
	spin_unlock(&driver->dynids.lock);
	return matched;
}

static ssize_t new_id_store(struct device_driver *drv, const char *text, size_t count)
{
	struct hv_driver *driver = drv_to_hv_drv(drv);
	struct dynamic_id *entry;
	int err;

	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	err = guid_parse(text, &entry->id.guid);
	if (err)
		goto free;

	spin_lock(&driver->dynids.lock);
	if (find_dynamic(driver, &entry->id.guid))
		err = -EEXIST;
	else
		list_add_tail(&entry->node, &driver->dynids.list);
	spin_unlock(&driver->dynids.lock);
	if (err)
		goto free;

	/* Like the kernel, bind all unbound devices that match now. */
	err = driver_attach(drv);
	return err ? err : count;
free:
	kfree(entry);
	return err;
}
static DRIVER_ATTR_WO(new_id);

static ssize_t remove_id_store(struct device_driver *drv, const char *text, size_t count)
{
	struct hv_driver *driver = drv_to_hv_drv(drv);
	struct dynamic_id *entry;
	guid_t guid;
	int err = guid_parse(text, &guid);

	if (err)
		return err;
	spin_lock(&driver->dynids.lock);
	entry = find_dynamic(driver, &guid);
	if (entry)
		list_del(&entry->node);
	spin_unlock(&driver->dynids.lock);
	if (!entry)
		return -ENODEV;
	kfree(entry);
	return count;
}
static DRIVER_ATTR_WO(remove_id);

static struct attribute *vmbus_driver_attrs[] = {
	&driver_attr_new_id.attr,
	&driver_attr_remove_id.attr,
	NULL,
};
static const struct attribute_group vmbus_driver_group = { .attrs = vmbus_driver_attrs };

const struct attribute_group *vmbus_driver_groups[] = { &vmbus_driver_group, NULL };

void ids_init(struct hv_driver *driver)
{
	spin_lock_init(&driver->dynids.lock);
	INIT_LIST_HEAD(&driver->dynids.list);
}

void ids_clear(struct hv_driver *driver)
{
	struct dynamic_id *entry, *next;

	list_for_each_entry_safe(entry, next, &driver->dynids.list, node)
		kfree(entry);
	INIT_LIST_HEAD(&driver->dynids.list);
}

static int list_ids(struct device_driver *drv, void *data)
{
	struct hv_driver *driver = drv_to_hv_drv(drv);
	struct dynamic_id *entry;
	char *text = data;

	spin_lock(&driver->dynids.lock);
	list_for_each_entry(entry, &driver->dynids.list, node)
		sysfs_emit_at(text, strlen(text), "%s %pUl\n", drv->name, &entry->id.guid);
	spin_unlock(&driver->dynids.lock);
	return 0;
}

/* Lists the ids added with new_id, so that tests can compare them; the real bus lists no ids. */
static int ids_get(char *text, const struct kernel_param *kp)
{
	*text = 0;
	bus_for_each_drv(&vmbus_bus, NULL, text, list_ids);
	return strlen(text);
}

static const struct kernel_param_ops ids_ops = { .get = ids_get };
module_param_cb(ids, &ids_ops, NULL, 0444);
MODULE_PARM_DESC(ids, "ids that were added at run time");
