package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
)

// A release of Kubernetes: "v1.31.4" has the minor version 31.
type release struct {
	text  string
	minor int
}

func parseRelease(text string) (release, error) {
	result := release{text: text}
	if _, err := fmt.Sscanf(text, "v1.%d.", &result.minor); err != nil {
		return result, fmt.Errorf("%q is no release of Kubernetes", text)
	}
	return result, nil
}

// within tells whether something that came with one minor version, and is gone with another (0: never), is in this release.
func (release release) within(since, gone int) bool {
	return release.minor >= since && (gone == 0 || release.minor < gone)
}

// What the process stands for.
type standIn struct {
	release release
	fault   string
	faultAt string
}

func (standIn *standIn) set(name, value string) (err error) {
	switch name {
	case "version":
		standIn.release, err = parseRelease(value)
	case "fault":
		standIn.fault = value
	case "fault_at":
		standIn.faultAt = value
	default:
		err = fmt.Errorf("unknown name %q", name)
	}
	return err
}

func readStandIn(path string) (*standIn, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	result := &standIn{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		name, value, ok := strings.Cut(lines.Text(), "=")
		if !ok {
			return nil, fmt.Errorf("%s: no line name=value: %q", path, lines.Text())
		}
		if err := result.set(name, value); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return result, lines.Err()
}
