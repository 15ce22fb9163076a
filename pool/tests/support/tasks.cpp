#include "support/tasks.hpp"

#if defined(OPTIMUX_POOL_TEST_COROUTINES)
template class optimux::pool::CoroutineCrew<optimux::pool::testing::Task>;
template class optimux::pool::DynamicScaler<optimux::pool::testing::Task, optimux::pool::CoroutineCrew>;
#else
template class optimux::pool::HandOff<optimux::pool::testing::Task>;
template class optimux::pool::ThreadCrew<optimux::pool::testing::Task>;
template class optimux::pool::DynamicScaler<optimux::pool::testing::Task>;
#endif
