// One of each way in which Go defines a function.
package sample

import "fmt"

type Box[T any] struct{ value T }

type Shape interface {
	Area() float64
}

func Plain(a int, b ...string) (int, error) {
	return a, nil
}

func Generic[T any](a T) T {
	return a
}

func (b *Box[T]) Set(value T) {
	b.value = value
}

func (b Box[T]) Get() T {
	return b.value
}

func (Named) Unnamed() {}

var bound = func(a int) int {
	return a
}

func Outer() {
	inner := func() { fmt.Println() }
	var other = func() {}
	go func() { inner(); other() }()
}

func external(a int) int
