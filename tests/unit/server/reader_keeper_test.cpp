#include "server/reader_keeper.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "unit/server/fake_backend.hpp"

namespace optimux::server {
namespace {

std::shared_ptr<base::SharedBody> started_body() {
  auto body = std::make_shared<base::SharedBody>();
  body->start({"image/webp", 1, 1, 1});
  return body;
}

TEST(ReaderKeeper, KeepsUntilTheEnd) {
  EventLoop loop;
  ReaderKeeper keeper(loop);
  const auto good = started_body();
  const auto bad = std::make_shared<base::SharedBody>();
  keeper.keep(good->attach());
  keeper.keep(bad->attach());
  EXPECT_EQ(keeper.size(), 2u);
  append(*good, std::string(100'000, 'x'));
  loop.run_ready();
  EXPECT_EQ(keeper.size(), 2u);
  good->complete();
  bad->fail({});
  loop.run_ready();
  EXPECT_EQ(keeper.size(), 0u);
  EXPECT_EQ(good->reader_count(), 0);
}

TEST(ReaderKeeper, DoesNotKeepWhatIsFinished) {
  EventLoop loop;
  ReaderKeeper keeper(loop);
  const auto body = started_body();
  append(*body, "x");
  body->complete();
  keeper.keep(body->attach());
  EXPECT_EQ(keeper.size(), 0u);
}

TEST(ReaderKeeper, GoesBeforeItsReadersAreDone) {
  EventLoop loop;
  const auto body = started_body();
  {
    ReaderKeeper keeper(loop);
    keeper.keep(body->attach());
    append(*body, "x");
  }
  EXPECT_EQ(body->reader_count(), 0);
  loop.run_ready();
}

}  // namespace
}  // namespace optimux::server
