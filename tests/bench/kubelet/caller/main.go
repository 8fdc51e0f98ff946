// Calls as a kubelet does, with grpc-go, for `bench`, which decides what is called when and counts what it costs
// (tests/bench/caller.h). Reads commands from stdin, one on each line, and answers each on stdout:
//
//	connect ADDRESS                        the connection's number
//	request CONNECTION METHOD HEX          makes the call once: the request's number, and the length of the answer
//	block CALLERS SECONDS CALLS REQUEST... makes calls: how many, how many were answered in time, seconds, and how many latencies
//	                                       follow as 64-bit floating-point numbers in the machine's order, in microseconds
//
// Numbers begin at 0. HEX is "-" for an empty message; SECONDS or CALLS may be 0. What fails is answered with "failed", after a
// message on stderr.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"

	"crigate/tests/bench/kubelet/raw"
)

type session struct {
	connections []*grpc.ClientConn
	requests    []*request
	out         *bufio.Writer
}

var errCommand = errors.New("not a command")

// element is the element whose number the word is.
func element[T any](list []T, word string) (found T, err error) {
	number, err := strconv.Atoi(word)
	if err != nil || number < 0 || number >= len(list) {
		return found, errCommand
	}
	return list[number], nil
}

func (session *session) connect(words []string) error {
	if len(words) != 1 {
		return errCommand
	}
	connection, err := connect(words[0])
	if err != nil {
		return err
	}
	session.connections = append(session.connections, connection)
	fmt.Fprintln(session.out, len(session.connections)-1)
	return nil
}

func (session *session) request(words []string) error {
	if len(words) != 3 {
		return errCommand
	}
	connection, err := element(session.connections, words[0])
	if err != nil {
		return err
	}
	message, err := hex.DecodeString(strings.TrimPrefix(words[2], "-"))
	if err != nil {
		return err
	}
	request := &request{connection: connection, method: words[1], message: raw.Message{Bytes: message}}
	if request.answerSize, err = request.call(); err != nil {
		return err
	}
	session.requests = append(session.requests, request)
	fmt.Fprintln(session.out, len(session.requests)-1, request.answerSize)
	return nil
}

func (session *session) block(words []string) error {
	if len(words) < 4 {
		return errCommand
	}
	callers, callersError := strconv.Atoi(words[0])
	seconds, secondsError := strconv.ParseFloat(words[1], 64)
	calls, callsError := strconv.ParseInt(words[2], 10, 64)
	var requests []*request
	var requestError error
	for _, word := range words[3:] {
		request, err := element(session.requests, word)
		requests, requestError = append(requests, request), errors.Join(requestError, err)
	}
	if err := errors.Join(callersError, secondsError, callsError, requestError); err != nil {
		return err
	}
	block := run(requests, callers, end{time: time.Duration(seconds * float64(time.Second)), calls: calls})
	if block.err != nil {
		return fmt.Errorf("%s: %w", requests[0].method, block.err)
	}
	fmt.Fprintln(session.out, block.calls, block.inTime, block.time.Seconds(), len(block.latencies))
	return binary.Write(session.out, binary.NativeEndian, block.latencies)
}

func (session *session) command(line string) error {
	words := strings.Fields(line)
	if len(words) == 0 {
		return errCommand
	}
	switch words[0] {
	case "connect":
		return session.connect(words[1:])
	case "request":
		return session.request(words[1:])
	case "block":
		return session.block(words[1:])
	}
	return errCommand
}

func main() {
	in := bufio.NewReader(os.Stdin)
	session := session{out: bufio.NewWriter(os.Stdout)}
	for {
		line, err := in.ReadString('\n')
		if err == io.EOF {
			return
		}
		if err == nil {
			err = session.command(line)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench-caller: %v\n", err)
			fmt.Fprintln(session.out, "failed")
		}
		session.out.Flush()
	}
}
