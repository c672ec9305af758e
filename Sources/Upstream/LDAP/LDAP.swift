// LDAP: users and photos of a directory, by libldap: Active Directory, OpenLDAP and others.
//
// In: an LDAPSettings.
// Out: the same services as over HTTP (Services+LDAP.swift), whose records come from entries
// (EntryReader.swift). LDAPFailure.swift makes an UpstreamError of a result code.
//
// Start: LDAPDirectory.swift keeps the connections and reads page by page (ListProgress.swift);
// LDAPConnection.swift connects, binds and searches. Ticket.swift is about Kerberos,
// LDAPConnection+Servers.swift about which server is asked.
//
// Threads: libldap blocks, so each directory has two serial queues, one for the list and one for photos
// (BlockingThread.swift). A cancelled caller returns at once, and the socket is cut.
