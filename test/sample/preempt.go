// preempt.go - goroutines on several threads, which the runtime preempts by signals; panics that are
// recovered. status: 0
package main

import (
	"fmt"
	"sync"
)

//go:noinline
func step(n, k uint64) uint64 {
	if n%2 == 0 {
		return n / 2
	}
	return k*n + 1
}

//go:noinline
func collatz(n uint64) (steps uint64) {
	for n != 1 {
		n = step(n, 3)
		steps++
	}
	return
}

//go:noinline
func spin(rounds int) (sum int) {
	for i := 0; i < rounds; i++ {
		sum += i & 3
	}
	return
}

func risky(n int) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	var few [3]int
	return fmt.Errorf("%d", few[n%5])
}

func main() {
	var wg sync.WaitGroup
	var mu sync.Mutex
	total := uint64(0)
	sums := 0
	for g := 1; g <= 20; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			n := collatz(uint64(g))
			s := spin(100 * g)
			mu.Lock()
			total += n
			sums += s
			mu.Unlock()
		}(g)
	}
	wg.Wait()
	caught := 0
	for i := 0; i < 10; i++ {
		if risky(i).Error() != "0" {
			caught++
		}
	}
	fmt.Println(total, sums, caught)
}
