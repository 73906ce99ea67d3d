// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bus: registration of drivers, matching and probing.
 */
#include <linux/device.h>
#include <linux/module.h>

#include "bus.h"
#include "compat.h"

struct device *vmbus_root;

/* Casts away const only to lock the id list of the driver. */
static int vmbus_match(struct device *dev, match_driver *drv)
{
	struct hv_driver *driver = drv_to_hv_drv((struct device_driver *)drv);
	struct hv_device *device = device_to_hv_device(dev);
	struct hv_vmbus_device_id id;

	return device->channels_kset && ids_find(driver, device, &id);
}

static int vmbus_uevent(uevent_device *dev, struct kobj_uevent_env *env)
{
	return add_uevent_var(env, "MODALIAS=vmbus:%*phN", UUID_SIZE,
			      &device_to_hv_device(dev)->dev_type);
}

static int vmbus_probe(struct device *dev)
{
	struct hv_device *device = device_to_hv_device(dev);
	struct hv_driver *driver = drv_to_hv_drv(dev->driver);
	struct hv_vmbus_device_id id;
	int err = bind_refusal(nic_of(device->channel), driver->name);

	if (err)
		return err;
	if (!ids_find(driver, device, &id))
		return -ENODEV;
	err = driver->probe(device, &id);
	if (err)
		device->channel->chn_rescind_callback = NULL;
	return err;
}

static void vmbus_remove(struct device *dev)
{
	struct hv_driver *driver = drv_to_hv_drv(dev->driver);
	struct hv_device *device = device_to_hv_device(dev);

	if (driver->remove)
		driver->remove(device);
	/* uio_hv_generic does not reset this callback, which must not run for the next driver. */
	device->channel->chn_rescind_callback = NULL;
}

struct bus_type vmbus_bus = {
	.name = "vmbus",
	.match = vmbus_match,
	.uevent = vmbus_uevent,
	.probe = vmbus_probe,
	.remove = vmbus_remove,
	.dev_groups = vmbus_device_groups,
	.drv_groups = vmbus_driver_groups,
	BUS_OVERRIDE
};

int __vmbus_driver_register(struct hv_driver *driver, struct module *owner, const char *mod_name)
{
	ids_init(driver);
	driver->driver.name = driver->name;
	driver->driver.owner = owner;
	driver->driver.mod_name = mod_name;
	driver->driver.bus = &vmbus_bus;
	return driver_register(&driver->driver);
}
EXPORT_SYMBOL_GPL(__vmbus_driver_register);

void vmbus_driver_unregister(struct hv_driver *driver)
{
	driver_unregister(&driver->driver);
	ids_clear(driver);
}
EXPORT_SYMBOL_GPL(vmbus_driver_unregister);

int bus_init(void)
{
	int err = bus_register(&vmbus_bus);

	if (err)
		return err;
	vmbus_root = root_device_register("VMBUS:00");
	if (IS_ERR(vmbus_root)) {
		bus_unregister(&vmbus_bus);
		return PTR_ERR(vmbus_root);
	}
	return 0;
}

void bus_exit(void)
{
	root_device_unregister(vmbus_root);
	bus_unregister(&vmbus_bus);
}
