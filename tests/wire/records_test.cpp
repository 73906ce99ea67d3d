// SPDX-License-Identifier: MIT
//
// Runs the tests of every_record.h for all records except those of rdma_messages.h.

#include <gtest/gtest.h>

#include "wire/doorbell.h"
#include "wire/event.h"
#include "wire/every_record.h"
#include "wire/hardware_channel.h"
#include "wire/mana_messages.h"
#include "wire/oob.h"
#include "wire/port_messages.h"
#include "wire/registers.h"
#include "wire/shared_memory.h"
#include "wire/work_queue.h"

namespace manactl::wire::records_test {
namespace {

using Records = testing::Types<SharedMemoryHeader,
                               SharedMemoryMessage,
                               SqDoorbell,
                               RqDoorbell,
                               CqDoorbell,
                               EqDoorbell,
                               ModerationDoorbell,
                               ShortWorkDoorbell,
                               ShortEventDoorbell,
                               WqeHeader,
                               Sge,
                               TxShortOob,
                               TxLongOob,
                               ChannelTxOob,
                               CqeInfo,
                               CqeHeader,
                               RxPacket,
                               RxCompletion,
                               RxPacketPair,
                               RxCompletion8,
                               TxCompletion,
                               ChannelCompletion,
                               EqeInfo,
                               CompletionEvent,
                               ChannelEqEvent,
                               ChannelDataEvent,
                               ReconfigurationEvent,
                               ServiceEvent,
                               QpFatalEvent,
                               VfRegisters,
                               PfRegisters,
                               DeviceId,
                               MessageHeader,
                               RequestHeader,
                               ResponseHeader,
                               GenerateTestEqeRequest,
                               VerifyVersionRequest,
                               VerifyVersionResponse,
                               MaxResourcesResponse,
                               ListDevicesResponse,
                               RegisterDeviceResponse,
                               CreateDmaRegionRequest,
                               CreateDmaRegionResponse,
                               AddPagesRequest,
                               CreateQueueRequest,
                               CreateQueueResponse,
                               DisableQueueRequest,
                               HwcTimeoutBody,
                               QueryDeviceRequest,
                               QueryDeviceResponse,
                               QueryVportRequest,
                               QueryVportResponse,
                               ConfigVportTxRequest,
                               ConfigVportTxResponse,
                               CreateWqObjectRequest,
                               CreateWqObjectRequest3,
                               CreateWqObjectResponse,
                               CreateWqObjectResponse2,
                               DestroyWqObjectRequest,
                               ConfigVportRxRequest,
                               ConfigVportRxRequest2,
                               ConfigVportRxResponse,
                               StatisticsResponse,
                               ChangeMsixRequest,
                               AllocateDeviceMemoryRequest,
                               AllocateDeviceMemoryResponse,
                               QueryLinkRequest,
                               QueryLinkResponse,
                               SetBandwidthRequest,
                               SetBandwidthResponse,
                               PhysicalStatisticsRequest,
                               PhysicalStatisticsResponse,
                               RegisterHwPortRequest,
                               RegisterHwPortResponse,
                               RegisterFilterRequest,
                               RegisterFilterResponse,
                               AssignSerialRequest,
                               MoveFilterRequest,
                               QueryFilterStateRequest,
                               FilterStateResponse>;

INSTANTIATE_TYPED_TEST_SUITE_P(Wire, EveryRecord, Records);

}  // namespace
}  // namespace manactl::wire::records_test
