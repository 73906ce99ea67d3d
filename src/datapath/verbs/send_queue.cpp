// SPDX-License-Identifier: MIT
#include "datapath/verbs/send_queue.h"

#include <algorithm>
#include <cerrno>

namespace manactl::datapath::verbs {

namespace {

std::uint64_t oob_word(const manadv_qp& queue, const manadv_cq& completions) {
  wire::TxShortOob oob;
  oob.cq_id = completions.cq_id;
  oob.sq_frame = static_cast<std::uint16_t>((queue.sq_id >> 10U) & wire::mask_of(14));
  oob.short_vport_offset = static_cast<std::uint8_t>(queue.tx_vp_offset);
  return first_qword(oob);
}

}  // namespace

SendRing::SendRing(const manadv_qp& queue, const manadv_cq& completions, DoorbellFunction* call)
    : ring_(static_cast<Wqe*>(queue.sq_buf)),
      mask_(queue.sq_size / wire::kBasicUnit - 1),
      count_(std::min(queue.sq_count, mask_ + 1)),
      id_(queue.sq_id),
      oob_(oob_word(queue, completions)),
      doorbell_(queue.db_page, wire::DoorbellTarget::sq, call),
      reader_(completions.buf, completions.count),
      signaled_(mask_ + 1) {}

Result<SendQueue> SendQueue::make(const Context& context, std::uint32_t entries) {
  const auto& library = context.library();
  auto cq = context.make_cq(entries);
  if (!cq) return tl::unexpected<Error>(cq.error());
  ibv_qp_init_attr attr{};
  attr.send_cq = attr.recv_cq = cq->get();
  attr.cap.max_send_wr = entries;
  attr.cap.max_send_sge = 1;
  attr.qp_type = IBV_QPT_RAW_PACKET;
  library.before_call("create_qp");
  errno = 0;
  Owned<ibv_qp> qp(library.create_qp(context.parent_domain(), &attr), library.destroy_qp);
  if (!qp) return context.fail_call("create_qp");
  manadv_qp queue{};
  manadv_cq completions{};
  manadv_obj object{};
  object.qp = {qp.get(), &queue};
  object.cq = {cq->get(), &completions};
  library.before_call("manadv_init_obj");
  const int number = library.init_obj(&object, MANADV_OBJ_QP | MANADV_OBJ_CQ);
  if (number != 0) return context.fail_call("manadv_init_obj", number);
  // The short OOB has eight bits for the vport offset.
  if (queue.tx_vp_offset > wire::kMaxShortVportOffset) {
    return fail(
        Errc::unsupported,
        fmt::format("{}: vPort offset {} needs a long OOB, which the verbs engine does not support",
                    context.port_info().slot,
                    queue.tx_vp_offset));
  }
  return SendQueue(std::move(*cq), std::move(qp), SendRing(queue, completions, library.doorbell));
}

}  // namespace manactl::datapath::verbs
