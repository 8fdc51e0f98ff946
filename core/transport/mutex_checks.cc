// C++, because abseil has no interface for C.
#include "core/transport/mutex_checks.h"

#include <absl/synchronization/mutex.h>

void mutex_checks_end(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
#endif
}
