/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/azgdma: the interface between azpci.ko and the device model.
 *
 * azpci.ko implements the PCI function, traps the stores of the driver and raises interrupts. The
 * model is a process that implements the device. It opens /dev/azgdma and maps the BAR and guest
 * RAM. In a loop, it gets stores with read(), changes memory and raises interrupts (AZGDMA_RAISE).
 */
#ifndef AZGDMA_H
#define AZGDMA_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * BAR0. azpci.ko sets the three registers when it creates the function, because it traps the pages
 * that they refer to. The model only reads the registers.
 */
#define AZGDMA_BAR_SIZE 0x10000
#define AZGDMA_REG_DB_PAGE_OFFSET 0x08 /* u64 */
#define AZGDMA_REG_DB_PAGE_SIZE 0x10   /* u32 */
#define AZGDMA_REG_SHM_OFFSET 0x18     /* u64 */
#define AZGDMA_SHM_OFFSET 0x1000       /* shared-memory channel, 32 bytes */
#define AZGDMA_MSIX_TABLE_OFFSET 0x2000
#define AZGDMA_MSIX_PBA_OFFSET 0x3000
#define AZGDMA_DB_PAGE_OFFSET 0x4000
#define AZGDMA_DB_PAGE_SIZE 0x1000
#define AZGDMA_DB_PAGES 4
#define AZGDMA_MSIX_VECTORS 8

/*
 * mmap() offsets. The offset of guest RAM is its physical address, which is also the DMA address
 * (no IOMMU). A single mapping of all RAM is possible: pages are inserted on the first access, and
 * access to anything that is not RAM raises SIGBUS. The BAR is at offset 2^40.
 */
#define AZGDMA_MMAP_RAM 0ULL
#define AZGDMA_MMAP_BAR (1ULL << 40)

/*
 * read() waits for a record and returns one or more. With O_NONBLOCK it fails with EAGAIN if there
 * is none; poll() is supported. Stores of the driver do not wait for the model. Therefore azpci.ko
 * itself sets the owner bit (31) of the request header at AZGDMA_SHM_OFFSET + 28 before the store
 * completes. The model clears this bit in the response.
 *
 * Other stores to the shared-memory channel are not reported, so the model reads its 32 bytes from
 * the BAR when the record of the header arrives. All stores to doorbell pages are reported in order,
 * with the 64-bit value in memory after the store.
 */
struct azgdma_store {
  __u32 offset; /* from the start of BAR0, or one of AZGDMA_EVENT_* */
  __u32 pad;
  __u64 value; /* shared-memory channel: the header with its owner bit */
};

/* The queue overflowed: value = number of lost records. The model cannot continue. */
#define AZGDMA_EVENT_OVERRUN 0xfffffff0u
/*
 * The function was removed (value 0) or added (value 1). The model must then reset the device.
 */
#define AZGDMA_EVENT_PRESENCE 0xfffffff1u

struct azgdma_info {
  __u32 version; /* AZGDMA_VERSION */
  __u32 bar_size;
  __u64 ram_end; /* first physical address above guest RAM */
  __u64 stores;  /* records queued since the module was loaded */
  __u64 lost;    /* records lost because the queue was full */
  __u64 raised;  /* interrupts sent by AZGDMA_RAISE */
};

#define AZGDMA_VERSION 1

/*
 * ioctl(fd, AZGDMA_RAISE, vector) sends the MSI-X message that the driver has written to the table.
 * Errors: EINVAL: no such vector; ENXIO: function not on the bus or MSI-X disabled; EAGAIN: vector
 * masked (its pending bit is set, but azpci.ko does not deliver the interrupt later).
 */
#define AZGDMA_RAISE _IO('z', 1)
#define AZGDMA_INFO _IOR('z', 2, struct azgdma_info)

#endif
