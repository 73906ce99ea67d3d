// SPDX-License-Identifier: MIT

#include "adapter/queues/send_queue.h"

#include <algorithm>
#include <utility>

#include "adapter/net/offload.h"

namespace manactl::adapter {
namespace {

using wire::CqeType;
using wire::TxShortOob;

constexpr std::uint64_t kMaxSegmentedBytes =
    1U << 18U;  // bytes; more than any driver sends in one WQE

constexpr std::uint64_t kSuppress = qword_of(TxShortOob{.suppress_cqe = true});
constexpr std::uint64_t kIpChecksum = qword_of(TxShortOob{.compute_ip_checksum = true});
constexpr std::uint64_t kChecksums = qword_of(TxShortOob{
    .compute_ip_checksum = true, .compute_tcp_checksum = true, .compute_udp_checksum = true});
constexpr std::uint64_t kFlags = qword_of(TxShortOob{.is_outer_ipv4 = true,
                                                     .is_outer_ipv6 = true,
                                                     .compute_ip_checksum = true,
                                                     .compute_tcp_checksum = true,
                                                     .compute_udp_checksum = true,
                                                     .suppress_cqe = true});
constexpr std::uint64_t kVariable = kFlags | qword_of(TxShortOob{.transport_offset = 0x3ff});

CqeData completion(CqeType type) {
  wire::TxCompletion completion;
  completion.header.type = type;
  return *wire::encode(completion);
}

bool requests_tag(const TakenWqe& wqe) {
  return wqe.oob_bytes == wire::kLargeOob && (wqe.oob[8] & kInjectVlan) != 0;
}

// The WQE offset, in units of 32 bytes, starts at bit 5 of its dword: the dword is in bytes.
constexpr std::size_t kWqeOffsetAt = 8;

constexpr wire::TxCompletion at_unit(std::uint32_t unit) {
  wire::TxCompletion completion;
  completion.wqe_offset = unit;
  return completion;
}

static_assert(wire::load(*wire::encode(at_unit(3)), kWqeOffsetAt, 4) ==
              std::uint64_t{3} * wire::kBasicUnit);

}  // namespace

SendQueue::SendQueue(const QueueSetup& setup, const QueueIds& ids, const PortContext& port)
    : port_(port),
      ids_(ids),
      ring_(setup.ring, setup.ring_bytes, ids.wq, kSendLimits),
      cq_(setup.cq, setup.cq_entries, ids.cq),
      on_event_(setup.on_event),
      okay_(completion(CqeType::tx_okay)),
      capacity_(setup.wqes == 0 ? setup.ring_bytes
                                : std::min(setup.ring_bytes, setup.wqes * wire::kBasicUnit)) {
  TxShortOob oob;
  oob.cq_id = ids.cq;
  oob.sq_frame = static_cast<std::uint16_t>(ids.wq >> 10U);
  oob.short_vport_offset = static_cast<std::uint8_t>(port.vport_offset);
  expected_short_ = qword_of(oob);
  oob.format = wire::PacketFormat::long_form;
  expected_long_ = qword_of(oob);
  frames_.reserve(kBurst);
}

SendQueue::~SendQueue() {
  if (halted_ || !is_stuck()) return;
  port_.checker.note(Violation::sq_stuck, [&] {
    return fmt::format(
        "SQ {:#x}: {} of {} bytes are WQEs without completions, and the last WQE had {} bytes",
        ids_.wq,
        ring_.taken() - completed_,
        capacity_,
        last_wqe_bytes_);
  });
}

SendQueue::Drained SendQueue::drain(std::uint32_t tail, Backend& backend, std::size_t max_wqes) {
  if (halted_) return {};
  ring_.announce(tail, port_.checker);
  Drained total;
  while (const auto count = burst(backend, max_wqes - total.wqes)) {
    total.wqes += count;
    total.bytes += std::exchange(bytes_, 0);
  }
  if (cq_.take_event() && on_event_) {
    add(port_.counters.events, 1);
    on_event_();
  }
  return total;
}

void SendQueue::arm(std::uint32_t head) {
  if (halted_ || !cq_.arm(head) || !on_event_) return;
  add(port_.counters.events, 1);
  on_event_();
}

void SendQueue::arm_after(std::uint32_t entries, bool arms) {
  const auto head = cq_.advance(entries);
  if (arms) arm(head);
}

inline void SendQueue::complete(const Sent& sent) {
  const bool succeeded = sent.type == CqeType::tx_okay;
  if (succeeded && sent.suppressed) return;
  cq_.prefetch(8);
  if (port_.faults.overrun.is_due()) cq_.overrun();
  ++completions_;
  // There are two calls of push_at(), because a conditional expression would copy the record.
  if (succeeded) return cq_.push_at(okay_, ids_.wq | kSendFlag, sent.offset);
  ++errors_;
  cq_.push_at(completion(sent.type), ids_.wq | kSendFlag, sent.offset);
}

// Sends a packet if its WQE has the usual form and passes all checks of send(); false otherwise.
inline bool SendQueue::send_single(Sent& sent) {
  const auto* wqe = ring_.single();
  if (wqe == nullptr) return false;
  const auto word = load_qword(wqe + wire::WqeHeader::kSize);
  const auto sge = WorkRing::sge_at(wqe + wire::WqeHeader::kSize + wire::kSmallOob);
  const bool valid = (word & ~kVariable) == expected_short_ && sge.size >= kEthernetBytes &&
                     sge.size <= port_.max_frame && WorkRing::is_valid(sge, port_.memory);
  if (!valid) return false;
  sent = {ring_.offset(), 0, CqeType::tx_okay, (word & kSuppress) != 0};
  bytes_ += sge.size;
  ring_.take_single();
  sent.end = ring_.taken();
  return true;
}

std::size_t SendQueue::burst(Backend& backend, std::size_t max_wqes) {
  std::array<Sent, kBurst> sent;
  std::size_t count = 0;
  const auto begin = ring_.taken();
  const bool reads_frames = backend.reads_frames();
  const bool fast = !reads_frames && port_.faults.tx.is_off();
  max_wqes = std::min(max_wqes, kBurst);
  for (; count < max_wqes; ++count) {
    ring_.prefetch(8 * wire::kBasicUnit);
    if (fast && send_single(sent[count])) continue;
    const auto wqe = ring_.take(port_.checker);
    if (!wqe) break;
    sent[count] = send(*wqe, reads_frames);
  }
  if (count == 0) return 0;
  if (!frames_.empty()) backend.transmit(frames_);
  for (std::size_t i = 0; i < count; ++i) complete(sent[i]);
  last_wqe_bytes_ = ring_.taken() - (count == 1 ? begin : sent[count - 2].end);
  for (auto i = count; i-- > 0;) {
    if (sent[i].suppressed && sent[i].type == CqeType::tx_okay) continue;
    completed_ = sent[i].end;
    break;
  }
  add(port_.counters.tx_packets, count - errors_);
  add(port_.counters.tx_bytes, bytes_);
  add(port_.counters.tx_errors, errors_);
  add(port_.counters.tx_completions, completions_);
  errors_ = completions_ = 0;
  frames_.clear();
  copied_frames_.clear();
  return count;
}

SendQueue::Sent SendQueue::send(const TakenWqe& wqe, bool reads_frames) {
  const auto word = load_qword(wqe.oob);
  Sent sent{wqe.offset, ring_.taken(), CqeType::tx_okay, (word & kSuppress) != 0};
  if (!is_valid_oob(wqe, word)) sent.type = report_oob(wqe, word);
  std::uint64_t bytes = 0;
  bool readable = true;
  for (std::uint32_t i = 0; i < wqe.sges; ++i) {
    const auto sge = ring_.sge(wqe, i);
    bytes += sge.size;
    readable = ring_.check(sge, port_.memory, port_.checker) && readable;
  }
  if (!readable) sent.type = CqeType::tx_invalid_oob;
  if (bytes < kEthernetBytes || is_too_long(wqe, bytes, readable)) {
    sent.type = report_frame_size(bytes);
  }
  if (sent.type != CqeType::tx_okay) return sent;
  if (port_.faults.tx.is_due()) {
    sent.type = port_.faults.tx_type;
    return sent;
  }
  if (wqe.client_data_unit != 0) {
    sent.type = queue_segments(wqe);
  } else if (reads_frames) {
    queue_frame(wqe, word, bytes);
  }
  if (sent.type == CqeType::tx_okay) bytes_ += bytes;
  return sent;
}

bool SendQueue::is_valid_oob(const TakenWqe& wqe, std::uint64_t word) const {
  // The long part is not checked. Its fields are valid only if their flag is set; otherwise
  // drivers leave old values in them. Drivers set the short vPort offset in both forms.
  const bool is_short = wqe.oob_bytes == wire::kSmallOob;
  return (word & ~kVariable) == (is_short ? expected_short_ : expected_long_);
}

// Notes a violation for each wrong field of the OOB.
CqeType SendQueue::report_oob(const TakenWqe& wqe, std::uint64_t word) {
  const bool is_long = wqe.oob_bytes != wire::kSmallOob;
  auto& checker = port_.checker;
  const auto note = [&](Violation violation, std::uint64_t found, std::uint64_t expected) {
    checker.note(violation, [&] {
      return fmt::format(
          "SQ {:#x} at byte {:#x}: {:#x}, expected {:#x}", ids_.wq, wqe.offset, found, expected);
    });
  };
  const auto expected = is_long ? expected_long_ : expected_short_;
  const auto part = [](std::uint64_t oob, unsigned at, unsigned width) {
    return (oob >> at) & wire::mask_of(width);
  };
  auto type = CqeType::tx_invalid_oob;
  if (part(word, 0, 2) != part(expected, 0, 2)) {
    note(Violation::oob_format, part(word, 0, 2), part(expected, 0, 2));
    return type;
  }
  if (part(word, 8, 24) != ids_.cq) note(Violation::oob_cq, part(word, 8, 24), ids_.cq);
  if (part(word, 42, 14) != part(expected, 42, 14)) {
    note(Violation::oob_frame, part(word, 42, 14), part(expected, 42, 14));
  }
  const auto vport = part(word, 56, 8);
  if (vport != port_.vport_offset) {
    note(Violation::oob_vport, vport, port_.vport_offset);
    type = CqeType::tx_vport_out_of_range;
  }
  return type;
}

// `readable` is false if the SGEs are invalid.
bool SendQueue::is_too_long(const TakenWqe& wqe, std::uint64_t bytes, bool readable) const {
  if (wqe.client_data_unit != 0) return bytes > kMaxSegmentedBytes;
  if (bytes <= port_.max_frame) return false;
  return bytes > port_.max_frame + kVlanBytes || !readable || !is_tagged(gather(wqe, bytes));
}

CqeType SendQueue::report_frame_size(std::uint64_t bytes) {
  const bool is_short = bytes < kEthernetBytes;
  port_.checker.note(is_short ? Violation::frame_short : Violation::frame_long, [&] {
    return is_short ? fmt::format(
                          "SQ {:#x}: frame of {} bytes, minimum {}", ids_.wq, bytes, kEthernetBytes)
                    : fmt::format("SQ {:#x}: frame of {} bytes, maximum {} without a VLAN tag",
                                  ids_.wq,
                                  bytes,
                                  port_.max_frame);
  });
  return is_short ? CqeType::tx_invalid_ethertype : CqeType::tx_mtu_drop;
}

std::vector<std::uint8_t> SendQueue::gather(const TakenWqe& wqe, std::uint64_t bytes) const {
  std::vector<std::uint8_t> frame;
  frame.reserve(bytes);
  for (std::uint32_t i = 0; i < wqe.sges; ++i) {
    const auto sge = ring_.sge(wqe, i);
    const auto* data = memory_at(sge.address);
    frame.insert(frame.end(), data, data + sge.size);
  }
  return frame;
}

void SendQueue::queue_frame(const TakenWqe& wqe, std::uint64_t word, std::uint64_t bytes) {
  const bool offload = (word & kChecksums) != 0;
  const bool tagged = requests_tag(wqe);
  if (wqe.sges == 1 && !offload && !tagged) {
    const auto sge = ring_.sge(wqe, 0);
    frames_.emplace_back(memory_at(sge.address), sge.size);
    return;
  }
  auto frame = gather(wqe, bytes);
  if (offload) fill_checksums(frame, (word & kIpChecksum) != 0);
  if (tagged) insert_tag(frame, wire::Bytes(wqe.oob, wqe.oob_bytes));
  copied_frames_.push_back(std::move(frame));
  frames_.emplace_back(copied_frames_.back());
}

CqeType SendQueue::queue_segments(const TakenWqe& wqe) {
  std::uint64_t bytes = 0;
  for (std::uint32_t i = 0; i < wqe.sges; ++i) bytes += ring_.sge(wqe, i).size;
  // If last_vbytes is 0, the first SGE contains exactly the headers.
  const std::size_t header = wqe.last_vbytes != 0 ? wqe.last_vbytes : ring_.sge(wqe, 0).size;
  auto frames = segment(gather(wqe, bytes), header, wqe.client_data_unit);
  if (frames.empty()) return CqeType::tx_header_error;
  // All segments but the last have the same size.
  if (frames.front().size() > port_.max_frame) return report_frame_size(frames.front().size());
  for (auto& frame : frames) {
    if (requests_tag(wqe)) insert_tag(frame, wire::Bytes(wqe.oob, wqe.oob_bytes));
    copied_frames_.push_back(std::move(frame));
    frames_.emplace_back(copied_frames_.back());
  }
  return CqeType::tx_okay;
}

}  // namespace manactl::adapter
