// SPDX-License-Identifier: MIT
//
// one_port EAL-ARGUMENT... -- NUMBER: receives this number of packets with one queue of the first
// port. It is a minimal DPDK program, as a user would write it and build it with pkg-config.

#include <rte_eal.h>
#include <rte_ethdev.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  enum { kDescriptors = 256, kBurst = 32, kMbufs = 4095, kCache = 250 };

  const int used = rte_eal_init(argc, argv);
  if (used < 0) rte_exit(EXIT_FAILURE, "cannot initialize EAL\n");
  if (used + 1 >= argc) rte_exit(EXIT_FAILURE, "the number of packets is missing\n");
  const unsigned long wanted = strtoul(argv[used + 1], NULL, 10);

  struct rte_mempool* pool = rte_pktmbuf_pool_create(
      "packets", kMbufs, kCache, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
  const struct rte_eth_conf config = {0};
  if (pool == NULL || rte_eth_dev_configure(0, 1, 1, &config) != 0 ||
      rte_eth_rx_queue_setup(0, 0, kDescriptors, SOCKET_ID_ANY, NULL, pool) != 0 ||
      rte_eth_tx_queue_setup(0, 0, kDescriptors, SOCKET_ID_ANY, NULL) != 0 ||
      rte_eth_dev_start(0) != 0)
    rte_exit(EXIT_FAILURE, "cannot start port 0\n");

  unsigned long received = 0;
  while (received < wanted) {
    struct rte_mbuf* packets[kBurst];
    const uint16_t count = rte_eth_rx_burst(0, 0, packets, kBurst);
    rte_pktmbuf_free_bulk(packets, count);
    received += count;
  }
  printf("%lu packets\n", received);
  rte_eth_dev_stop(0);
  rte_eth_dev_close(0);
  return rte_eal_cleanup() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
