#include "support/tasks.hpp"

template class optimux::pool::HandOff<optimux::pool::testing::Task>;
template class optimux::pool::ThreadCrew<optimux::pool::testing::Task>;
template class optimux::pool::DynamicScaler<optimux::pool::testing::Task>;
