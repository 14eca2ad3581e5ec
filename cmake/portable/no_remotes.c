/*
 * What libgit2 wants from libssh2 and GSSAPI, of which Debian has no static archive or one with all of OpenSSL behind
 * it. perfevo has git itself speak with remotes (vcs/remote.c) and calls none of these: a call ends the program.
 */
#include <stdlib.h>

int libssh2_init(int flags);
void libssh2_exit(void);

/* Both are called as libgit2 begins and ends. */
int libssh2_init(int flags)
{
	(void)flags;
	return 0;
}

void libssh2_exit(void)
{
}

_Noreturn static void never(void)
{
	abort();
}

#define NEVER(name) void name(void) __attribute__((alias("never")))

NEVER(gss_delete_sec_context);
NEVER(gss_display_status);
NEVER(gss_import_name);
NEVER(gss_indicate_mechs);
NEVER(gss_init_sec_context);
NEVER(gss_release_buffer);
NEVER(gss_release_name);
NEVER(gss_release_oid_set);
NEVER(libssh2_agent_connect);
NEVER(libssh2_agent_disconnect);
NEVER(libssh2_agent_free);
NEVER(libssh2_agent_get_identity);
NEVER(libssh2_agent_init);
NEVER(libssh2_agent_list_identities);
NEVER(libssh2_agent_userauth);
NEVER(libssh2_channel_close);
NEVER(libssh2_channel_free);
NEVER(libssh2_channel_open_ex);
NEVER(libssh2_channel_process_startup);
NEVER(libssh2_channel_read_ex);
NEVER(libssh2_channel_set_blocking);
NEVER(libssh2_channel_write_ex);
NEVER(libssh2_hostkey_hash);
NEVER(libssh2_knownhost_checkp);
NEVER(libssh2_knownhost_free);
NEVER(libssh2_knownhost_init);
NEVER(libssh2_knownhost_readfile);
NEVER(libssh2_session_abstract);
NEVER(libssh2_session_disconnect_ex);
NEVER(libssh2_session_free);
NEVER(libssh2_session_handshake);
NEVER(libssh2_session_hostkey);
NEVER(libssh2_session_init_ex);
NEVER(libssh2_session_last_error);
NEVER(libssh2_session_method_pref);
NEVER(libssh2_session_set_blocking);
NEVER(libssh2_userauth_authenticated);
NEVER(libssh2_userauth_keyboard_interactive_ex);
NEVER(libssh2_userauth_list);
NEVER(libssh2_userauth_password_ex);
NEVER(libssh2_userauth_publickey);
NEVER(libssh2_userauth_publickey_fromfile_ex);
NEVER(libssh2_userauth_publickey_frommemory);

void *GSS_C_NT_HOSTBASED_SERVICE;
