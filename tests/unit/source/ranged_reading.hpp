#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "source/ranged_source.hpp"

namespace optimux::source {

using OpenResult = base::Result<std::shared_ptr<RangedFile>>;

/// Starts to open a source; the future holds its result. The test fails when the callback comes twice.
inline std::future<OpenResult> start_open(RangedSource& source, FetchRequest request) {
  auto promise = std::make_shared<std::promise<OpenResult>>();
  auto calls = std::make_shared<std::atomic<int>>(0);
  source.open(std::move(request), [promise, calls](OpenResult result) {
    const int call = calls->fetch_add(1);
    EXPECT_EQ(call, 0) << "the callback came more than once";
    if (call == 0) promise->set_value(std::move(result));
  });
  return promise->get_future();
}

/// Likewise a part of an open one.
inline std::future<RangedFile::ReadResult> start_read(RangedFile& file, std::uint64_t offset, std::size_t count,
                                                      base::Deadline deadline = {}, std::stop_token stop = {}) {
  auto promise = std::make_shared<std::promise<RangedFile::ReadResult>>();
  auto calls = std::make_shared<std::atomic<int>>(0);
  file.read(offset, count, deadline, std::move(stop), [promise, calls](RangedFile::ReadResult result) {
    const int call = calls->fetch_add(1);
    EXPECT_EQ(call, 0) << "the callback came more than once";
    if (call == 0) promise->set_value(std::move(result));
  });
  return promise->get_future();
}

/// The name of the error code, or `ok`.
template <class T>
std::string outcome_of(const base::Result<T>& result) {
  return result ? "ok" : std::string(base::name_of(result.error().code));
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::string text_of(const RangedFile::ReadResult& result) {
  return result ? text_of(std::span((*result)->data(), (*result)->size())) : std::string();
}

}  // namespace optimux::source
