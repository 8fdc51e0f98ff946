package main

import (
	"sync"
	"sync/atomic"
	"time"
)

// Calls that each caller makes in a block before its latencies count: the process behind was asleep while others were measured.
const warmUpCalls = 2

// end says when a block is over, at whichever comes first. Zero is no such end.
type end struct {
	time  time.Duration
	calls int64
}

// block is what a block of calls took.
type block struct {
	calls     int64 // all of them
	inTime    int64 // of these, answered before the end
	time      time.Duration
	latencies []float64 // microseconds, without those of the warm-up
	err       error
}

// course is a block under way, which all its callers see.
type course struct {
	requests []*request
	started  time.Time
	stop     time.Time // zero: calls end it
	most     int64     // calls to make; 0: time ends it
	next     atomic.Int64
	failed   atomic.Bool
}

func (course *course) goesOn(made int) bool {
	if course.failed.Load() {
		return false
	}
	return made <= warmUpCalls || course.stop.IsZero() || time.Now().Before(course.stop)
}

// caller calls one by one until the block is over.
func (course *course) caller() (mine block) {
	for made := 0; course.goesOn(made); made++ {
		number := course.next.Add(1) - 1
		if course.most > 0 && number >= course.most {
			break
		}
		began := time.Now()
		if mine.err = course.requests[number%int64(len(course.requests))].checkedCall(); mine.err != nil {
			course.failed.Store(true)
			break
		}
		ended := time.Now()
		mine.calls++
		if course.stop.IsZero() || !ended.After(course.stop) {
			mine.inTime++
		}
		if made >= warmUpCalls {
			mine.latencies = append(mine.latencies, float64(ended.Sub(began).Nanoseconds())/1e3)
		}
	}
	return mine
}

// run calls with that many calls in flight, turn by turn through the requests.
func run(requests []*request, callers int, end end) block {
	course := course{requests: requests, started: time.Now(), most: end.calls}
	if end.time > 0 {
		course.stop = course.started.Add(end.time)
	}
	parts := make([]block, callers)
	var all sync.WaitGroup
	for i := range parts {
		all.Go(func() { parts[i] = course.caller() })
	}
	all.Wait()
	whole := block{time: time.Since(course.started)}
	if end.time > 0 {
		whole.time = min(whole.time, end.time)
	}
	for _, part := range parts {
		whole.calls += part.calls
		whole.inTime += part.inTime
		whole.latencies = append(whole.latencies, part.latencies...)
		if part.err != nil {
			whole.err = part.err
		}
	}
	return whole
}
