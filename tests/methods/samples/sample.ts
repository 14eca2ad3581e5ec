// One of each way in which TypeScript defines a function.
namespace Outer.Inner {
	export function overloaded(a: number): void;
	export function overloaded(a: string): void;
	export function overloaded(a: any): void {}
}

abstract class Shape<T> {
	constructor(private readonly name: string) {}
	abstract area(): number;
	declare callback: () => void;
	field = (a: T): T => a;
	@logged('x')
	async fetch<U>(this: Shape<T>, id?: U): Promise<void> {}
	static make(): void {}
}

interface Drawable {
	draw(): void;
}

const typed: Handler = (x: number): number => x;

export const generic = <T,>(x: T): T => x;

enum Colour {
	Red = 1,
}

declare module 'other' {
	function declared(): void;
}
