// SPDX-License-Identifier: MIT

#include "base/text.h"
#include "diag/vm.h"

namespace manactl::diag::cpu_checks_test {
namespace {

using test::commands_of;
using test::healthy_vm;
using test::run_check;
using testing::Contains;
using testing::HasSubstr;

constexpr unsigned kCpus = 4;

// A queue for each CPU, whose interrupts the CPUs of `affinities` receive.
host::Load load(const std::vector<unsigned>& affinities = {0, 1, 2, 3}) {
  host::Load all;
  all.seconds = 3600;
  all.nics = {{"eth0"}, {"eth1"}};
  for (auto& nic : all.nics) nic.rx_queues = kCpus;
  std::vector<host::QueueInterrupt> queues;
  for (std::size_t i = 0; i < affinities.size(); ++i) {
    host::QueueInterrupt queue;
    queue.name = fmt::format("mana_q{}@pci:7870:00:00.0", i);
    queue.function = test::mana_address();
    for (unsigned cpu = 0; cpu < kCpus; ++cpu) queue.counts[cpu] = cpu == affinities[i] ? 100 : 0;
    queue.affinity.cpus = {affinities[i]};
    queues.push_back(std::move(queue));
  }
  all.interrupts = std::move(queues);
  std::vector<host::CpuUse> cpus;
  for (unsigned cpu = 0; cpu < kCpus; ++cpu) cpus.push_back({cpu, 360000, 9000, 40000});
  all.cpus = std::move(cpus);
  return all;
}

host::Facts measured(const std::vector<unsigned>& affinities = {0, 1, 2, 3}) {
  auto facts = healthy_vm();
  facts.load = load(affinities);
  return facts;
}

// In 10 s, CPU 3 spent `softirq` of 1000 ticks in softirqs, and the others 10.
host::Facts busy_for(std::uint64_t softirq) {
  auto facts = measured();
  facts.earlier_load = facts.load;
  facts.load->seconds += 10;
  for (auto& cpu : *facts.load->cpus) {
    cpu.total += 1000;
    cpu.softirq += cpu.cpu == 3 ? softirq : 10;
    cpu.net_rx += 50;
  }
  facts.load->interrupts->at(3).counts[3] += 500;
  return facts;
}

TEST(Interrupts, PassIfTheyAreSpread) {
  const auto finding = run_check(measured(), "speed.interrupts");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_THAT(finding.evidence,
              Contains("7870:00:00.0: 4 queues interrupt 4 of 4 CPUs (0-3); CPU 0 received 25 % of "
                       "400 interrupts since boot"));
  EXPECT_THAT(finding.evidence, Contains("eth0: RPS is off"));
}

TEST(Interrupts, WarnIfFewerThanHalfOfTheCpusReceiveThem) {
  EXPECT_EQ(run_check(measured({0, 0, 1, 1}), "speed.interrupts").status, Status::pass);
  const auto finding = run_check(measured({2, 2, 2, 2}), "speed.interrupts");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail, HasSubstr("4 queues interrupt 1 of 4 CPUs (2)"));
  EXPECT_EQ(commands_of(finding),
            "n=0; for i in $(grep 'mana_q.*7870:00:00.0' /proc/interrupts | cut -d: -f1); do echo "
            "$n > /proc/irq/$i/smp_affinity_list; n=$(((n + 1) % 4)); done");
  // One queue needs one CPU.
  EXPECT_EQ(run_check(measured({2}), "speed.interrupts").status, Status::pass);
}

TEST(Interrupts, CountOnlyTheInterval) {
  const auto finding = run_check(busy_for(10), "speed.interrupts");
  EXPECT_THAT(join(finding.evidence, "\n"),
              HasSubstr("CPU 3 received 100 % of 500 (50/s) interrupts in 10.0 s"));
}

TEST(Interrupts, AreNotJudgedWithoutTheirCpusOrRows) {
  auto facts = measured();
  facts.load->nics[0].rps_queues = 2;
  EXPECT_THAT(run_check(facts, "speed.interrupts").evidence,
              Contains("eth0: RPS is on for 2 of 4 receive queues"));
  for (auto& queue : *facts.load->interrupts) queue.affinity.cpus.clear();
  EXPECT_THAT(join(run_check(facts, "speed.interrupts").evidence, "\n"),
              HasSubstr("the CPUs of 4 queues were not captured"));
  facts.load->interrupts->clear();
  EXPECT_EQ(run_check(facts, "speed.interrupts").status, Status::skipped);
  facts.load->interrupts = fail(Errc::not_found, "proc/interrupts does not exist");
  EXPECT_EQ(run_check(facts, "speed.interrupts").status, Status::skipped);
  facts.load->interrupts = test::unreadable();
  EXPECT_EQ(run_check(facts, "speed.interrupts").status, Status::unknown);
  EXPECT_EQ(run_check(healthy_vm(), "speed.interrupts").detail, "the load was not measured");
}

TEST(Softirq, IsJudgedOnlyInAnInterval) {
  EXPECT_EQ(run_check(measured(), "speed.softirq").detail, "only --interval measures it");
  auto facts = busy_for(10);
  facts.load->cpus = test::unreadable();
  EXPECT_EQ(run_check(facts, "speed.softirq").status, Status::unknown);
}

TEST(Softirq, WarnsOfABusyCpuAndNamesItsQueues) {
  auto finding = run_check(busy_for(899), "speed.softirq");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_EQ(finding.detail, "at most 90 % of a CPU in 10.0 s (CPU 3)");
  finding = run_check(busy_for(970), "speed.softirq");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_EQ(finding.detail,
            "CPU 3 spent 97 % in 10.0 s in softirqs (50 (5/s) NET_RX); interrupts of "
            "mana_q3@pci:7870:00:00.0");
  EXPECT_THAT(commands_of(finding),
              HasSubstr("for q in /sys/class/net/enP30832s1/queues/rx-*/rps_cpus; do echo f > $q; "
                        "done\n"));
}

TEST(Softirq, SuggestsRpsOnlyWhereItIsOffAndKnowsManyCpus) {
  auto facts = busy_for(970);
  for (auto& nic : facts.load->nics) nic.rps_queues = 1;
  EXPECT_EQ(commands_of(run_check(facts, "speed.softirq")), "");
  facts = busy_for(970);
  for (unsigned cpu = kCpus; cpu < 66; ++cpu) facts.load->cpus->push_back({cpu, 1, 0, 0});
  EXPECT_THAT(commands_of(run_check(facts, "speed.softirq")),
              HasSubstr("echo 3,ffffffff,ffffffff > $q"));
}

TEST(SlowKernel, WarnsOfKnownKernels) {
  auto facts = measured();
  EXPECT_EQ(run_check(facts, "speed.kernel").status, Status::pass);
  for (const char* release : {"6.8.0-1062-azure", "6.8.0-1064-azure", "6.8.0-1063-gcp", "6.2.0"}) {
    facts.kernel->release = release;
    EXPECT_EQ(run_check(facts, "speed.kernel").status, Status::pass) << release;
  }
  for (const char* release : {"6.8.0-1063-azure", "6.2.0-1018-azure"}) {
    facts.kernel->release = release;
    const auto finding = run_check(facts, "speed.kernel");
    EXPECT_EQ(finding.status, Status::warn) << release;
    EXPECT_THAT(finding.evidence, Contains(HasSubstr("https://github.com/"))) << release;
    EXPECT_THAT(commands_of(finding), HasSubstr("linux-azure")) << release;
  }
  facts.kernel = test::unreadable();
  EXPECT_EQ(run_check(facts, "speed.kernel").status, Status::unknown);
}

TEST(SlowKernel, WarnsOfWireGuardOverMana) {
  auto facts = measured();
  facts.load->wireguard = {"wg0"};
  EXPECT_THAT(run_check(facts, "speed.kernel").detail, HasSubstr("wg0: WireGuard over MANA"));
  for (auto& nic : *facts.nics) nic.vf->driver = "mlx5_core";
  EXPECT_EQ(run_check(facts, "speed.kernel").status, Status::pass);
}

}  // namespace
}  // namespace manactl::diag::cpu_checks_test
