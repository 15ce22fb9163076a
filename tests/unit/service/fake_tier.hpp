#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.hpp"
#include "service/rendition_record.hpp"
#include "service/rendition_tier.hpp"

namespace optimux::service {

/// A tier in memory that answers at once, or when the test says so. Any thread.
class FakeTier final : public RenditionTier {
 public:
  explicit FakeTier(CacheOutcome outcome = CacheOutcome::kDisk) : outcome_(outcome) {}

  /// From now on searches and erasures wait for `answer`.
  void hold() {
    base::MutexLock lock(mutex_);
    holds_ = true;
  }
  /// Answers the oldest question that waits; false if none does.
  bool answer() {
    std::function<void()> question;
    {
      base::MutexLock lock(mutex_);
      if (waiting_.empty()) return false;
      question = std::move(waiting_.front());
      waiting_.pop_front();
    }
    question();
    return true;
  }

  CacheOutcome outcome() const override { return outcome_; }
  void find(const std::string& key, const std::string& source, Found found) override {
    EXPECT_TRUE(key.ends_with(source));
    ask([this, key, found = std::move(found)] { found(copy_of(key)); });
  }
  void insert(std::shared_ptr<Rendition> rendition) override {
    EXPECT_EQ(rendition->body()->state(), base::SharedBody::State::kComplete);
    base::MutexLock lock(mutex_);
    ++insertions_;
    if (!rendition->is_revoked()) kept_[rendition->key()] = std::move(rendition);
  }
  void renew(std::shared_ptr<Rendition> rendition) override {
    base::MutexLock lock(mutex_);
    ++renewals_;
    const auto found = kept_.find(rendition->key());
    if (found != kept_.end()) found->second->set_validated_at(*rendition->validated_at());
  }
  void erase(const std::string& key, const std::string&, Erased erased) override {
    ask([this, key, erased = std::move(erased)] {
      erase_if([&](const Rendition& rendition) { return rendition.key() == key; });
      erased({});
    });
  }
  void erase_source(const std::string& source, Erased erased) override {
    ask([this, source, erased = std::move(erased)] {
      erase_if([&](const Rendition& rendition) { return rendition.source() == source; });
      erased({});
    });
  }
  void clear(Erased erased) override {
    ask([this, erased = std::move(erased)] {
      erase_if([](const Rendition&) { return true; });
      erased({});
    });
  }
  TierFigures figures() const override {
    TierFigures figures;
    figures.name = "fake";
    return figures;
  }

  /// The rendition with that key as it is kept; null if it is not.
  std::shared_ptr<Rendition> kept(const std::string& key) const {
    base::MutexLock lock(mutex_);
    const auto found = kept_.find(key);
    return found == kept_.end() ? nullptr : found->second;
  }
  std::size_t size() const {
    base::MutexLock lock(mutex_);
    return kept_.size();
  }
  /// Makes everything that is kept older by `age`.
  void age(std::chrono::milliseconds age) {
    base::MutexLock lock(mutex_);
    for (const auto& [_, rendition] : kept_) rendition->set_validated_at(*rendition->validated_at() - age);
  }
  std::size_t waiting() const {
    base::MutexLock lock(mutex_);
    return waiting_.size();
  }
  int insertions() const {
    base::MutexLock lock(mutex_);
    return insertions_;
  }
  int renewals() const {
    base::MutexLock lock(mutex_);
    return renewals_;
  }

 private:
  void ask(std::function<void()> question) {
    {
      base::MutexLock lock(mutex_);
      if (holds_) return waiting_.push_back(std::move(question));
    }
    question();
  }
  std::shared_ptr<Rendition> copy_of(const std::string& key) {
    const auto original = kept(key);
    if (!original) return nullptr;
    auto copy = std::make_shared<Rendition>(key, original->source().size());
    copy_rendition(*original, *copy);
    return copy;
  }
  void erase_if(const std::function<bool(const Rendition&)>& is_meant) {
    base::MutexLock lock(mutex_);
    std::erase_if(kept_, [&](const auto& entry) { return is_meant(*entry.second); });
  }

  const CacheOutcome outcome_;
  mutable base::Mutex mutex_;
  bool holds_ OPTIMUX_GUARDED_BY(mutex_) = false;
  std::deque<std::function<void()>> waiting_ OPTIMUX_GUARDED_BY(mutex_);
  std::map<std::string, std::shared_ptr<Rendition>> kept_ OPTIMUX_GUARDED_BY(mutex_);
  int insertions_ OPTIMUX_GUARDED_BY(mutex_) = 0;
  int renewals_ OPTIMUX_GUARDED_BY(mutex_) = 0;
};

}  // namespace optimux::service
