//! Codes: downloads, indexes, plugins and what is installed.

macro_rules! clients {
    ({ $($before:tt)* } $next:ident $($rest:tt)*) => {
        $next! { {
            $($before)*
            // Downloads.
            UrlInvalid "url-invalid" Refused
                what "the address is not one that can be fetched"
                why "readers repair such an address in different ways, and then fetch different things"
                help "write it as https://host/path, percent-encoded, without white space, backslashes or control characters";
            UrlScheme "url-scheme" Refused
                what "the address is not https"
                why "over plain http anybody on the way can replace the file and its digest; other schemes read local files or speak to other services"
                help "publisher: publish over https; user: --allow-http allows plain http (a loopback address that you type needs no flag)";
            UrlUserinfo "url-userinfo" Refused
                what "the address contains a user name or password"
                why "`https://known.example@other.example/` leads to other.example, and passwords in addresses end up in logs"
                help "leave out everything up to the `@`";
            PrivateAddress "private-address" Refused
                what "the address leads to this machine or into a private network"
                why "a site could have this machine ask services that only it can reach, cloud metadata for one"
                help "publisher: publish on a public address; user: --allow-private allows it, where you know the site";
            HostNotAllowed "host-not-allowed" Refused
                what "the host is not one of those allowed"
                why "--allow-host asks that nothing be fetched from any other host"
                help "user: if you trust this host, add another --allow-host";
            TooManyRedirects "too-many-redirects" Refused
                what "the address is redirected too many times"
                why "a loop of redirects would never end, and a long chain hides where a file comes from"
                help "publisher: let the address lead to the file with five redirects at most; user: give the final address";
            ContentEncoding "content-encoding" Refused
                what "the server encoded the file on the way, and its digest does not match"
                why "nothing is decoded before the digest has matched: the digest is that of the file as it is sent"
                help "publisher: serve archives without Content-Encoding (nginx: gzip off; Apache: SetEnv no-gzip 1), or publish the digest of what is sent";
            HtmlPage "html-page" Refused
                what "the server sent a web page with status 200 in place of the file"
                why "the page of an application, a login or an error is no archive and no index"
                help "check the address; publisher: answer 404 for what does not exist, and exempt /.well-known/ from the application's routes";
            LengthMismatch "length-mismatch" Failed
                what "the body is shorter or longer than the server declared"
                why "the download was cut, or the server does not know what it sends; nothing of it is used"
                help "try again; publisher: send the Content-Length of exactly this file";
            HttpStatus "http-status" Failed
                what "the server did not answer with the file"
                why "only status 200 brings the file that was asked for"
                help "check the address and try again later";
            HttpMalformed "http-malformed" Failed
                what "the answer is not HTTP, or its headers are larger than the limit"
                why "nothing can be concluded from such an answer"
                help "check that the address is that of a web server, and try again later";
            Network "network" Failed
                what "the server cannot be reached"
                why "the name does not resolve, nothing listens there, or the connection broke"
                help "check the address and your connection; behind a proxy: --proxy";
            Tls "tls" Failed
                what "the server's certificate or its TLS is not acceptable"
                why "without it nothing tells whose server this is"
                help "publisher: renew or correct the certificate; user: --cacert FILE for a private certificate authority; there is no flag to skip the check";
            Timeout "timeout" Failed
                what "the server took too long"
                why "a slow or silent server must not hold the program"
                help "try again later";
            IndexDuplicateId "index-duplicate-id" Refused
                what "two entries of the index have one id"
                why "which of them is meant would be a guess"
                help "publisher: give each skill an id of its own, such as com.example.translate-v1";
            RobotsDenied "robots-denied" Refused
                what "robots.txt of the site does not allow this address to be fetched"
                why "Web Skills does not override the rules that a site gives to programs"
                help "publisher: allow the paths of the skills, for example Allow: /skills/";
            RobotsUnreachable "robots-unreachable" Failed
                what "robots.txt of the site cannot be had, and so nothing is fetched that it could forbid"
                why "a site that cannot say what programs may fetch is taken to forbid it (RFC 9309, 2.3.1.4)"
                help "try again later; publisher: serve robots.txt, or answer 404 where there is none";

            // Plugins.
            PluginJsonMissing "plugin-json-missing" Refused
                what "there is no regular file plugin.json at the root"
                why "a plugin is a directory with plugin.json in it; it is looked for nowhere else"
                help "publisher: put plugin.json at the root and pack the content of the plugin's directory: tar -czf plugin.tar.gz -C DIR .";
            PluginJsonInvalid "plugin-json-invalid" Refused
                what "plugin.json breaks the closed schema of Agent Plugins"
                why "but for unknown top-level fields and an `extensions` that is no object, every deviation rejects the plugin as a whole"
                help "publisher: correct the field that is named; client data belongs below `extensions` under a reverse domain name";
            PluginVersionUnsupported "plugin-version-unsupported" Refused
                what "the document targets another version of Agent Plugins"
                why "the version selects the rules; a client that guesses them would load something else than was written"
                help "publisher: target https://agent-plugins.org/schemas/1.0.0/plugin.schema.json, and mcp.schema.json of the same version in mcp.json";
            PluginPathOutside "plugin-path-outside" Refused
                what "a path of the package leads out of the plugin's directory"
                why "a package may use nothing but its own files"
                help "publisher: keep paths and the targets of links inside, relative, without more `..` than there are levels";

            // Indexes.
            IndexInvalid "index-invalid" Refused
                what "the index has not the form that its protocol wants, or is larger than the limit"
                why "what cannot be read in one way only is not guessed at"
                help "publisher: serve {\"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", \"skills\": [...]}; at most 1 MiB, 1000 entries, no key twice";
            IndexSchemaUnknown "index-schema-unknown" Refused
                what "the index names a format or a version that is not known"
                why "it names the format of the index; an index of another format must not be read by the rules of this one"
                help "publisher: version 0.2.0 is \"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", letter by letter";
            IndexEntryInvalid "index-entry-invalid" Refused
                what "an entry of the index is not complete and well-formed"
                why "an entry needs every field of its format; none of them is guessed"
                help "publisher: correct the entry (name, type, description, url and digest); the other entries are not touched by it";
            IndexDuplicateName "index-duplicate-name" Refused
                what "the index has several entries of this name"
                why "clients would install different ones: the first, the last, or both"
                help "publisher: give every skill a name of its own";
            NoArtifact "no-artifact" Refused
                what "the site offers nothing of this kind that a client could use"
                why "an index that can be read and gives nothing looks healthy and is not"
                help "see skillx index URL for what is published, and why it cannot be used";
            LockInvalid "lock-invalid" Refused
                what "the lock file cannot be used"
                why "a lock that is damaged pins nothing"
                help "restore skillx.lock from version control, or remove it and install without --locked";
            LockMismatch "lock-mismatch" Refused
                what "the site does not offer what the lock file pins"
                why "index and archive come from the same origin: only the lock shows that a skill is another one than before"
                help "compare old and new; then install without --locked (with --digest, where the site gives none), which writes the lock anew";

            // Audits.
            EntryUnusable "entry-unusable" Refused
                what "a client cannot use an entry of the index"
                why "an index that looks healthy and from which a client gets nothing is worse than none"
                help "publisher: correct the entries that are listed, and check the site again; user: the other entries can be used";
            ContentTypeOdd "content-type-odd" Finding
                what "an artifact is not served with the Content-Type that the specification wants"
                why "clients that go by the type take it for something else, or fall back on the extension of its address"
                help "publisher: serve .tar.gz as application/gzip, .zip as application/zip, SKILL.md as text/markdown or text/plain";

            // Installed skills.
            CatalogDuplicateName "catalog-duplicate-name" Refused
                what "several installed skills have one name"
                why "which of them is meant would be a guess; none of them is used"
                help "remove or rename all but one of them";
        } $($rest)* }
    };
}
pub(super) use clients;
