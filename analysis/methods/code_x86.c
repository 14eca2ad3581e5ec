/*
 * One pass of linear disassembly a function. In position-independent code every address is relative to the
 * instruction pointer, so all are found. In a program linked to a fixed address an absolute address looks
 * like any number: one within a section of the program counts as an address. Should it be a number after all, it still
 * differs from every other number, as its name and offset do.
 */
#include "analysis/methods/code_x86.h"

#include <Zydis/Zydis.h>
#include <string.h>

struct scan {
	ZydisDecoder decoder;
	ZydisDecoderContext context;
	ZydisDecodedInstruction insn;
	struct pe_refs *out;
	const struct pe_image *image;
	uint64_t start, n; /* of the scan */
	uint64_t at;       /* offset of the instruction */
};

static void start(ZydisDecoder *decoder)
{
	ZydisDecoderInit(decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
}

static void add(struct scan *scan, enum pe_ref_kind kind, uint64_t target, unsigned offset,
		unsigned bits, uint16_t bytes)
{
	struct pe_ref ref = {.target = target,
			     .at = (uint32_t)(scan->at + offset),
			     .bytes = bytes,
			     .width = (uint8_t)(bits / 8),
			     .kind = (uint8_t)kind};

	pe_vec_push(&scan->out->list, ref);
}

/* Bytes that the instruction's memory operand covers; 0: only its address is taken. */
static uint16_t access_bytes(const struct scan *scan)
{
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&scan->decoder, &scan->context, &scan->insn,
						     operands, scan->insn.operand_count)))
		return 0;
	for (unsigned i = 0; i < scan->insn.operand_count; i++)
		if (operands[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
		    operands[i].visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN)
			return operands[i].mem.type == ZYDIS_MEMOP_TYPE_MEM ? operands[i].size / 8
									    : 0;
	return 0;
}

static bool is_address(const struct pe_image *image, uint64_t value)
{
	const struct pe_section *section = image->fixed ? pe_image_section(image, value) : NULL;

	return section != NULL && section->content;
}

static void add_memory(struct scan *scan, uint64_t target, bool indexed)
{
	const uint16_t bytes = indexed ? 0 : access_bytes(scan);

	add(scan, bytes > 0 ? PE_REF_ACCESS : PE_REF_POINTER, target, scan->insn.raw.disp.offset,
	    scan->insn.raw.disp.size, bytes);
}

static void look_at_displacement(struct scan *scan)
{
	const ZydisDecodedInstruction *insn = &scan->insn;
	const int64_t value = insn->raw.disp.value;
	const bool has_modrm = (insn->attributes & ZYDIS_ATTRIB_HAS_MODRM) != 0;
	bool bare;

	if (insn->raw.disp.size != 32)
		return;
	if (has_modrm && insn->raw.modrm.mod == 0 && insn->raw.modrm.rm == 5) {
		add_memory(scan, scan->start + scan->at + insn->length + (uint64_t)value, false);
		return;
	}
	bare = has_modrm && insn->raw.modrm.mod == 0 && insn->raw.modrm.rm == 4 &&
	       insn->raw.sib.base == 5 && insn->raw.sib.index == 4;
	if (bare && (insn->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_FS) != 0) {
		const uint64_t align = scan->image->tls_align > 0 ? scan->image->tls_align : 1;
		const uint64_t offset =
			(uint64_t)value + (scan->image->tls_size + align - 1) / align * align;

		if (value < 0 && offset < scan->image->tls_size)
			add(scan, PE_REF_TLS, offset, insn->raw.disp.offset, 32, 0);
		return;
	}
	if (is_address(scan->image, (uint64_t)value))
		add_memory(scan, (uint64_t)value, !bare);
}

/*
 * Whether a number in an instruction of a fixed program may be an address: compilers move and push those, and
 * compare or add them 64 bits wide; into the midst of code only the function itself takes one.
 */
static bool may_be_address(const struct scan *scan, uint64_t value)
{
	const struct pe_image *image = scan->image;
	const struct pe_atom *atom;
	uint64_t slot;

	switch (scan->insn.mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_PUSH:
		break;
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		if (scan->insn.operand_width == 64)
			break;
		return false;
	default:
		return false;
	}
	if (!is_address(image, value))
		return false;
	if (!pe_image_section(image, value)->code || value - scan->start < scan->n)
		return true;
	atom = pe_image_atom(image, value);
	return atom != NULL ? atom->addr == value : pe_x86_stub(&slot, image, value);
}

static void look_at_immediates(struct scan *scan)
{
	const ZydisDecodedInstruction *insn = &scan->insn;

	for (int i = 0; i < 2 && insn->raw.imm[i].size > 0; i++) {
		const uint64_t value = insn->raw.imm[i].value.u;
		const unsigned offset = insn->raw.imm[i].offset, bits = insn->raw.imm[i].size;

		if (insn->raw.imm[i].is_relative) {
			const uint64_t target = scan->at + insn->length + value;

			if (target >= scan->n)
				add(scan, PE_REF_BRANCH, scan->start + target, offset, bits, 0);
		} else if (bits >= 32 && may_be_address(scan, value)) {
			add(scan, PE_REF_POINTER, value, offset, bits, 0);
		} else if (bits == 32 && insn->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT &&
			   (insn->opcode & 0xf8) == 0xb8 && value > 0 && value < 1 << 20) {
			add(scan, PE_REF_NUMBER, value, offset, bits, 0);
		}
	}
}

uint64_t pe_x86_scan(struct pe_refs *out, const struct pe_image *image, uint64_t addr,
		     const unsigned char *bytes, uint64_t n)
{
	uint64_t used = 0;
	struct scan scan = {.out = out, .image = image, .start = addr, .n = n};

	start(&scan.decoder);
	while (scan.at < n) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&scan.decoder, &scan.context,
								bytes + scan.at, n - scan.at,
								&scan.insn))) {
			used = ++scan.at;
			continue;
		}
		look_at_displacement(&scan);
		look_at_immediates(&scan);
		if (scan.insn.mnemonic == ZYDIS_MNEMONIC_CPUID ||
		    scan.insn.mnemonic == ZYDIS_MNEMONIC_XGETBV)
			out->asks = true;
		scan.at += scan.insn.length;
		if (scan.insn.mnemonic != ZYDIS_MNEMONIC_NOP &&
		    scan.insn.mnemonic != ZYDIS_MNEMONIC_INT3)
			used = scan.at;
	}
	return used;
}

bool pe_x86_padding(const unsigned char *bytes, uint64_t n)
{
	ZydisDecoder decoder;
	ZydisDecodedInstruction insn;
	uint64_t at = 0;

	start(&decoder);
	while (at < n) {
		if (bytes[at] == 0x00 || bytes[at] == 0xcc || bytes[at] == 0x66) {
			at++; /* prefixes that stretch the no-op behind them */
			continue;
		}
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, bytes + at, n - at,
								&insn)) ||
		    (insn.mnemonic != ZYDIS_MNEMONIC_NOP && bytes[at] != 0x90))
			return false;
		at += insn.length;
	}
	return true;
}

bool pe_x86_stub(uint64_t *slot, const struct pe_image *image, uint64_t addr)
{
	const struct pe_section *section = pe_image_section(image, addr);
	ZydisDecoder decoder;
	ZydisDecodedInstruction insn;
	uint64_t at;

	if (section == NULL || section->bytes == NULL || strncmp(section->name, ".plt", 4) != 0)
		return false;
	start(&decoder);
	at = addr - section->addr;
	for (int i = 0; i < 2 && at < section->size; i++) {
		if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, section->bytes + at,
								section->size - at, &insn)))
			return false;
		at += insn.length;
		if (insn.mnemonic != ZYDIS_MNEMONIC_JMP)
			continue;
		if (insn.raw.modrm.mod != 0 || insn.raw.modrm.rm != 5 || insn.raw.disp.size != 32)
			return false;
		*slot = section->addr + at + (uint64_t)insn.raw.disp.value;
		return true;
	}
	return false;
}
