// SPDX-License-Identifier: MIT
//
// Invalid input must cause no output on stdout, one line on stderr, and the documented exit code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_manactl.h"

namespace manactl::test::bad_input_test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

struct Case {
  const char* name;
  Words words;
  int code;
  const char* message;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

class BadInput : public testing::TestWithParam<Case> {};

TEST_P(BadInput, PrintsOneLineAndExitsWithTheDocumentedCode) {
  const auto outcome = manactl(GetParam().words);
  EXPECT_EQ(outcome.code, GetParam().code) << outcome.err;
  const bool is_document = outcome.out.find("manactl.error/1") != std::string::npos;
  EXPECT_TRUE(outcome.out.empty() || is_document) << outcome.out;
  EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(GetParam().message));
}

const Case kCommands[] = {
    {"NoCommand", {"--json"}, 2, "a command is missing"},
    {"UnitIsAnotherWord", {"bench", "eth1", "--duration", "5", "s"}, 2, "one word: --duration 5s"},
    {"UnitBeforeIface", {"bench", "--ramp", "1.5", "min", "eth1"}, 2, "one word: --ramp 1.5m"},
    {"UnitOfSize", {"prepare", "eth1", "--hugepages", "2", "G"}, 2, "one word: --hugepages 2G"},
    {"LongUnit", {"bench", "eth1", "--duration", "60sec"}, 2, "did you mean '60s'?"},
    {"UnitOfMinutes", {"check", "--watch", "--interval", "1min"}, 2, "did you mean '1m'?"},
    {"UnitInBytes", {"prepare", "eth1", "--hugepages", "1GB"}, 2, "did you mean '1G'?"},
    {"UnitInLowerCase", {"prepare", "eth1", "--hugepages", "512m"}, 2, "did you mean '512M'?"},
    {"FractionOfASize", {"prepare", "eth1", "--hugepages", "1.5GB"}, 2, "nor 'none'\n"},
    {"NoDuration", {"bench", "eth1", "--duration", "0sec"}, 2, "500ms, 2m, 1h)\n"},
    {"NoDurationAndUnit", {"bench", "--duration", "0", "s"}, 2, "'0s' is not a duration"},
    {"EnDash", {"check", "–root", "/x"}, 2, "not a hyphen: type '--root'"},
    {"EmDash", {"check", "—strict"}, 2, "not a hyphen: type '--strict'"},
    {"DashOfALetter", {"check", "–v"}, 2, "not a hyphen: type '-v'"},
    {"DashBeforeTheCommand", {"—json", "check"}, 2, "not a hyphen: type '--json'"},
    {"ModeWithHyphen", {"bench", "net_null0", "--mode", "tx-only"}, 2, "use --vdev net_null0"},
    {"ModeInAnotherOrder", {"bench", "--mode", "rxtx"}, 2, "did you mean 'txrx'?"},
    {"ModeWithOtherWord", {"bench", "--mode", "tx-fast"}, 2, "'tx-fast' is not one of tx, rx"},
    {"HelpForMisspelled", {"help", "chek"}, 2, "did you mean 'check'?"},
    {"HelpForMisspelledCheck", {"help", "rdma.coe"}, 2, "did you mean 'rdma.core'?"},
    {"MisspelledVersion", {"vers"}, 2, "unknown command 'vers'; see"},
    {"OtherWord", {"undo", "eth1"}, 2, "did you mean 'restore'?"},
    {"VdevAsInterface", {"bench", "net_null0"}, 2, "use --vdev net_null0"},
    {"CheckWithoutOnly", {"check", "rdma.core"}, 2, "use --only rdma.core"},
    {"MisspelledHelp", {"hlep"}, 2, "did you mean 'help'?"},
    {"WithoutFirstWord", {"compare", "a", "b"}, 2, "did you mean 'bench compare'?"},
    {"MisspelledPair", {"bench", "comparee", "a", "b"}, 2, "did you mean 'bench compare'?"},
    {"MisspelledPairIsNotAnOption", {"bench", "--comparee"}, 2, "unknown option '--comparee'"},
    {"EmptyCommand", {""}, 2, "''"},
    {"Misspelled", {"chek"}, 2, "did you mean 'check'?"},
    {"MisspelledDoctor", {"docter"}, 2, "did you mean 'doctor'?"},
    {"NotSimilarToAnyCommand", {"xyzzy"}, 2, "unknown command 'xyzzy'"},
    {"Abbreviated", {"che"}, 2, "unknown command 'che'"},
    {"AfterUnknownOption", {"--out", "json", "check"}, 2, "unknown option '--out'"},
    {"AfterValueOfTheSameName",
     {"--root", "xyzzy", "xyzzy"},
     2,
     "unknown command 'xyzzy'; see 'manactl --help'"},
    {"AfterHelp", {"help", "xyzzy"}, 2, "unknown topic 'xyzzy'; see 'manactl --help'"},
    {"HelpForACommandInPlural",
     {"help", "checks"},
     2,
     "unknown topic 'checks'; did you mean 'check'?"},
    {"HelpForAMisspelledGroup", {"help", "memory2"}, 2, "did you mean 'memory'?"},
    {"WordOfOtherPrograms", {"rollback"}, 2, "did you mean 'restore'?"},
    {"ControlCharacters", {"ch\x1b[31m\n"}, 2, R"(ch\x1b[31m\x0a)"},
    {"NotUtf8", {"\xff\xfe"}, 2, R"(\xff\xfe)"},
    {"LongWord", {std::string(100000, 'a')}, 2, "unknown command"},
    {"VersionWithMisspelledOption", {"--version", "--jsn"}, 2, "did you mean '--json'?"},
    {"VersionWithValue", {"--version=1"}, 2, "--version takes no value"},
    {"VersionWithWord", {"--version", "now"}, 2, "unknown command 'now'"},
    {"TwoCommands", {"doctor", "check"}, 2, "cannot read 'check'"},
};

const Case kOptions[] = {
    {"Unknown", {"check", "--jsn"}, 2, "did you mean '--json'?"},
    {"BeforeTheCommand", {"--jsn", "check"}, 2, "did you mean '--json'?"},
    {"Abbreviated", {"check", "--str"}, 2, "unknown option '--str'"},
    {"FirstWordOfAnOption", {"tune", "--force"}, 2, "unknown option '--force'\n"},
    {"ShortUnknown", {"check", "-x"}, 2, "unknown option '-x'"},
    {"ShortBundle", {"check", "-vx"}, 2, "unknown option '-vx'"},
    {"Twice", {"check", "--queues", "1", "--queues=2"}, 2, "--queues is given twice"},
    {"RootTwice", {"--root", "/a", "check", "--root", "/b"}, 2, "--root is given twice"},
    {"WithoutValue", {"check", "--queues"}, 2, "--queues needs a value"},
    {"OptionAsValue", {"check", "--queues", "--json"}, 2, "--queues needs a value"},
    {"EmptyAfterEquals", {"check", "--queues="}, 2, "--queues needs a value"},
    {"FlagWithValue", {"check", "--strict=maybe"}, 2, "--strict takes no value"},
    {"Color", {"check", "--color", "alwais"}, 2, "did you mean 'always'?"},
    {"EmptyColor", {"check", "--color", ""}, 2, "is not one of auto, always, never"},
    {"EmptyRoot", {"check", "--root", ""}, 2, "'' is not a path"},
    {"MissingRoot", {"check", "--root", "/nowhere/at/all"}, 2, "/nowhere/at/all"},
    {"RootIsADevice", {"check", "--root", "/dev/null"}, 2, "/dev/null"},
    {"MissingConfig", {"check", "--config", "/nowhere.toml"}, 2, "/nowhere.toml"},
    {"UnknownCheck", {"check", "--only", "memory.hugepage"}, 2, "memory.hugepages"},
    {"UnknownGroup", {"check", "--only", "rmda"}, 2, "rdma"},
    {"EmptyCheck", {"check", "--only", ""}, 2, "''"},
    {"EmptyPiece", {"check", "--only", "rdma,,dpdk"}, 2, "''"},
    {"TwoInterfaces", {"check", "eth0", "eth1"}, 2, "argument 'eth1': name one NIC per run"},
    {"LogMissing", {"doctor", "--log", "/nowhere.log"}, 2, "/nowhere.log"},
    {"LogIsDirectory", {"doctor", "--log", "/"}, 2, "'manactl doctor --root /' opens it"},
    {"LogIsDevice", {"doctor", "--log", "/dev/zero"}, 2, "is a device"},
    {"LogEmpty", {"doctor", "--log", ""}, 2, "'' is not a path"},
    {"IntervalWithoutWatch", {"status", "--interval", "5"}, 2, "--interval requires --watch"},
    {"RootOfAResult", {"bench", "list", "--root", "/x"}, 2, "bench list: --root is not supported"},
    {"OrderOfANumber", {"decode", "status", "5", "--order", "words"}, 2, "applies only to bytes"},
    {"ListOfAKind", {"decode", "--list", "cqe"}, 2, "--list takes no other arguments"},
    {"KindOfAQueue", {"decode", "wqe", "00"}, 2, "did you mean 'sq-wqe' or 'rq-wqe'"},
    {"MethodOfVfOnly",
     {"prepare", "eth1", "--vf-only", "--method", "new-id", "--dry-run"},
     2,
     "--method cannot be used with --vf-only"},
    {"ResultsWithoutSaving",
     {"bench", "--vdev", "net_null0", "--no-save", "--results", "/nowhere"},
     2,
     "--results cannot be used with --no-save"},
    {"ResultsNotWritable",
     {"bench", "--vdev", "net_null0", "--results", "/proc/self/task"},
     3,
     "bench: cannot write to '/proc/self/task'"},
    {"ResultsOfAb",
     {"bench", "ab", "--", "--sim", "--results", "/nowhere", "--", "--", "--burst=64"},
     2,
     "bench ab: the results of the runs are not saved: omit --results"},
    {"LabelLikeADate",
     {"bench", "--vdev", "net_null0", "--label", "20261129"},
     2,
     "'20261129' cannot be a label"},
    {"LabelLikeAPrefix",
     {"bench", "--vdev", "net_null0", "--label", "20261129-1107"},
     2,
     "'20261129-1107' cannot be a label"},
    {"ScrubAlone", {"doctor", "--scrub"}, 2, "--bundle"},
    {"ReviewAlone", {"doctor", "--review"}, 2, "--review requires --bundle and --scrub"},
    {"ReviewInJson",
     {"doctor", "--bundle", "/nowhere/x", "--scrub", "--review", "--json"},
     2,
     "--review cannot be used with --json"},
    {"BundleInMissingDirectory",
     {"doctor", "--bundle", "/nowhere/x.tar.gz"},
     2,
     "'/nowhere' is not a dir"},
    {"BundleIsADirectory", {"doctor", "--bundle", "/"}, 2, "does not end in .tar.gz"},
    {"BundleIsALink", {"doctor", "--bundle", "/proc/self/exe"}, 2, "does not end in"},
    {"BundleBelowAFile", {"doctor", "--bundle", "/etc/passwd/x.tar"}, 2, "is not a directory"},
    {"BundleEmpty", {"doctor", "--bundle", ""}, 2, "'' is not a path"},
    {"RootIsNotABundle", {"doctor", "--root", "/etc/passwd"}, 2, "not a tar archive"},
    {"ProbeEmpty", {"doctor", "--probe", ""}, 2, "''"},
    {"ProbeNameTooLong", {"doctor", "--probe", std::string(200, 'a')}, 2, "--probe"},
    {"ProbeOfMissingInterface",
     {"doctor", "--probe", "nosuch0"},
     3,
     "interface 'nosuch0' does not exist"},
    {"ProbeOfLoopback", {"doctor", "--probe", "lo"}, 3, "'lo' is not an Azure NIC"},
    {"ProbeTwice", {"doctor", "--probe", "lo", "--probe=lo"}, 2, "--probe is given twice"},
    {"ProbeOfACapture",
     {"doctor", "--probe", "eth1", "--root", "/"},
     2,
     "cannot be used with --root"},
    {"ProbeMisspelled", {"doctor", "--prob", "eth1"}, 2, "did you mean '--probe'?"},
    {"DoctorWithName", {"doctor", "eth0"}, 2, "cannot read 'eth0'"},
};

Words bench(const char* option, const std::string& value) {
  return {"bench", "--vdev", "net_null0", option, value};
}

const Case kNumbers[] = {
    {"QueuesZero", {"check", "--queues", "0"}, 2, "--queues: '0'"},
    {"QueuesNegative", {"check", "--queues", "-1"}, 2, "--queues: '-1'"},
    {"QueuesTooMany", {"check", "--queues", "65536"}, 2, "'65536'"},
    {"QueuesScientific", {"check", "--queues", "1e9"}, 2, "'1e9'"},
    {"QueuesOctal", {"check", "--queues", "08"}, 2, "'08'"},
    {"QueuesHex", {"check", "--queues", "0x8"}, 2, "'0x8'"},
    {"QueuesBlank", {"check", "--queues", " 8"}, 2, "' 8'"},
    {"QueuesNan", {"check", "--queues", "NaN"}, 2, "'NaN'"},
    {"QueuesEmpty", {"check", "--queues", ""}, 2, "''"},
    {"QueuesHuge", {"check", "--queues", "99999999999999999999"}, 2, "--queues"},
    {"QueuesNewline", {"check", "--queues", "8\n"}, 2, R"('8\x0a')"},
    {"BenchQueuesZero", bench("--queues", "0"), 2, "--queues: '0'"},
    {"BenchQueuesOctal", bench("--queues", "08"), 2, "--queues: '08'"},
    {"SizeZero", bench("--size", "0"), 2, "--size: '0'"},
    {"Size59", bench("--size", "59"), 2, "--size: '59'"},
    {"Size60", bench("--size", "60"), 2, "--size: '60'"},
    {"Size63", bench("--size", "63"), 2, "--size: '63'"},
    {"SizeEmpty", bench("--size", ""), 2, "--size: ''"},
    {"SizeNegative", bench("--size", "-1"), 2, "--size: '-1'"},
    {"SizeScientific", bench("--size", "1e3"), 2, "--size: '1e3'"},
    {"SizeOverJumbo", bench("--size", "9019"), 2, "--size: '9019'"},
    {"BurstZero", bench("--burst", "0"), 2, "--burst: '0'"},
    {"BurstTooLarge", bench("--burst", "257"), 2, "--burst: '257'"},
    {"DescriptorsTooFew", bench("--descriptors", "63"), 2, "--descriptors: '63'"},
    {"DescriptorsTooMany", bench("--descriptors", "8193"), 2, "--descriptors: '8193'"},
    {"IntervalZero", bench("--interval", "0"), 2, "--interval: '0'"},
    {"BenchQueuesTooMany", bench("--queues", "65"), 2, "--queues: '65'"},
    {"SizeTooLarge", bench("--size", "65536"), 2, "--size: '65536'"},
    {"SizeWithUnit", bench("--size", "64k"), 2, "--size: '64k'"},
    {"DurationZero", bench("--duration", "0"), 2, "--duration: '0'"},
    {"DurationZeroMs", bench("--duration", "0ms"), 2, "--duration: '0ms'"},
    {"DurationTwice", bench("--duration", "1h1h"), 2, "--duration: '1h1h'"},
    {"DurationNegative", bench("--duration", "-1"), 2, "--duration: '-1'"},
    {"DurationOverflow", bench("--duration", std::string(400, '9')), 2, "--duration"},
    {"DurationHuge", bench("--duration", "1e30"), 2, "--duration: '1e30'"},
    {"DurationComma", bench("--duration", "1,5"), 2, "--duration: '1,5'"},
    {"DurationNan", bench("--duration", "nan"), 2, "--duration: 'nan'"},
    {"DurationBlank", bench("--duration", "1 s"), 2, "--duration: '1 s'"},
    {"RepeatZero", bench("--repeat", "0"), 2, "--repeat: '0'"},
    {"RepeatTooOften", bench("--repeat", "1001"), 2, "--repeat: '1001'"},
    {"FindNothing", bench("--find", ""), 2, "--find: '' is neither"},
    {"FindMisspelled", bench("--find", "nrd"), 2, "did you mean 'ndr'?"},
    {"FindTooMuchLoss", bench("--find", "pdr=51%"), 2, "--find"},
    {"Output", bench("--output", "xml"), 2, "--output: 'xml' is not one of"},
    {"OutputShort", bench("-o", "jsn"), 2, "did you mean 'json'?"},
    {"OutputTwice", {"bench", "-o", "csv", "--output=html"}, 2, "--output is given twice"},
    {"OutputEmpty", bench("-o", ""), 2, "is not one of"},
    {"SizeTwice", bench("--size", "64,64"), 2, "--size: size 64 is given twice"},
    {"SizeListOpen", bench("--size", "64,"), 2, "--size: ''"},
    {"SizeShareZero", bench("--size", "64:0"), 2, "--size: share: '0'"},
    {"SizeUnknownMix", bench("--size", "imixx"), 2, "--size: 'imixx'"},
    {"FlowsZero", bench("--flows", "0"), 2, "--flows: '0'"},
    {"FlowsTooMany", bench("--flows", "65536"), 2, "--flows: '65536'"},
    {"RateZero", bench("--rate", "0"), 2, "--rate: '0'"},
    {"RateScientific", bench("--rate", "1e30"), 2, "--rate: '1e30'"},
    {"RateWithBlank", bench("--rate", "10 g"), 2, "--rate: '10 g'"},
    {"RateNegative", bench("--rate", "-1Mpps"), 2, "--rate: '-1Mpps'"},
    {"RateWithoutUnit", bench("--rate", "1000"), 2, "--rate: '1000'"},
    {"RateOverTheLink", bench("--rate", "101%"), 2, "--rate: '101%'"},
    {"RampZero", bench("--ramp", "0"), 2, "--ramp: '0'"},
    {"PeerShort", bench("--peer", "10.0.0"), 2, "--peer: '10.0.0'"},
    {"PeerOctal", bench("--peer", "10.0.0.08"), 2, "--peer: '10.0.0.08'"},
    {"PeerTooLarge", bench("--peer", "10.0.0.256"), 2, "--peer: '10.0.0.256'"},
    {"PeerIsAName", bench("--peer", "localhost"), 2, "--peer: 'localhost'"},
    {"PeerIsIpv6", bench("--peer", "fe80::1"), 2, "--peer: 'fe80::1'"},
    {"PeerEmpty", bench("--peer", ""), 2, "--peer"},
    {"SourceWithLength", bench("--src-ip", "10.0.0.4/24"), 2, "--src-ip: '10.0.0.4/24'"},
    {"MacShort", bench("--dst-mac", "12:34:56:78:9a"), 2, "--dst-mac"},
    {"MacWithDashes", bench("--dst-mac", "12-34-56-78-9a-bc"), 2, "--dst-mac"},
    {"PortNotAName", bench("--port", "a/b"), 2, "--port"},
    {"PortAndVdev", bench("--port", "eth1"), 2, "are mutually exclusive"},
    {"BenchQueuesBlank", bench("--queues", " 8"), 2, "--queues: ' 8'"},
    {"BenchQueuesHexadecimal", bench("--queues", "0x8"), 2, "--queues: '0x8'"},
    {"BenchQueuesOtherDigits", bench("--queues", "\xd9\xa3"), 2, "--queues: '\xd9\xa3'"},
    {"BenchQueuesWrapped", bench("--queues", "4294967297"), 2, "--queues: '4294967297'"},
    {"BurstScientific", bench("--burst", "1e2"), 2, "--burst: '1e2'"},
    {"DescriptorsWrapped", bench("--descriptors", "4294967552"), 2, "--descriptors: '4294967552'"},
    {"RepeatFraction", bench("--repeat", "1.5"), 2, "--repeat: '1.5'"},
    {"FlowsSigned", bench("--flows", "+1"), 2, "--flows: '+1'"},
    {"FlowsNewline", bench("--flows", "1\n"), 2, R"(--flows: '1\x0a')"},
    {"SizeShareTwice", bench("--size", "64:7:1"), 2, "--size: share: '7:1'"},
    {"IntervalEmpty", bench("--interval", ""), 2, "--interval: ''"},
    {"WarmupNegative", bench("--warmup", "-1"), 2, "--warmup: '-1'"},
    {"WarmupTwice", bench("--warmup", "1h1h"), 2, "--warmup: '1h1h'"},
    {"RampHuge", bench("--ramp", "1e30"), 2, "--ramp: '1e30'"},
    {"RateOnlyUnit", bench("--rate", "%"), 2, "--rate: '%'"},
    {"RateZeroPercent", bench("--rate", "0%"), 2, "--rate: '0%'"},
    {"RateUnitTwice", bench("--rate", "100%%"), 2, "--rate: '100%%'"},
    {"FindTwice", bench("--find", "ndr,ndr"), 2, "--find: ndr is given twice"},
    {"FindComma", bench("--find", ","), 2, "--find: '' is neither"},
    {"FindNoLoss", bench("--find", "pdr=0"), 2, "--find: '0' is not a loss"},
    {"FindNan", bench("--find", "pdr=nan%"), 2, "--find: 'nan%' is not a loss"},
    {"PeerIsANumber", bench("--peer", "167772161"), 2, "--peer: '167772161'"},
    {"PeerBlank", bench("--peer", "10.0.0.1 "), 2, "--peer: '10.0.0.1 '"},
    {"MacOneDigit", bench("--dst-mac", "0:0:0:0:0:0"), 2, "--dst-mac: '0:0:0:0:0:0'"},
    {"MacNotHexadecimal", bench("--dst-mac", "12:34:56:78:9a:bg"), 2, "--dst-mac"},
    {"MaxLossOver", {"bench", "merge", "a", "b", "--max-loss", "101%"}, 2, "--max-loss: '101%'"},
    {"MaxLossNan", {"bench", "merge", "a", "b", "--max-loss", "nan"}, 2, "--max-loss: 'nan'"},
    {"MergeOutput", {"bench", "merge", "a", "b", "-o", "csv"}, 2, "'csv' is not one of text, json"},
    {"ThresholdComma", {"bench", "compare", "a", "b", "--threshold", "1,5"}, 2, "--threshold"},
    {"Mode", bench("--mode", "tz"), 2, "--mode: 'tz'"},
    {"ModeEmpty", bench("--mode", ""), 2, "--mode"},
    {"VdevEmpty", {"bench", "--vdev", ""}, 2, "--vdev"},
    {"VdevNewline", {"bench", "--vdev", "net_null0\n"}, 2, R"(\x0a)"},
    {"BenchOfEmptyName", {"bench", ""}, 2, "'' is not an interface name"},
    {"BenchOfSlash", {"bench", "eth0/x"}, 2, "is not an interface name"},
    {"BenchOfDots", {"bench", ".."}, 2, "is not an interface name"},
    {"BenchOfBlank", {"bench", "a b"}, 2, "is not an interface name"},
    {"BenchOfDash", {"bench", "--", "-x"}, 2, "is not an interface name"},
    {"BenchOfBusId", {"bench", "7870:00:00"}, 2, "is not an interface name"},
    {"Engine", {"bench", "lo", "--engine", "verb"}, 2, "did you mean 'verbs'?"},
    {"EngineEmpty", {"bench", "lo", "--engine", ""}, 2, "--engine: ''"},
    {"VerbsOnVdev", {"bench", "--engine", "verbs", "--vdev", "net_null0"}, 2, "measures MANA only"},
    {"SimOnVdev", {"bench", "--sim", "--vdev", "net_null0"}, 2, "has its own device"},
    {"SimOnInterface", {"bench", "--sim", "eth0"}, 2, "has its own device"},
    {"SyntheticSim", {"bench", "--sim", "--allow-synthetic"}, 2, "with --sim, there is no synth"},
    {"NoHugeVerbs",
     {"bench", "eth1", "--engine", "verbs", "--no-huge"},
     2,
     "no hugepages are used"},
    {"QueuesOfKernel",
     {"check", "--for", "kernel", "--queues", "2"},
     2,
     "with --for kernel, no memory is checked"},
    {"AddressWithoutImds", {"check", "--imds-address", "127.0.0.1"}, 2, "requires --imds"},
    {"SimWithValue", {"bench", "--sim=1"}, 2, "--sim"},
    {"SimQueuesOdd",
     {"bench", "--sim", "--queues", "3"},
     2,
     "--queues 3: MANA requires a power of two"},
    {"CapturedSim", {"bench", "--sim", "--root", "/tmp"}, 2, "--root"},
    {"BothDevices", {"bench", "eth0", "--vdev", "net_null0"}, 2, "are mutually exclusive"},
    {"CapturedBench", {"bench", "--vdev", "net_null0", "--root", "/tmp"}, 2, "--root"},
};

Words check(const std::string& interface) {
  return {
      "check", "--root", MANACTL_SOURCE_DIR "/tests/fixtures/healthy-two-nics", "--", interface};
}

const Case kInterfaces[] = {
    {"Misspelled", check("ehh1"), 3, "did you mean 'eth1'?"},
    {"FifteenBytes", check("abcdefghijklmno"), 3, "does not exist"},
    {"SixteenBytes", check("abcdefghijklmnop"), 3, "does not exist"},
    {"TooLong", check(std::string(128, 'a')), 2, "is not an interface name"},
    {"Slash", check("eth0/x"), 2, "is neither a NIC nor a bundle: No such file or directory"},
    {"DotDot", check(".."), 2, "'..' is a directory, not a NIC: './..' opens it"},
    {"Blank", check("eth 0"), 2, "is not an interface name"},
    {"Percent", check("eth%d"), 3, "interface 'eth%d' does not exist"},
    {"Utf8", check("\xc3\xa9th0"), 3, "interface '\xc3\xa9th0' does not exist"},
    {"Dash", check("-eth0"), 2, "is not an interface name"},
    {"Empty", check(""), 2, "is not an interface name"},
    {"Newline", check("eth0\n"), 2, R"(eth0\x0a)"},
    {"BusId", check("7870:00:00.0"), 2, "2 NICs have the address '7870:00:00.0'"},
};

Words decode(Words words) {
  words.insert(words.begin(), "decode");
  return words;
}

const std::string kDoorbell = "0500000040000080";

const Case kDecode[] = {
    {"NoKind", decode({}), 2, "decode: KIND is missing"},
    {"MisspelledKind", decode({"cq-dorbell", kDoorbell}), 2, "did you mean 'cq-doorbell'?"},
    {"StrangeKind", decode({"xyzzy\n", kDoorbell}), 2, R"('xyzzy\x0a' is not a kind)"},
    {"NoBytes", decode({"cqe"}), 2, "BYTES are missing"},
    {"EmptyBytes", decode({"cqe", ""}), 2, "''"},
    {"BlankBytes", decode({"cqe", " "}), 2, "the input contains no bytes"},
    {"TooShort", decode({"cq-doorbell", "05"}), 2, "CQ doorbell: length must be 8 bytes, not 1"},
    {"TooLong", decode({"cq-doorbell", kDoorbell + "00"}), 2, "(the dump has 9 bytes)"},
    {"HalfAByte", decode({"cq-doorbell", "050"}), 2, "odd number of digits"},
    {"NotHexadecimal", decode({"cq-doorbell", "05", "0g"}), 2, "'0g' is not hexadecimal"},
    {"NoSuchFile", decode({"cqe", "/nowhere.bin"}), 2, "/nowhere.bin"},
    {"Directory", decode({"cqe", "/"}), 2, "is a directory, not a dump"},
    {"Device", decode({"cqe", "/dev/zero"}), 2, "is a device, not a dump"},
    {"EmptyInput", decode({"cqe", "-"}), 2, "the input contains no bytes"},
    {"ReservedBit", decode({"cq-doorbell", "0500000140000080"}), 2, "reserved bits 24-31"},
    {"SecondRecord",
     decode({"cq-doorbell", kDoorbell + "0500000140000080"}),
     2,
     "must be 0, not 0x1, at byte 8"},
    {"BrokenWqe", decode({"sq-wqe", "0000000001030000" + std::string(48, '0')}), 2, "inline_oob"},
    {"NotANumber", decode({"status", "many"}), 2, "'many' is not a number"},
    {"NumberTooLarge", decode({"status", "0x100000000"}), 2, "'0x100000000' is not a number"},
    {"TwoNumbers", decode({"status", "1", "2"}), 2, "status requires one number"},
    {"NumberMissing", decode({"status"}), 2, "status requires one number"},
    {"OffsetMissing", decode({"doorbell", kDoorbell}), 2, "doorbell requires --offset"},
    {"OffsetOfNothing",
     decode({"doorbell", kDoorbell, "--offset", "4"}),
     2,
     "offset 0x4 has no doorbell"},
    {"OffsetTooLarge", decode({"doorbell", kDoorbell, "--offset", "4096"}), 2, "'4096'"},
    {"OffsetWithoutDoorbell",
     decode({"cqe", "00", "--offset", "0"}),
     2,
     "--offset applies only to"},
    {"Order", decode({"cqe", "00", "--order", "big"}), 2, "'big' is not one of"},
};

std::string name_of_case(const testing::TestParamInfo<Case>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(Commands, BadInput, testing::ValuesIn(kCommands), name_of_case);
INSTANTIATE_TEST_SUITE_P(Options, BadInput, testing::ValuesIn(kOptions), name_of_case);
INSTANTIATE_TEST_SUITE_P(Numbers, BadInput, testing::ValuesIn(kNumbers), name_of_case);
INSTANTIATE_TEST_SUITE_P(Decode, BadInput, testing::ValuesIn(kDecode), name_of_case);
INSTANTIATE_TEST_SUITE_P(Interfaces, BadInput, testing::ValuesIn(kInterfaces), name_of_case);

}  // namespace
}  // namespace manactl::test::bad_input_test
