// Finds handlers in a tree of paths. The two constants are the work of hashOf and of rankOf.
package main

import (
	"fmt"
	"strings"
)

const hash, rank, requests = 1000, 1000, 24000

type node struct {
	children map[string]*node
	handler  uint32
}

//go:noinline
func hashOf(part string) uint32 {
	found := uint32(17)
	for at := 0; at < hash/10; at++ {
		found = found*131 + uint32(part[at%len(part)])
	}
	return found
}

//go:noinline
func rankOf(value uint32) uint32 {
	found := value
	for at := 0; at < rank/10; at++ {
		found += (found >> 5) ^ uint32(at)
	}
	return found
}

//go:noinline
func inserted(root *node, path string, handler uint32) {
	for _, part := range strings.Split(path, "/") {
		next := root.children[part]
		if next == nil {
			next = &node{children: map[string]*node{}}
			root.children[part] = next
		}
		root = next
	}
	root.handler = handler
}

//go:noinline
func found(root *node, path string) *node {
	for _, part := range strings.Split(path, "/") {
		if root = root.children[part]; root == nil {
			return nil
		}
	}
	return root
}

func main() {
	root := &node{children: map[string]*node{}}
	for route := 0; route < 900; route++ {
		inserted(root, fmt.Sprintf("users/%d/orders/%d", route%30, route), uint32(route))
	}
	sum := uint32(0)
	for request := 0; request < requests; request++ {
		path := fmt.Sprintf("users/%d/orders/%d", request%30, request%1100)
		if node := found(root, path); node != nil {
			sum += node.handler
		}
		sum = rankOf(sum + hashOf(path))
	}
	fmt.Println(sum)
}
