#pragma once

#include <functional>
#include <future>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "source/s3_store.hpp"
#include "unit/source/descriptor_leaks.hpp"
#include "unit/source/loop_thread.hpp"
#include "unit/source/origin_stub.hpp"

namespace optimux::source {

using ObjectResult = base::Result<ObjectAnswer>;

/// An `S3Store` on a loop of its own, and a server that answers in its place as a test says. At the end no descriptor
/// is left.
class S3StoreFixture : public WithoutDescriptorLeaks {
 protected:
  /// Waits between attempts are none, time limits out of the way; the breaker never opens.
  static S3Settings test_settings();

  S3StoreFixture() : loop_(std::make_unique<LoopThread>()) {}
  void TearDown() override;

  /// Starts the server, and a store that has it for its endpoint.
  OriginStub& serve(OriginStub::Handler handler, S3Settings settings = test_settings(),
                    CredentialSettings credentials = static_credentials());
  OriginStub& add_server(OriginStub::Handler handler, const std::string& address = "127.0.0.1");
  void make_store(S3Settings settings, const CredentialSettings& credentials);
  /// Ends the store, in the loop's thread.
  void drop_store();
  static CredentialSettings static_credentials();

  S3Store& store() { return *store_; }
  LoopThread& loop() { return *loop_; }
  std::future<ObjectResult> start(ObjectRequest request);
  ObjectResult run(ObjectRequest request) { return start(std::move(request)).get(); }
  ObjectResult get(const std::string& key) { return run({.name = {"bucket", key}}); }

  static std::string outcome_of(const ObjectResult& result);
  static std::string text_of(const ObjectResult& result);

 private:
  std::unique_ptr<LoopThread> loop_;
  std::unique_ptr<S3Store> store_;
  std::list<OriginStub> servers_;
};

/// An answer of a store that refuses.
std::string refusal(std::string_view status, std::string_view code, std::string_view headers = "");

/// The value of a header of a request's head; empty if there is none. `name` in the spelling that is sent.
std::string field_of(std::string_view request, std::string_view name);

}  // namespace optimux::source
