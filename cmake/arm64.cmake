# Toolchain file: programs for arm64, made on another machine by Debian's cross compiler, from the arm64 libraries that
# cmake/arm64/make-sysroot unpacks into a folder. `make arm64` does all of it. By hand, from the top folder:
#
#   cmake/arm64/make-sysroot build-arm64-sysroot
#   cmake -S . -B build-arm64 -G Ninja --toolchain cmake/arm64.cmake -DCMAKE_SYSROOT=$PWD/build-arm64-sysroot
#
# codegen runs while crigate is built: -DCRIGATE_HOST_CODEGEN=FILE names one that was built for this machine. Without it, the one for
# arm64 runs under QEMU. So do the tests.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# Checks of the compiler read this file too, and get this variable.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CMAKE_SYSROOT)
if(NOT CMAKE_SYSROOT)
  message(FATAL_ERROR "-DCMAKE_SYSROOT= is missing: the folder that cmake/arm64/make-sysroot makes")
endif()

set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)

find_program(CRIGATE_QEMU NAMES qemu-aarch64-static qemu-aarch64 DOC "Runs programs for arm64")
if(CRIGATE_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${CRIGATE_QEMU};-L;${CMAKE_SYSROOT})
endif()
