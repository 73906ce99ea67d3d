// SPDX-License-Identifier: GPL-2.0-only
/*
 * A stub RDMA driver with a selectable driver id, for the tests of manactl. Linux 6.1 has no
 * mana_ib; this module replaces it on the auxiliary device of the real mana.ko. It supports only
 * what tools use: listing and opening the device, querying attributes, allocating protection
 * domains.
 */
#include <linux/module.h>
#include <net/addrconf.h>
#include <net/mana/mana_auxiliary.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_verbs.h>

#define MANA_ABI_VERSION	1
#define MAX_QUEUES		64
#define MAX_WRS			256

static uint driver_id = 20;
module_param(driver_id, uint, 0444);
MODULE_PARM_DESC(driver_id, "20 = MANA; 19 = ERDMA, as reported by back-ports to old kernels");

struct fake_device {
	struct ib_device ib;
	struct gdma_dev *mana;
};

struct fake_context {
	struct ib_ucontext ib;
};

struct fake_pd {
	struct ib_pd ib;
};

static struct mana_context *mana_of(struct ib_device *ib)
{
	return container_of(ib, struct fake_device, ib)->mana->driver_data;
}

static int query_device(struct ib_device *ib, struct ib_device_attr *attr, struct ib_udata *udata)
{
	attr->vendor_id = 0x1414;
	attr->hw_ver = 0;
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = PAGE_SIZE;
	attr->max_qp = MAX_QUEUES;
	attr->max_qp_wr = MAX_WRS;
	attr->max_send_sge = MAX_TX_WQE_SGL_ENTRIES;
	attr->max_recv_sge = MAX_RX_WQE_SGL_ENTRIES;
	attr->max_cq = 2 * MAX_QUEUES;
	attr->max_cqe = MAX_WRS;
	attr->max_mr = 0xffffff;
	attr->max_pd = 0x6000;
	return 0;
}

static int query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct net_device *netdev = mana_of(ib)->ports[port - 1];
	bool up = netif_running(netdev);

	attr->state = up ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = up ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = ib_mtu_int_to_enum(netdev->mtu);
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_EDR;
	attr->pkey_tbl_len = 1;
	return 0;
}

/* Leaves gid_tbl_len at 0, so that the core does not query GIDs, which are not supported. */
static int port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_RAW_PACKET;
	immutable->pkey_tbl_len = 1;
	return 0;
}

static int query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	*pkey = IB_DEFAULT_PKEY_FULL;
	return index ? -EINVAL : 0;
}

static enum rdma_link_layer link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static int alloc_context(struct ib_ucontext *context, struct ib_udata *udata)
{
	return 0;
}

static void dealloc_context(struct ib_ucontext *context)
{
}

/* Providers map the doorbell page when they open the device. */
static int map_doorbells(struct ib_ucontext *context, struct vm_area_struct *vma)
{
	struct fake_device *fake = container_of(context->device, struct fake_device, ib);
	struct gdma_context *gdma = fake->mana->gdma_context;
	phys_addr_t page = gdma->phys_db_page_base + fake->mana->doorbell * gdma->db_page_size;

	return rdma_user_mmap_io(context, vma, PHYS_PFN(page), PAGE_SIZE,
				 pgprot_noncached(vma->vm_page_prot), NULL);
}

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static struct ib_device_ops ops = {
	.owner = THIS_MODULE,
	.uverbs_abi_ver = MANA_ABI_VERSION,
	.query_device = query_device,
	.query_port = query_port,
	.query_pkey = query_pkey,
	.get_port_immutable = port_immutable,
	.get_link_layer = link_layer,
	.alloc_ucontext = alloc_context,
	.dealloc_ucontext = dealloc_context,
	.mmap = map_doorbells,
	.alloc_pd = alloc_pd,
	.dealloc_pd = dealloc_pd,
	INIT_RDMA_OBJ_SIZE(ib_ucontext, fake_context, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, fake_pd, ib),
};

static int fake_probe(struct auxiliary_device *adev, const struct auxiliary_device_id *id)
{
	struct gdma_dev *mana = container_of(adev, struct mana_adev, adev)->mdev;
	struct mana_context *context = mana->driver_data;
	struct device *parent = mana->gdma_context->dev;
	struct fake_device *fake = ib_alloc_device(fake_device, ib);
	u32 port;
	int err;

	if (!fake)
		return -ENOMEM;
	fake->mana = mana;
	fake->ib.node_type = RDMA_NODE_RNIC;
	fake->ib.phys_port_cnt = context->num_ports;
	fake->ib.num_comp_vectors = 1;
	fake->ib.dev.parent = parent;
	addrconf_addr_eui48((u8 *)&fake->ib.node_guid, context->ports[0]->dev_addr);
	ib_set_device_ops(&fake->ib, &ops);
	for (port = 1; port <= context->num_ports; port++) {
		err = ib_device_set_netdev(&fake->ib, context->ports[port - 1], port);
		if (err)
			goto free;
	}
	err = ib_register_device(&fake->ib, "mana_%d", parent);
	if (err)
		goto free;
	dev_set_drvdata(&adev->dev, fake);
	return 0;
free:
	ib_dealloc_device(&fake->ib);
	return err;
}

static void fake_remove(struct auxiliary_device *adev)
{
	struct fake_device *fake = dev_get_drvdata(&adev->dev);

	ib_unregister_device(&fake->ib);
	ib_dealloc_device(&fake->ib);
}

static const struct auxiliary_device_id ids[] = { { .name = "mana.rdma" }, {} };
MODULE_DEVICE_TABLE(auxiliary, ids);

static struct auxiliary_driver driver = {
	.name = "rdma",
	.probe = fake_probe,
	.remove = fake_remove,
	.id_table = ids,
};

static int __init fake_init(void)
{
	ops.driver_id = driver_id;
	return auxiliary_driver_register(&driver);
}
module_init(fake_init);

static void __exit fake_exit(void)
{
	auxiliary_driver_unregister(&driver);
}
module_exit(fake_exit);

MODULE_DESCRIPTION("Stub of mana_ib with a selectable driver id");
MODULE_LICENSE("GPL");
