// SPDX-License-Identifier: GPL-2.0-only
/*
 * Catches the driver's writes to the BAR with kmmio, the MMIO tracer of the kernel.
 *
 * kmmio marks a page as not present, so that each access faults. It single-steps the instruction
 * and then calls a handler. kmmio needs virtual addresses, so a kretprobe on pci_iomap() records
 * where the driver maps the BAR. The handlers run in the context of the debug exception, so they
 * must not lock, and only use the queue of chardev.c.
 */
#include <linux/io.h>
#include <linux/kprobes.h>
#include <linux/mmiotrace.h>
#include <linux/module.h>

#include "azpci.h"

#define SHM_HEADER		(AZGDMA_SHM_OFFSET + 28)
#define HEADER_TYPE(header)	((header) & 7)
#define HEADER_RESPONSE		BIT(7)
#define HEADER_OWNER		BIT(31)

static unsigned long mapped;		/* virtual address of the BAR in the driver, or 0 */
static unsigned long last_address;	/* address of the access that is single-stepped */

static void before_access(struct kmmio_probe *probe, struct pt_regs *regs, unsigned long address)
{
	last_address = address;
}

/*
 * Sets the owner bit of a request. The driver polls this page, so it must never see its request
 * without the owner bit.
 */
static void after_shm(struct kmmio_probe *probe, unsigned long condition, struct pt_regs *regs)
{
	u32 header;

	if (last_address - mapped != SHM_HEADER || !model_attached())
		return;
	header = readl(bar + SHM_HEADER);
	if (!HEADER_TYPE(header) || header & (HEADER_OWNER | HEADER_RESPONSE))
		return;
	writel(header | HEADER_OWNER, bar + SHM_HEADER);
	queue_store(SHM_HEADER, header | HEADER_OWNER);
}

static void after_doorbell(struct kmmio_probe *probe, unsigned long condition,
			   struct pt_regs *regs)
{
	u32 offset = last_address - mapped;

	queue_store(offset, readq(bar + (offset & ~7U)));
}

static struct kmmio_probe shm_probe = {
	.len = PAGE_SIZE, .pre_handler = before_access, .post_handler = after_shm,
};

static struct kmmio_probe doorbell_probe = {
	.len = AZGDMA_DB_PAGES * AZGDMA_DB_PAGE_SIZE,
	.pre_handler = before_access, .post_handler = after_doorbell,
};

static bool is_ours(struct pci_dev *function)
{
	return pci_resource_start(function, 0) == bar_address;
}

static void disarm(void)
{
	unregister_kmmio_probe(&shm_probe);
	unregister_kmmio_probe(&doorbell_probe);
	mapped = 0;
}

static void arm(unsigned long address)
{
	if (mapped)
		disarm();
	mapped = address;
	shm_probe.addr = address + AZGDMA_SHM_OFFSET;
	doorbell_probe.addr = address + AZGDMA_DB_PAGE_OFFSET;
	if (register_kmmio_probe(&shm_probe) || register_kmmio_probe(&doorbell_probe))
		pr_err("azpci: cannot trap the BAR\n");
}

/* Whether a call of pci_iomap() maps our BAR: set on entry, used on return. */
struct mapping {
	bool ours;
};

static int iomap_entry(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct mapping *mapping = (struct mapping *)instance->data;

	mapping->ours = is_ours((struct pci_dev *)regs->di) && regs->si == 0;
	return 0;
}

static int iomap_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct mapping *mapping = (struct mapping *)instance->data;

	if (mapping->ours && regs_return_value(regs))
		arm(regs_return_value(regs));
	return 0;
}

static int iounmap_entry(struct kprobe *probe, struct pt_regs *regs)
{
	if (mapped && regs->si == mapped)
		disarm();
	return 0;
}

static struct kretprobe iomap_probe = {
	.kp.symbol_name = "pci_iomap",
	.entry_handler = iomap_entry,
	.handler = iomap_return,
	.data_size = sizeof(struct mapping),
	.maxactive = 4,
};

static struct kprobe iounmap_probe = {
	.symbol_name = "pci_iounmap",
	.pre_handler = iounmap_entry,
};

/* kmmio_init() is not exported; a kprobe resolves its address. */
static int start_kmmio(void)
{
	struct kprobe finder = { .symbol_name = "kmmio_init" };
	int (*init)(void);
	int err = register_kprobe(&finder);

	if (err)
		return err;
	init = (void *)finder.addr;
	unregister_kprobe(&finder);
	return init();
}

int trap_start(void)
{
	int err = start_kmmio();

	if (err)
		return err;
	err = register_kretprobe(&iomap_probe);
	if (err)
		return err;
	err = register_kprobe(&iounmap_probe);
	if (err)
		unregister_kretprobe(&iomap_probe);
	return err;
}

void trap_stop(void)
{
	unregister_kprobe(&iounmap_probe);
	unregister_kretprobe(&iomap_probe);
	if (mapped)
		disarm();
}
