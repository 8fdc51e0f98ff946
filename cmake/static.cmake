# Programs that need nothing of the system they run on: linked with static-pie from the archives of the -dev packages. Tests'
# programs, and everything with sanitizers, stay dynamic; they are made of the same object files.

# What C core's archive needs and the .pc file of 1.51 does not name, each as ARCHIVE=PACKAGE.
set(GRPC_ALSO_NEEDS)
if(NOT address_sorting IN_LIST GRPC_STATIC_LIBRARIES)
  set(GRPC_ALSO_NEEDS upb=libgrpc-dev address_sorting=libgrpc-dev cares=libc-ares-dev z=zlib1g-dev)
endif()

# The part of the C library and the compiler's own libraries: these are found by the compiler.
set(COMPILERS_LIBRARIES atomic dl m pthread rt)

# What is linked, and what is missing for it, as lines "ARCHIVE of the package PACKAGE".
set(archives)
set(archive_files)
set(missing)

# Finds the archives of what pkg_check_modules found as PREFIX, which come from the package, and then those of ARCHIVE=PACKAGE...
macro(find_archives prefix package)
  foreach(name IN LISTS ${prefix}_STATIC_LIBRARIES ITEMS ${ARGN})
    set(from ${package})
    if(name MATCHES "(.*)=(.*)")
      set(name ${CMAKE_MATCH_1})
      set(from ${CMAKE_MATCH_2})
    elseif(name MATCHES "^absl_")
      set(from libabsl-dev)
    endif()
    if(name IN_LIST COMPILERS_LIBRARIES)
      list(APPEND archives -l${name})
    else()
      find_library(CRIGATE_ARCHIVE_${name} lib${name}.a)
      mark_as_advanced(CRIGATE_ARCHIVE_${name})
      if(CRIGATE_ARCHIVE_${name})
        list(APPEND archives ${CRIGATE_ARCHIVE_${name}})
        list(APPEND archive_files ${CRIGATE_ARCHIVE_${name}})
      else()
        list(APPEND missing "lib${name}.a of the package ${from}")
      endif()
    endif()
  endforeach()
endmacro()

find_archives(GRPC libgrpc-dev ${GRPC_ALSO_NEEDS})
find_archives(ABSL_SYNCHRONIZATION libabsl-dev)
find_archives(PROTOBUF_C libprotobuf-c-dev)
find_archives(YAML libyaml-dev)
find_archives(JSON_C libjson-c-dev)
find_archives(MD libmd-dev)
find_archives(EVENT libevent-dev)
list(REMOVE_DUPLICATES archives)
list(REMOVE_DUPLICATES missing)
list(JOIN missing "\n  " missing)

set(CRIGATE_STATIC AUTO CACHE STRING "Whether the programs are static, one file each that needs no library of the system: ON, OFF, or AUTO, if that is possible here")
set_property(CACHE CRIGATE_STATIC PROPERTY STRINGS AUTO ON OFF)
if(CRIGATE_STATIC STREQUAL AUTO AND (CRIGATE_SANITIZE OR missing))
  set(CRIGATE_STATIC OFF)
elseif(CRIGATE_STATIC STREQUAL AUTO)
  set(CRIGATE_STATIC ON)
endif()
if(CRIGATE_STATIC AND CRIGATE_SANITIZE)
  message(FATAL_ERROR "CRIGATE_STATIC=ON: a program with sanitizers cannot be static")
elseif(CRIGATE_STATIC AND missing)
  message(FATAL_ERROR "CRIGATE_STATIC=ON, but these archives are missing:\n  ${missing}\n`make deps` installs them")
elseif(missing AND NOT CRIGATE_SANITIZE AND "$CACHE{CRIGATE_STATIC}" STREQUAL "AUTO")
  message(STATUS "The programs become dynamic, because these archives are missing:\n  ${missing}")
endif()

# In a static program all the archives stand in the place of each shared library. They need each other in circles.
if(CRIGATE_STATIC)
  list(JOIN archives "," archives)
  add_library(crigate_archives INTERFACE)
  target_link_libraries(crigate_archives INTERFACE "$<LINK_GROUP:RESCAN,${archives}>")
  foreach(prefix GRPC ABSL_SYNCHRONIZATION PROTOBUF_C YAML JSON_C MD EVENT)
    get_target_property(shared PkgConfig::${prefix} INTERFACE_LINK_LIBRARIES)
    set_target_properties(PkgConfig::${prefix} PROPERTIES INTERFACE_LINK_LIBRARIES
      "$<IF:$<BOOL:$<TARGET_PROPERTY:CRIGATE_STATIC_PROGRAM>>,crigate_archives,${shared}>")
  endforeach()
  add_library(crigate_no_resolver OBJECT ${CMAKE_SOURCE_DIR}/cmake/no_resolver.c)
  target_link_libraries(crigate_no_resolver PRIVATE crigate_warnings)
endif()

# The packages of the archives, for `crigate version -v`. Whether one of them was upgraded is seen by dpkg's records, not by the time
# of its files, which is when the package was made: what was linked before that would seem to be newer.
set(CRIGATE_PACKAGES ${CMAKE_BINARY_DIR}/generated/packages)
set(linked)
set(records)
if(CRIGATE_STATIC)
  set(linked ${archive_files} ${XXHASH_INCLUDEDIR}/xxhash.h)
  foreach(library libc.a libgcc.a libstdc++.a)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${library} OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND linked ${file})
  endforeach()
  if(EXISTS /var/lib/dpkg/status)
    set(records /var/lib/dpkg/status)
  endif()
endif()
add_custom_command(
  OUTPUT ${CRIGATE_PACKAGES} ${CRIGATE_PACKAGES}.inc
  COMMAND ${CMAKE_SOURCE_DIR}/cmake/package-versions ${CRIGATE_PACKAGES} ${linked}
  DEPENDS ${CMAKE_SOURCE_DIR}/cmake/package-versions ${records}
  COMMENT "Versions of the packages that are linked"
  VERBATIM)
add_custom_target(crigate_packages DEPENDS ${CRIGATE_PACKAGES})

# What is installed: hardened, and static if CRIGATE_STATIC says so.
function(release_program target)
  if(CRIGATE_STATIC)
    set_target_properties(${target} PROPERTIES CRIGATE_STATIC_PROGRAM ON LINKER_LANGUAGE CXX)
    target_link_libraries(${target} PRIVATE crigate_no_resolver)
    # Packed relocations, half a megabyte less to read at the start; the linker has them on x86 first.
    target_link_options(${target} PRIVATE -static-pie -Wl,--gc-sections
      $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-Wl,-z,pack-relative-relocs>)
    add_dependencies(${target} crigate_packages)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${CRIGATE_PACKAGES})
  elseif(NOT CRIGATE_SANITIZE)
    target_link_options(${target} PRIVATE -pie)
  endif()
  target_link_options(${target} PRIVATE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack -Wl,-z,separate-code)
endfunction()
