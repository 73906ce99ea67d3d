// SPDX-License-Identifier: MIT
//
// udp-send ADDRESS BYTES SECONDS: sends UDP datagrams of BYTES to port 9 of ADDRESS as fast as the
// kernel accepts them, and prints how many it has sent, with the CPU time in microseconds.
// Datagrams that the kernel rejects are not counted.
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

static double seconds_since(const struct timespec* start) {
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec - start->tv_sec + (now.tv_nsec - start->tv_nsec) / 1e9;
}

int main(int argc, char** argv) {
  static char data[1472];
  struct sockaddr_in peer = {.sin_family = AF_INET, .sin_port = htons(9)};
  struct timespec start;
  struct rusage usage;
  long sent = 0;
  int fd = socket(AF_INET, SOCK_DGRAM, 0);

  if (argc != 4 || inet_pton(AF_INET, argv[1], &peer.sin_addr) != 1 ||
      (size_t)atoi(argv[2]) > sizeof(data)) {
    fprintf(stderr, "usage: udp-send ADDRESS BYTES SECONDS\n");
    return 2;
  }
  clock_gettime(CLOCK_MONOTONIC, &start);
  while (seconds_since(&start) < atof(argv[3]))
    for (int i = 0; i < 32; i++)
      if (sendto(fd, data, atoi(argv[2]), 0, (struct sockaddr*)&peer, sizeof(peer)) >= 0) sent++;
  getrusage(RUSAGE_SELF, &usage);
  printf("%ld %ld\n",
         sent,
         (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 + usage.ru_utime.tv_usec +
             usage.ru_stime.tv_usec);
  return 0;
}
