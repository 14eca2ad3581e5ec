/* Program size: what segments say, and what is no program. */
#include "core/exec/program_size.h"
#include "tests/support/test.h"

#include <elf.h>

enum { SEGMENTS = 4 };

struct image {
	Elf64_Ehdr header;
	Elf64_Phdr segments[SEGMENTS];
};

static struct image image_of_program(void)
{
	struct image image = {
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
			   .e_phoff = sizeof(Elf64_Ehdr),
			   .e_phentsize = sizeof(Elf64_Phdr),
			   .e_phnum = SEGMENTS},
		.segments = {{.p_type = PT_INTERP, .p_filesz = 28, .p_memsz = 28},
			     {.p_type = PT_LOAD, .p_flags = PF_R, .p_filesz = 100, .p_memsz = 100},
			     {.p_type = PT_LOAD,
			      .p_flags = PF_R | PF_X,
			      .p_filesz = 1000,
			      .p_memsz = 1000},
			     {.p_type = PT_LOAD,
			      .p_flags = PF_R | PF_W,
			      .p_filesz = 10,
			      .p_memsz = 50}},
	};

	return image;
}

Test(program_size, is_that_of_what_is_loaded)
{
	struct image image = image_of_program();
	struct pe_program_size size;

	cr_assert(pe_program_size_parse(&size, &image, sizeof(image)));
	cr_expect(eq(u64, size.text_bytes, 1100));
	cr_expect(eq(u64, size.data_bytes, 50));
}

Test(program_size, what_is_cut_or_claims_too_much_has_none)
{
	struct pe_program_size size;

	for (size_t n = 0; n < sizeof(struct image); n++) {
		struct image image = image_of_program();

		cr_expect(not(pe_program_size_parse(&size, &image, n)), "%zu bytes", n);
	}
	for (int fault = 0; fault < 5; fault++) {
		struct image image = image_of_program();

		switch (fault) {
		case 0:
			image.header.e_ident[EI_CLASS] = ELFCLASS32;
			break;
		case 1:
			image.header.e_phentsize = 0;
			break;
		case 2:
			memset(&image.header.e_phoff, 0xff, sizeof(image.header.e_phoff));
			break;
		case 3:
			image.header.e_phnum = 0xffff;
			break;
		default:
			memset(&image.segments[1].p_filesz, 0xff,
			       sizeof(image.segments[1].p_filesz));
		}
		cr_expect(not(pe_program_size_parse(&size, &image, sizeof(image))), "fault %d",
			  fault);
	}
}

Test(program_size, is_known_of_regular_files_alone)
{
	struct pe_program_size size;

	cr_assert(pe_program_size_of(&size, "/proc/self/exe"));
	cr_expect(gt(u64, size.text_bytes, 1000));
	cr_expect_text("0 0 0 0", pe_program_size_of(&size, "/dev/zero"),
		       pe_program_size_of(&size, "/"), pe_program_size_of(&size, "/etc/passwd"),
		       pe_program_size_of(&size, "/nowhere/program"));
}
