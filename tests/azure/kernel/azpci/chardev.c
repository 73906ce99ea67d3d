// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/azgdma: queue of stores, memory mappings, interrupts. See azgdma.h.
 */
#include <linux/fs.h>
#include <linux/ioport.h>
#include <linux/irq_work.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/uaccess.h>

#include "azpci.h"
#include "compat.h"

#define QUEUE_LEN	4096	/* a power of two */

/*
 * One writer (the only CPU, with interrupts disabled) and one reader (under read_lock). The
 * counters are not taken modulo QUEUE_LEN: written - taken is the number of queued records.
 */
static struct azgdma_store queue[QUEUE_LEN];
static u32 written, taken;
static u64 lost, raised, queued;
static DEFINE_MUTEX(read_lock);
static DECLARE_WAIT_QUEUE_HEAD(readers);
static unsigned long attached;

static void wake_readers(struct irq_work *work)
{
	wake_up_interruptible(&readers);
}

static DEFINE_IRQ_WORK(wake_work, wake_readers);

bool model_attached(void)
{
	return READ_ONCE(attached);
}

/* Called both in the debug exception, where locking is not possible, and in process context. */
void queue_store(u32 offset, u64 value)
{
	unsigned long flags;

	if (!model_attached())
		return;
	local_irq_save(flags);
	if (written - READ_ONCE(taken) == QUEUE_LEN) {
		lost++;
	} else {
		queue[written % QUEUE_LEN] = (struct azgdma_store){
			.offset = offset, .value = value,
		};
		smp_store_release(&written, written + 1);
		queued++;
	}
	local_irq_restore(flags);
	irq_work_queue(&wake_work);
}

static bool store_pending(void)
{
	return smp_load_acquire(&written) != taken || READ_ONCE(lost);
}

static ssize_t azgdma_read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	ssize_t done = 0;

	if (len < sizeof(struct azgdma_store))
		return -EINVAL;
	if (mutex_lock_interruptible(&read_lock))
		return -ERESTARTSYS;
	if (!store_pending() && file->f_flags & O_NONBLOCK)
		done = -EAGAIN;
	else
		done = wait_event_interruptible(readers, store_pending());

	while (done >= 0 && len - done >= sizeof(struct azgdma_store) && store_pending()) {
		struct azgdma_store store = queue[taken % QUEUE_LEN];

		if (smp_load_acquire(&written) == taken)
			store = (struct azgdma_store){
				.offset = AZGDMA_EVENT_OVERRUN, .value = xchg(&lost, 0),
			};
		else
			WRITE_ONCE(taken, taken + 1);
		if (copy_to_user(to + done, &store, sizeof(store))) {
			done = -EFAULT;
			break;
		}
		done += sizeof(store);
	}
	mutex_unlock(&read_lock);
	return done;
}

static __poll_t azgdma_poll(struct file *file, poll_table *table)
{
	poll_wait(file, &readers, table);
	return store_pending() ? EPOLLIN | EPOLLRDNORM : 0;
}

static long azgdma_ioctl(struct file *file, unsigned int command, unsigned long arg)
{
	struct azgdma_info info = {
		.version = AZGDMA_VERSION, .bar_size = AZGDMA_BAR_SIZE, .ram_end = __pa(high_memory - 1) + 1,
		.stores = queued, .lost = lost, .raised = raised,
	};
	int err;

	switch (command) {
	case AZGDMA_RAISE:
		err = arg > U32_MAX ? -EINVAL : msix_raise(arg);
		raised += !err;
		return err;
	case AZGDMA_INFO:
		return copy_to_user((void __user *)arg, &info, sizeof(info)) ? -EFAULT : 0;
	default:
		return -ENOTTY;
	}
}

/* Inserts single pages, because RAM is not contiguous. */
static vm_fault_t ram_fault(struct vm_fault *fault)
{
	unsigned long pfn = fault->pgoff;

	if (!pfn_valid(pfn) || !page_is_ram(pfn))
		return VM_FAULT_SIGBUS;
	return vmf_insert_pfn(fault->vma, fault->address, pfn);
}

static const struct vm_operations_struct ram_ops = { .fault = ram_fault };

static int azgdma_mmap(struct file *file, struct vm_area_struct *vma)
{
	unsigned long size = vma->vm_end - vma->vm_start;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_pgoff >= PHYS_PFN(AZGDMA_MMAP_BAR)) {
		if (vma->vm_pgoff != PHYS_PFN(AZGDMA_MMAP_BAR) || size > AZGDMA_BAR_SIZE)
			return -EINVAL;
		vma->vm_page_prot = pgprot_noncached(vma->vm_page_prot);
		return io_remap_pfn_range(vma, vma->vm_start, PHYS_PFN(bar_address), size,
					  vma->vm_page_prot);
	}
	add_vm_flags(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	vma->vm_ops = &ram_ops;
	return 0;
}

/* Allows only one model at a time, and empties the queue for it. */
static int azgdma_open(struct inode *inode, struct file *file)
{
	if (READ_ONCE(attached))
		return -EBUSY;
	mutex_lock(&read_lock);
	taken = written;
	lost = 0;
	mutex_unlock(&read_lock);
	return xchg(&attached, 1) ? -EBUSY : nonseekable_open(inode, file);
}

static int azgdma_release(struct inode *inode, struct file *file)
{
	WRITE_ONCE(attached, 0);
	return 0;
}

static const struct file_operations azgdma_ops = {
	.owner = THIS_MODULE,
	.open = azgdma_open,
	.release = azgdma_release,
	.read = azgdma_read,
	.poll = azgdma_poll,
	.unlocked_ioctl = azgdma_ioctl,
	.mmap = azgdma_mmap,
};

static struct miscdevice azgdma_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "azgdma",
	.fops = &azgdma_ops,
	.mode = 0600,
};

int chardev_init(void)
{
	return misc_register(&azgdma_device);
}

void chardev_exit(void)
{
	misc_deregister(&azgdma_device);
}
