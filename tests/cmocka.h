/* cmocka, with what its header needs before it. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Tests and fixtures get a state, whether they have one or not. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
