/* A small schema by hand that has every kind of field, so that the JSON codec is tested without the generated tables. */
#pragma once

#include "translate/schema/schema.h"

/* message Sample {
     string container_id = 1;  int32 count = 2;            int64 total = 3;       uint32 attempt = 4;   uint64 bytes_used = 5;
     bool tty = 6;             double avg10 = 7;           Level level = 8;       bytes output = 9 [payload];
     KeyValue env = 10;        repeated KeyValue envs = 11; repeated string args = 12; repeated int64 groups = 13;
     map<string, string> annotations = 14;  Sample child = 15;  repeated Level levels = 16;  repeated double loads = 17;
     string password = 18 [secret];         map<string, string> info = 19 [payload];        map<int32, KeyValue> by_number = 20;
     map<bool, uint64> by_flag = 21;        repeated Sample children = 22;                  repeated string tokens = 23 [secret];
     bytes data = 24;          map<string, string> settings = 25 [environment];             KeyValue credentials = 26 [secret];
     uint32 pin = 27 [secret]; string CDI_devices = 28;     repeated bool flags = 29;
   }
   message KeyValue { string key = 1; bytes value = 2 [environment]; }
   enum Level { LEVEL_ZERO = 0; LEVEL_ONE = 1; LEVEL_MINUS = -1; } */
extern const struct schema_message sample_message;
