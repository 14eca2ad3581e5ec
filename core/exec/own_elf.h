/* Own ELF: the headers of programs of this machine's word size. Private to the room. */
#ifndef PE_CORE_OWN_ELF_H
#define PE_CORE_OWN_ELF_H

#include <elf.h>
#include <stdint.h>

#if UINTPTR_MAX > 0xffffffffu
typedef Elf64_Ehdr pe_elf_header;
typedef Elf64_Phdr pe_elf_segment;
#define PE_ELF_CLASS       ELFCLASS64
#define PE_ELF_OTHER_CLASS ELFCLASS32
#else
typedef Elf32_Ehdr pe_elf_header;
typedef Elf32_Phdr pe_elf_segment;
#define PE_ELF_CLASS       ELFCLASS32
#define PE_ELF_OTHER_CLASS ELFCLASS64
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define PE_ELF_ORDER ELFDATA2LSB
#else
#define PE_ELF_ORDER ELFDATA2MSB
#endif

#endif
