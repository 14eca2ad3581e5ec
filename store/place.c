/* statfs(2) is Linux's. */
#define _GNU_SOURCE
#include "store/place.h"

#include <string.h>
#include <sys/vfs.h>

static const struct {
	unsigned type;
	const char *name;
} networks[] = {
	{0x6969, "NFS"},       {0x517b, "SMB"},        {0xff534d42, "CIFS"},
	{0xfe534d42, "SMB"},   {0x5346414f, "AFS"},    {0x6b414653, "AFS"},
	{0x73757245, "Coda"},  {0x0bd00bd0, "Lustre"}, {0x00c36400, "Ceph"},
	{0x01021997, "9P"},    {0x47504653, "GPFS"},   {0x19830326, "BeeGFS"},
	{0x7461636f, "OCFS2"}, {0x01161970, "GFS2"},   {0x65735546, "FUSE"},
	{0x564c, "NCP"},       {0xaad7aaea, "PanFS"},  {0x20030528, "OrangeFS"},
};

const char *pe_network_name(long type)
{
	for (size_t i = 0; i < sizeof(networks) / sizeof(networks[0]); i++)
		if (networks[i].type == (unsigned)type)
			return networks[i].name;
	return NULL;
}

const char *pe_network_of(const char *path)
{
	struct pe_text folder = PE_TEXT_INIT;
	const char *slash = strrchr(path, '/');
	struct statfs info;
	int rc = statfs(path, &info);

	if (rc < 0) {
		pe_text_addn(&folder, path, slash != NULL ? (size_t)(slash - path) + 1 : 0);
		rc = statfs(slash != NULL ? folder.data : ".", &info);
		pe_text_release(&folder);
	}
	return rc < 0 ? NULL : pe_network_name((long)info.f_type);
}

int pe_place_check(struct pe_store *store, struct pe_err *err)
{
	int moved = 0;

	sqlite3_file_control(store->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
	if (moved == 0)
		return PE_OK;
	return pe_fail(
		err, PE_ESTORE,
		"%s was deleted or replaced while perfevo was writing to it: what it held and what was measured since then are lost, unless you have a copy; run the same command again to measure what is missing",
		store->path);
}

const char *pe_store_network(const struct pe_store *store)
{
	return store->network;
}
