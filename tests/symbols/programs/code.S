/* A function in assembler: it has lines, but no entry in the debug information. */
	.text
	.globl main
	.type main, @function
main:
	subq $8, %rsp
	leaq tag(%rip), %rdi
	call mark@PLT /* @assembler */
	xorl %eax, %eax
	addq $8, %rsp
	ret
	.size main, . - main

	.section .rodata
tag:
	.string "assembler"
	.section .note.GNU-stack, "", @progbits
