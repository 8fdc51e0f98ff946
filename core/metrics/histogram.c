#include "core/metrics/histogram.h"

const struct histogram_bound histogram_bounds[HISTOGRAM_BOUNDS] = {
    {INT64_C(250000), "0.00025"},   {INT64_C(500000), "0.0005"},    {INT64_C(1000000), "0.001"},
    {INT64_C(2500000), "0.0025"},   {INT64_C(5000000), "0.005"},    {INT64_C(10000000), "0.01"},
    {INT64_C(25000000), "0.025"},   {INT64_C(50000000), "0.05"},    {INT64_C(100000000), "0.1"},
    {INT64_C(250000000), "0.25"},   {INT64_C(500000000), "0.5"},    {INT64_C(1000000000), "1.0"},
    {INT64_C(2500000000), "2.5"},   {INT64_C(5000000000), "5.0"},   {INT64_C(10000000000), "10.0"},
    {INT64_C(30000000000), "30.0"}, {INT64_C(60000000000), "60.0"}, {INT64_C(300000000000), "300.0"},
};

void histogram_add(struct histogram *histogram, int64_t nanoseconds)
{
    unsigned bucket = 0;
    while (bucket < HISTOGRAM_BOUNDS && nanoseconds > histogram_bounds[bucket].nanoseconds) {
        bucket++;
    }
    histogram->buckets[bucket]++;
    histogram->sum += nanoseconds > 0 ? nanoseconds : 0;
}

uint64_t histogram_count(const struct histogram *histogram)
{
    uint64_t count = 0;
    for (unsigned i = 0; i <= HISTOGRAM_BOUNDS; i++) {
        count += histogram->buckets[i];
    }
    return count;
}
