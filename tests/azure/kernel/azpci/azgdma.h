/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/azgdma: what azpci.ko and the device model agree on.
 *
 * azpci.ko owns the PCI function, traps the driver's stores and raises interrupts. The model, a
 * process, owns everything behind them. It opens the device once, maps the BAR and guest RAM, and
 * then loops: read() stores, change memory, AZGDMA_RAISE.
 */
#ifndef AZGDMA_H
#define AZGDMA_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * BAR0. azpci.ko fills the three registers when it makes the function, because it has to know
 * where the pages are that it traps: the model only reads them.
 */
#define AZGDMA_BAR_SIZE			0x10000
#define AZGDMA_REG_DB_PAGE_OFFSET	0x08	/* u64 */
#define AZGDMA_REG_DB_PAGE_SIZE		0x10	/* u32 */
#define AZGDMA_REG_SHM_OFFSET		0x18	/* u64 */
#define AZGDMA_SHM_OFFSET		0x1000	/* shared-memory channel, 32 bytes */
#define AZGDMA_MSIX_TABLE_OFFSET	0x2000
#define AZGDMA_MSIX_PBA_OFFSET		0x3000
#define AZGDMA_DB_PAGE_OFFSET		0x4000
#define AZGDMA_DB_PAGE_SIZE		0x1000
#define AZGDMA_DB_PAGES			4
#define AZGDMA_MSIX_VECTORS		8

/*
 * mmap() offsets. Guest RAM: the physical address, which is also the DMA address (there is no
 * IOMMU). One mapping of the whole of RAM is fine: pages are entered when they are touched, and
 * touching something that is not RAM raises SIGBUS. The BAR stands at 2^40.
 */
#define AZGDMA_MMAP_RAM			0ULL
#define AZGDMA_MMAP_BAR			(1ULL << 40)

/*
 * read() gives whole records, at least one unless O_NONBLOCK says EAGAIN; poll() works. The driver
 * sees its store done at once: the model may be late with everything. The one exception is made by
 * azpci.ko itself: a request header written to AZGDMA_SHM_OFFSET + 28 gets its owner bit (31)
 * within the store, and the model clears it when it answers.
 *
 * Stores to the shared-memory channel other than a request header are not reported: read the
 * channel's 32 bytes from the BAR when the header's record arrives. Every store to a doorbell page
 * is reported, in order, with the 64-bit value found there afterwards.
 */
struct azgdma_store {
	__u32 offset;	/* from the start of BAR0, or one of AZGDMA_EVENT_* */
	__u32 pad;
	__u64 value;	/* shared-memory channel: the header, owner bit included */
};

/* The queue overran: value = number of records lost. The model cannot continue. */
#define AZGDMA_EVENT_OVERRUN		0xfffffff0u
/* The function left the bus (value 0) or came (value 1): forget all queues, start from reset. */
#define AZGDMA_EVENT_PRESENCE		0xfffffff1u

struct azgdma_info {
	__u32 version;		/* AZGDMA_VERSION */
	__u32 bar_size;
	__u64 ram_end;		/* first physical address above guest RAM */
	__u64 stores;		/* records queued since the module was loaded */
	__u64 lost;		/* of these, lost to overruns */
	__u64 raised;		/* interrupts sent by AZGDMA_RAISE */
};

#define AZGDMA_VERSION			1

/*
 * AZGDMA_RAISE: ioctl(fd, AZGDMA_RAISE, vector). Sends the MSI-X message that the driver put into
 * the table. Returns 0; EINVAL: no such vector; ENXIO: function not on the bus or MSI-X off;
 * EAGAIN: vector masked (its pending bit is set, azpci.ko delivers nothing later).
 */
#define AZGDMA_RAISE			_IO('z', 1)
#define AZGDMA_INFO			_IOR('z', 2, struct azgdma_info)

#endif
