// SPDX-License-Identifier: MIT
//
// A preloaded library that makes virtual interfaces look like hardware: it hides IFLA_LINKINFO,
// which contains their kind, from messages of the kernel.

#include <dlfcn.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stddef.h>

struct nl_sock;
struct ucred;

typedef int Receive(struct nl_sock*, struct sockaddr_nl*, unsigned char**, struct ucred**);
Receive nl_recv;

enum { kTypes = 0x3fff };  // NLA_TYPE_MASK: the highest type is not in use

static void hide_kind(struct nlmsghdr* message) {
  struct ifinfomsg* link = NLMSG_DATA(message);
  int rest = (int)IFLA_PAYLOAD(message);
  struct rtattr* attribute = IFLA_RTA(link);
  for (; RTA_OK(attribute, rest); attribute = RTA_NEXT(attribute, rest)) {
    if ((attribute->rta_type & kTypes) == IFLA_LINKINFO) attribute->rta_type = kTypes;
  }
}

int nl_recv(struct nl_sock* socket,
            struct sockaddr_nl* from,
            unsigned char** bytes,
            struct ucred** credentials) {
  Receive* receive = (Receive*)dlsym(RTLD_NEXT, "nl_recv");
  const int length = receive(socket, from, bytes, credentials);
  int rest = length;
  if (length <= 0) return length;
  struct nlmsghdr* message = (struct nlmsghdr*)*bytes;
  for (; NLMSG_OK(message, rest); message = NLMSG_NEXT(message, rest)) {
    if (message->nlmsg_type == RTM_NEWLINK) hide_kind(message);
  }
  return length;
}
