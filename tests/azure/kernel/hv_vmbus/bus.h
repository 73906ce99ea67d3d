/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Declarations shared by the files of this module: struct nic (one per NIC that the host offers),
 * access to the rings, and the host side of the protocols.
 */
#ifndef AZURE_VMBUS_H
#define AZURE_VMBUS_H

#include <linux/hyperv.h>
#include <linux/if_ether.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#define MAX_NICS 8
/* Channels of a NIC: the primary channel and its subchannels. */
#define MAX_CHANNELS 8
#define FIRST_RELID 15
#define RECV_SECTION_SIZE 2048
#define RECV_SECTIONS 4096
/* Sections that only control messages may use, so that a guest that stops receiving still gets replies. */
#define CONTROL_SECTIONS 16
#define SEND_SECTION_SIZE 6144
#define NO_SECTION 0xffffffff
/* More than the longest message of the guest: 16 KB (rndis.c) and a send-buffer section. */
#define MESSAGE_MAX SZ_64K

/* Guest memory that is shared with the host (guest physical address descriptor list). */
struct gpadl {
  struct list_head node;
  u32 handle;
  u32 size;
  u8* memory;
};

/* The host's end of a channel. open and polled are protected by host_lock. */
struct port {
  struct nic* nic;
  struct vmbus_channel* channel; /* NULL while it is not offered */
  struct irq_work interrupt;
  bool open;
  bool polled; /* a user-space driver owns the rings and does not signal */
};

/* Receive-side scaling: which port receives a packet. Protected by host_lock. */
struct rss {
  bool on;
  u32 hash_types;
  u8 key[40];
  u8 table[128]; /* indexes of ports */
  u32 table_size;
};

struct nic {
  unsigned int index;
  u8 mac[ETH_ALEN];
  struct hv_device* device;         /* NULL while rescinded */
  struct port ports[MAX_CHANNELS];  /* the first is that of the primary channel */
  struct work_struct offer_work;    /* offers the subchannels that the guest requested */

  /* State of the host, protected by host_lock. */
  u32 subchannels; /* number of subchannels that the guest requested */
  struct rss rss;
  bool ready;  /* RNDIS is initialized */
  bool on_vf;  /* the data path of the guest is the VF */
  u32 filter;  /* RNDIS packet filter; 0 = receive nothing */
  struct list_head gpadls;
  struct gpadl* recv_buffer;
  struct gpadl* send_buffer;
  u16 recv_buffer_id;
  u32 recv_sections;
  DECLARE_BITMAP(recv_busy, RECV_SECTIONS);
  u16 recv_count[RECV_SECTIONS]; /* sections of the packet that starts in this one */
};

extern struct nic nics[MAX_NICS];
extern unsigned int nic_count;
extern struct mutex host_lock;

/* main.c: module parameters */
u32 nic_channels(void);
bool nic_has_monitor(const struct nic* nic);
bool nic_has_vf(const struct nic* nic);
int bind_refusal(const struct nic* nic, const char* driver);
bool open_refused(const struct nic* nic);
bool gpadl_refused(const struct nic* nic);

/* bus.c */
int bus_init(void);
void bus_exit(void);
extern struct bus_type vmbus_bus;
extern struct device* vmbus_root;

/* ids.c */
extern const struct attribute_group* vmbus_driver_groups[];
void ids_init(struct hv_driver* driver);
void ids_clear(struct hv_driver* driver);
bool ids_find(struct hv_driver* driver, struct hv_device* device, struct hv_vmbus_device_id* found);

/* device_sysfs.c */
extern const struct attribute_group* vmbus_device_groups[];

/* device.c */
int nic_offer(struct nic* nic);
void nic_rescind(struct nic* nic);
struct nic* nic_of(const struct vmbus_channel* channel);
struct port* port_of(const struct vmbus_channel* channel);
struct vmbus_channel* make_channel(struct nic* nic, unsigned int number);
int add_channel_directory(struct hv_device* device, struct vmbus_channel* channel);
/* Exported by the real module, but not declared in a header for modules. */
void vmbus_device_unregister(struct hv_device* device);

/* subchannel.c */
void offer_subchannels(struct work_struct* work);
void remove_subchannels(struct nic* nic);

/* connection.c */
extern const struct vmbus_device vmbus_devs[];
extern struct vmbus_connection vmbus_connection;
void lock_channels(void);
void unlock_channels(void);
int connection_init(void);
void connection_exit(void);

/* channel_sysfs.c */
extern struct kobj_type channel_ktype;
#ifdef HAVE_RING_SYSFS
int hv_create_ring_sysfs(struct vmbus_channel* channel,
                         int (*map)(struct vmbus_channel* channel, struct vm_area_struct* vma));
int hv_remove_ring_sysfs(struct vmbus_channel* channel);
#endif

/* ring.c */
u32 ring_put(struct hv_ring_buffer* ring, u32 size, u32 at, const void* from, u32 len);
u32 ring_get(const struct hv_ring_buffer* ring, u32 size, u32 at, void* to, u32 len);
void ring_reset(struct hv_ring_buffer_info* info);

/* requestor.c */
int requestor_init(struct vmbus_channel* channel);
void requestor_exit(struct vmbus_channel* channel);

/* host.c */
int host_start(void);
void host_stop(void);
void host_wake(void);
void host_interrupt(struct irq_work* work);
int host_send(struct port* port,
              struct vmpacket_descriptor* head,
              u32 head_len,
              const void* payload,
              u32 payload_len);
/* Waits for space in the ring; drops the message if the guest does not read the ring in time. */
int host_send_control(struct port* port,
                      struct vmpacket_descriptor* head,
                      u32 head_len,
                      const void* payload,
                      u32 payload_len);
void host_send_inband(struct nic* nic, const void* message, u32 len);
void host_complete(struct port* port, u64 trans_id, const void* reply, u32 len);

/* nvsp.c */
/* Types of RNDIS messages. */
#define RNDIS_DATA 0
#define RNDIS_CONTROL 1
void nvsp_packet(struct port* port, const struct vmpacket_descriptor* packet);
void nvsp_send_vf(struct nic* nic);
int nvsp_send_rndis(
    struct port* port, u32 channel_type, const void* head, u32 head_len, const void* data, u32 data_len);
void nvsp_reset(struct nic* nic);

/* gather.c */
u32 gather_message(
    struct nic* nic, const struct vmpacket_descriptor* packet, u32 section, u32 len, u8* message);

/* rndis.c */
void rndis_messages(struct nic* nic, u8* message, u32 len);

/* rss.c */
void rss_set(struct nic* nic, const void* parameters, u32 len);
struct port* rss_port(struct nic* nic, const u8* frame, u32 len);

#endif
