// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts to the driver: sends the message of the MSI-X table as an interprocessor interrupt.
 */
#include <linux/io.h>
#include <linux/smp.h>
#include <asm/apic.h>

#include "azpci.h"

#define VECTOR_MASK	0xff

/* Ignores the destination bits, because there is only one CPU. */
int msix_raise(unsigned int vector)
{
	void __iomem *entry;
	u32 data;

	if (vector >= AZGDMA_MSIX_VECTORS)
		return -EINVAL;
	if (!msix_enabled())
		return -ENXIO;
	entry = bar + AZGDMA_MSIX_TABLE_OFFSET + vector * PCI_MSIX_ENTRY_SIZE;
	if (readl(entry + PCI_MSIX_ENTRY_VECTOR_CTRL) & PCI_MSIX_ENTRY_CTRL_MASKBIT) {
		writel(readl(bar + AZGDMA_MSIX_PBA_OFFSET) | BIT(vector),
		       bar + AZGDMA_MSIX_PBA_OFFSET);
		return -EAGAIN;
	}
	data = readl(entry + PCI_MSIX_ENTRY_DATA);
	preempt_disable();
	apic->send_IPI(smp_processor_id(), data & VECTOR_MASK);
	preempt_enable();
	return 0;
}
