/// \file
/// Everything at once.
#pragma once

#include "optimux/pool/cpu_count.hpp"
#include "optimux/pool/dynamic_scaler.hpp"
#include "optimux/pool/policies.hpp"

#if defined(__linux__)
#include "optimux/pool/coroutine_worker.hpp"
#endif
