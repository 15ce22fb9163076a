#include "apps/optimux/pool/sweep/job_body.hpp"

#include "apps/optimux/pool/sweep/exec_job.hpp"
#include "apps/optimux/pool/sweep/url_job.hpp"

#include <chrono>
#include <thread>

namespace optimux::apps {
namespace {

void sleep(const SleepJob& job) {
  std::this_thread::sleep_for(std::chrono::duration<double>(job.seconds));
}

struct MakeJob {
  const JobRules& rules;

  JobMaker operator()(const BurnJob& job) const {
    return [job] {
      return [job] {
        burn(job.rounds);
        return JobRun{};
      };
    };
  }
  JobMaker operator()(const SleepJob& job) const {
    return [job] {
      return [job] {
        sleep(job);
        return JobRun{};
      };
    };
  }
  JobMaker operator()(const MixedJob& job) const {
    return [job] {
      return [job] {
        burn(job.burn.rounds);
        sleep(job.sleep);
        return JobRun{};
      };
    };
  }
  JobMaker operator()(const ExecJob& job) const {
    return [job, rules = rules] { return [job, rules] { return run_program(job, rules); }; };
  }
  JobMaker operator()(const UrlJob& job) const {
    return [job, rules = rules] { return make_url_body(job, rules); };
  }
};

}  // namespace

JobMaker make_job(const JobSpec& spec, const JobRules& rules) {
  return std::visit(MakeJob{rules}, spec);
}

// The empty statement makes the compiler believe that `sum` is read and changed in each round, so that it can neither
// leave the loop out nor do several rounds at once.
void burn(std::uint64_t rounds) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    sum += i * i;
    asm volatile("" : "+r"(sum));  // NOLINT(hicpp-no-assembler)
  }
}

}  // namespace optimux::apps
