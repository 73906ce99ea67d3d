// SPDX-License-Identifier: MIT

#include "os/verbs_probe.h"

#include "base/child.h"
#include "os/verbs_child.h"

namespace manactl::os {
namespace {

class ForkedProbe final : public VerbsProbe {
 public:
  ForkedProbe(std::string library, std::chrono::milliseconds patience)
      : library_(std::move(library)), patience_(patience) {}

  Result<std::vector<ProviderChoice>> providers() const override;

 private:
  std::string library_;
  std::chrono::milliseconds patience_;
};

Result<std::vector<ProviderChoice>> ForkedProbe::providers() const {
  const auto answer = ask_child([this](int pipe) { tell(pipe, answer_of(library_)); }, patience_);
  if (!answer) return because(answer.error(), "asking libibverbs");
  if (answer->end == ChildAnswer::End::silent) {
    return fail(Errc::timeout,
                fmt::format("libibverbs did not answer in {} ms", patience_.count()));
  }
  if (answer->end == ChildAnswer::End::crashed) {
    return fail(Errc::io,
                fmt::format("libibverbs or a provider of it crashed with {}", answer->signal));
  }
  return decode_reply(answer->text);
}

}  // namespace

std::unique_ptr<VerbsProbe> open_verbs_probe(std::string library,
                                             std::chrono::milliseconds patience) {
  return std::make_unique<ForkedProbe>(std::move(library), patience);
}

}  // namespace manactl::os
