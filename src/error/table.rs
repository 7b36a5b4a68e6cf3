//! The one table of codes: class, what happened, why it is refused, what to do.
//!
//! Errors, `skillx explain` and the documentation are all generated from it.

use super::Class::{Failed, Finding, Refused, Usage};
use super::codes::{Explanation, codes};

codes! {
    // Paths: the name of a member.
    PathTraversal "path-traversal" Refused
        what "the name has a `..` component"
        why "an entry with `..` can overwrite files anywhere your user can write"
        help "publisher: build the archive from inside the skill directory: tar -czf skill.tar.gz -C DIR .";
    AbsolutePath "absolute-path" Refused
        what "the name is an absolute path"
        why "an absolute name points outside the skill directory; readers disagree on whether to strip the slash or obey it"
        help "publisher: build the archive from inside the skill directory, with relative names: tar -czf skill.tar.gz -C DIR .";
    PathEmpty "path-empty" Refused
        what "the name is empty, or a file or link stands where the skill directory itself is"
        why "readers drop such an entry, invent a name for it or replace the destination by it"
        help "publisher: rebuild the archive with a standard tool; every file and link needs a name";
    PathNul "path-nul" Refused
        what "the name contains a NUL byte"
        why "some readers cut the name at the NUL, others do not, so they install different files"
        help "publisher: rebuild the archive with a standard tool; names cannot contain NUL";
    PathNotUtf8 "path-not-utf8" Refused
        what "the name is not UTF-8"
        why "every reader guesses another encoding, so the same entry gets different names"
        help "publisher: rename the file, or pack under a UTF-8 locale (zip: a tool that writes UTF-8 names, such as Info-ZIP 3, 7z or Python)";
    PathControlChar "path-control-char" Refused
        what "the name contains a control character"
        why "control characters forge terminal output and log lines, and break scripts that list files"
        help "publisher: rename the file without control characters and pack again";
    PathInvisible "path-invisible" Refused
        what "the name contains an invisible, bidirectional or private-use character"
        why "two names that look the same would be different files, or a name would read differently from what it is"
        help "publisher: rename the file without the invisible character (joiners in emoji sequences are among them) and pack again";
    PathBackslash "path-backslash" Refused
        what "the name contains a backslash"
        why "on Windows it separates directories and elsewhere it does not, so readers install different trees"
        help "publisher: PowerShell 5 Compress-Archive and old .NET write such names; use PowerShell 7, tar.exe, 7z or Python instead";
    PathColon "path-colon" Refused
        what "the name contains a colon"
        why "on Windows a colon names a drive or a hidden data stream"
        help "publisher: rename the file without `:` and pack again";
    PathReservedChar "path-reserved-char" Refused
        what "the name contains one of * ? \" < > |"
        why "such a name cannot exist on Windows, and some readers replace the character by another one"
        help "publisher: rename the file without * ? \" < > | and pack again";
    PathReservedName "path-reserved-name" Refused
        what "a component of the name is a Windows device name"
        why "on Windows CON, NUL, COM1 and their like open a device, whatever the extension"
        help "publisher: rename the file or directory (for example `con` to `console`) and pack again";
    PathTrailingDotSpace "path-trailing-dot-space" Refused
        what "a component of the name ends in a dot or a space"
        why "Windows drops trailing dots and spaces, so the file would get another name there"
        help "publisher: rename the file without the trailing dot or space and pack again";
    PathShortName "path-short-name" Refused
        what "a component of the name has the shape of a Windows short name (GIT~1)"
        why "on Windows a short name can address another file of the same directory"
        help "publisher: rename the file so that no `~` is followed by digits at the end of a short name";
    PathForbidden "path-forbidden" Refused
        what "a component of the name is `.git` in some spelling"
        why "a `.git` directory carries hooks and configuration that git runs for whoever enters the directory"
        help "publisher: leave the repository out: tar --exclude-vcs, or git archive -o skill.tar.gz HEAD";
    PathKindMismatch "path-kind-mismatch" Refused
        what "the name and the recorded kind disagree on whether this is a file, a directory or a link"
        why "some readers make a directory or link of it and others a file"
        help "publisher: rebuild the archive with a standard tool; only directories end in a slash";
    ComponentTooLong "component-too-long" Refused
        what "a component of the name is longer than the limit"
        why "file systems refuse names over 255 bytes"
        help "publisher: shorten the file or directory name";
    PathTooLong "path-too-long" Refused
        what "the path is longer than the limit"
        why "long paths fail on some systems and cost every reader memory"
        help "publisher: shorten the path or use fewer nested directories";
    PathTooDeep "path-too-deep" Refused
        what "the path has more levels than the limit"
        why "deep trees exhaust the tools that walk them"
        help "publisher: use fewer nested directories; user: --max-depth raises the limit";
    LookalikeSkillMd "lookalike-skill-md" Refused
        what "a name at the root looks like SKILL.md but is not"
        why "a reader, or a file system that folds names, could load it in place of SKILL.md"
        help "publisher: the file must be named exactly SKILL.md (upper case, ASCII); rename or remove the look-alike";

    // Collisions: two members, one place.
    DuplicatePath "duplicate-path" Refused
        what "the same path occurs twice"
        why "some readers keep the first and some the last, so a scanner and an installer see different content"
        help "publisher: build the archive anew instead of appending to it; each file may occur once";
    PathCollision "path-collision" Refused
        what "two paths differ only in case or Unicode form"
        why "on Windows and macOS they are one file, and the last one written replaces the other"
        help "publisher: rename one of the two and pack again";
    FileDirConflict "file-dir-conflict" Refused
        what "a path is used both as a file and as a directory"
        why "no file system can hold both, so readers drop one of them"
        help "publisher: rename one of the two and pack again";

    // Links.
    LinkAbsolute "link-absolute" Refused
        what "a link points to an absolute path"
        why "it leaves the skill directory; what is read or written through it is a file of yours"
        help "publisher: make the link relative and inside the skill, or pack a copy (tar -h --hard-dereference, zip without -y)";
    LinkEscape "link-escape" Refused
        what "a link leads out of the skill directory or to its root, or has `..` after a name"
        why "what is read or written through it could be any file of yours"
        help "publisher: link only to files inside the skill, with `..` only at the start; or pack a copy (tar -h --hard-dereference, zip without -y)";
    LinkAsParent "link-as-parent" Refused
        what "an entry lies below a link"
        why "writing through a link is how archives escape their directory"
        help "publisher: store the entry under the real directory instead";
    LinkCycle "link-cycle" Refused
        what "links form a loop, a chain of more than 8, or point to a directory above themselves"
        why "tools that walk the tree would never end"
        help "publisher: point the link directly at a file or a directory beside it";
    LinkTargetMissing "link-target-missing" Refused
        what "a link points to nothing in the archive (hard links: to no earlier regular file)"
        why "what it will point to later is decided by somebody else"
        help "publisher: include the target, or pack a copy (tar -h --hard-dereference, zip without -y)";
    LinkTargetInvalid "link-target-invalid" Refused
        what "a link target is not a clean relative path, or the link is macOS metadata"
        why "readers and systems disagree on what such a target means"
        help "publisher: link with a plain relative path, at most 1024 bytes, without backslash, colon or control characters";
    LinksDenied "links-denied" Refused
        what "the archive contains a link, and links are denied here"
        why "--links deny asks for an archive without symbolic and hard links"
        help "publisher: pack copies (tar -h --hard-dereference, zip without -y); user: --links keep allows links inside the skill";

    // Kinds.
    SpecialFile "special-file" Refused
        what "the entry is a device, FIFO or socket"
        why "opening a device or FIFO has effects or never returns; a skill has no use for one"
        help "publisher: leave the special file out (zip from standard input marks entries as FIFO: pack from a file instead)";
    UnsupportedEntryType "unsupported-entry-type" Refused
        what "the entry is of a type that readers treat differently"
        why "some readers write such an entry as a file, some drop it, some make a directory of it"
        help "publisher: pack plain files, directories and links: tar --format=ustar or --format=pax";
    PayloadOnNonFile "payload-on-non-file" Refused
        what "a directory or link carries data"
        why "some readers skip the data and others read it as further entries: two different trees"
        help "publisher: rebuild the archive with a standard tool";
    SparseUnsupported "sparse-unsupported" Refused
        what "the entry is a sparse file"
        why "a few bytes expand to any size, and most readers do not agree on the result"
        help "publisher: pack without --sparse (-S)";

    // tar.
    TarDialect "tar-dialect" Refused
        what "a tar header is neither ustar nor GNU"
        why "older headers leave names and kinds to guesswork"
        help "publisher: use tar --format=ustar, pax or gnu (automake: add the tar-ustar or tar-pax option to AM_INIT_AUTOMAKE)";
    MixedTarDialect "mixed-tar-dialect" Refused
        what "pax and GNU extensions are mixed on one entry"
        why "readers differ on which of the two names or sizes wins"
        help "publisher: rebuild the archive with one format: tar --format=pax or --format=gnu";
    TarChecksum "tar-checksum" Refused
        what "a tar header has a wrong checksum"
        why "the header is damaged, or the stream is not a tar archive here; some readers stop silently at this point"
        help "publisher: rebuild the archive; user: if the digest matched, the file was published broken";
    TarNumeric "tar-numeric" Refused
        what "a numeric field of a tar header is not a number"
        why "some readers stop silently there and lose the entries after it, others read another number"
        help "publisher: rebuild the archive with a standard tool";
    TarHeader "tar-header" Refused
        what "a field of a tar header is used in a way readers do not agree on"
        why "the same header names different files in different readers"
        help "publisher: rebuild the archive with GNU tar, bsdtar or Python";
    TarSizeConflict "tar-size-conflict" Refused
        what "the pax size and the header size of one entry differ"
        why "readers that obey one of them see other entries than those that obey the other"
        help "publisher: rebuild the archive with a standard tool";
    TarTruncated "tar-truncated" Refused
        what "the archive ends inside an entry"
        why "the rest is missing; a half-written skill must not be installed"
        help "publisher: the archive was cut before it was compressed; build it again";
    TarNoEnd "tar-no-end" Refused
        what "the archive has no end marker (two zero blocks)"
        why "without it nobody can tell a complete archive from one that was cut between two entries"
        help "publisher: close the writer before publishing (Rust: Builder::finish or into_inner; Go: Close; Python: with tarfile.open(...))";
    TarTrailingData "tar-trailing-data" Refused
        what "there is data after the end marker"
        why "some readers would read further entries there: two different trees"
        help "publisher: do not append to a finished archive (cat a.tar b.tar); build it in one go";
    PaxMalformed "pax-malformed" Refused
        what "a pax header record is malformed"
        why "readers ignore the record, the whole header or the entry: three different results"
        help "publisher: rebuild the archive with a standard tool";
    PaxDuplicate "pax-duplicate" Refused
        what "a pax header sets path, linkpath or size twice"
        why "some readers take the first and some the last"
        help "publisher: rebuild the archive with a standard tool";
    PaxGlobalMember "pax-global-member" Refused
        what "a global pax header sets path, linkpath, size or hdrcharset"
        why "some readers apply it to every following entry and others ignore it"
        help "publisher: rebuild the archive; a global header may hold a comment, as git archive writes it";
    DanglingExtension "dangling-extension" Refused
        what "an extension header is not followed by the entry it belongs to"
        why "some readers carry it over to another entry and others drop it"
        help "publisher: rebuild the archive with a standard tool";

    // gzip and deflate.
    GzipHeader "gzip-header" Refused
        what "the gzip header is damaged, oversized or uses reserved bits"
        why "a reader cannot tell where the data begins"
        help "publisher: compress the archive again with gzip";
    GzipCrc "gzip-crc" Refused
        what "the gzip checksum or length does not match the data"
        why "the content is damaged; many readers never look"
        help "publisher: compress the archive again and publish the new digest";
    GzipTruncated "gzip-truncated" Refused
        what "the gzip stream ends too early"
        why "the rest is missing; a half-written skill must not be installed"
        help "publisher: the upload or build was cut; build the archive again; user: download it again";
    GzipMultiMember "gzip-multi-member" Refused
        what "the file holds more than one gzip member"
        why "many readers stop after the first member and install a part of the archive"
        help "publisher: compress in one stream with gzip (bgzip, `cat a.gz b.gz` and appending compressors write several members)";
    GzipTrailingData "gzip-trailing-data" Refused
        what "there is data after the gzip member"
        why "nothing tells what it is; readers ignore it, fail on it or unpack it"
        help "publisher: publish exactly what gzip wrote, without signatures, newlines or trailers behind it";
    DeflateInvalid "deflate-invalid" Refused
        what "the compressed data is damaged"
        why "nothing after the damage can be trusted"
        help "publisher: compress the archive again; user: if the digest matched, the file was published broken";

    // zip.
    ZipHeaderMismatch "zip-header-mismatch" Refused
        what "the local header and the central directory disagree on an entry"
        why "some readers believe one and some the other: two different trees"
        help "publisher: rebuild the archive with a standard tool instead of patching it";
    ZipHiddenEntry "zip-hidden-entry" Refused
        what "the file holds an entry that the central directory does not list"
        why "readers that stream the file install it, the others never see it"
        help "publisher: rebuild the archive instead of deleting entries in place";
    ZipOverlap "zip-overlap" Refused
        what "two entries share bytes of the file"
        why "overlapping entries are how a small file expands to terabytes"
        help "publisher: rebuild the archive with a standard tool";
    ZipUnaccountedData "zip-unaccounted-data" Refused
        what "the file holds bytes that belong to no record"
        why "other readers may find another archive there (self-extractors, polyglots, gaps)"
        help "publisher: build a plain zip: no self-extractor stub, signature block or padding between entries";
    ZipTrailingData "zip-trailing-data" Refused
        what "there is data after the end of the zip"
        why "readers disagree on which end record counts when data follows it"
        help "publisher: publish exactly what the zip tool wrote";
    ZipEocd "zip-eocd" Refused
        what "the end record of the zip is missing, damaged or not the only candidate"
        why "readers find different directories depending on how they search for it"
        help "publisher: rebuild the archive; user: the download may be cut";
    ZipCount "zip-count" Refused
        what "the number of entries does not match the end record"
        why "readers that believe the number lose entries"
        help "publisher: rebuild the archive with a standard tool";
    ZipMultiDisk "zip-multi-disk" Refused
        what "the zip says it spans several disks"
        why "a part of the archive is elsewhere"
        help "publisher: build a single-file zip (no -s, no split volumes)";
    ZipZip64 "zip-zip64" Refused
        what "the zip64 records contradict the others or are malformed"
        why "readers that know zip64 see another directory than those that do not"
        help "publisher: rebuild the archive with a standard tool";
    ZipDataDescriptor "zip-data-descriptor" Refused
        what "a data descriptor is missing, wrong or ambiguous"
        why "readers that stream the file would cut the entry at another place"
        help "publisher: write the zip to a file instead of a pipe, or compress the entry (deflate)";
    ZipCrc "zip-crc" Refused
        what "an entry's checksum does not match its data"
        why "the content is damaged"
        help "publisher: rebuild the archive and publish the new digest";
    ZipSizeMismatch "zip-size-mismatch" Refused
        what "an entry is shorter or longer than it says"
        why "readers cut it at different places"
        help "publisher: rebuild the archive with a standard tool";
    ZipMethod "zip-method" Refused
        what "an entry is compressed with a method other than store or deflate"
        why "many readers cannot read it, so clients would install different trees"
        help "publisher: pack with deflate: zip -r, 7z a -tzip -mm=Deflate";
    ZipFlag "zip-flag" Refused
        what "an entry uses a flag that readers treat differently"
        why "patched, masked or reserved data is read differently or not at all"
        help "publisher: rebuild the archive with a standard tool";
    ZipVersion "zip-version" Refused
        what "an entry needs a newer zip version than the specification has"
        why "no reader knows what it means"
        help "publisher: rebuild the archive with a standard tool";
    ZipEncrypted "zip-encrypted" Refused
        what "an entry is encrypted"
        why "a skill must be readable by everybody who checks it"
        help "publisher: pack without a password";
    ZipUnicodePath "zip-unicode-path" Refused
        what "the Unicode path field gives another name than the entry"
        why "some readers use one name and some the other"
        help "publisher: rebuild the archive with a tool that writes UTF-8 names";
    ZipExtra "zip-extra" Refused
        what "an extra field is malformed, repeated or of a kind that changes the entry for some readers"
        why "some readers would make another file, name or link of it"
        help "publisher: rebuild the archive with a standard tool (Info-ZIP: zip -X leaves extra fields out)";
    ZipComment "zip-comment" Refused
        what "a comment contains control bytes or record signatures"
        why "a comment can hide a second archive, and is printed by tools"
        help "publisher: remove the comment (zip -z)";

    // Limits: all counted on real bytes.
    LimitArchive "limit-archive" Refused
        what "the archive is larger than the limit"
        why "the limit bounds memory and time"
        help "user: if you trust the source, --max-archive raises it; publisher: make the archive smaller";
    LimitTotal "limit-total" Refused
        what "the unpacked content is larger than the limit"
        why "a small archive can expand to fill the disk"
        help "user: if you trust the source, --max-total raises it; publisher: make the skill smaller";
    LimitFile "limit-file" Refused
        what "one file is larger than the limit"
        why "the limit bounds memory, disk and time"
        help "user: if you trust the source, --max-file raises it; publisher: make the file smaller";
    LimitEntries "limit-entries" Refused
        what "the archive has more entries than the limit"
        why "each entry costs an inode, memory and time, even when empty"
        help "user: if you trust the source, --max-entries raises it; publisher: pack fewer files";
    LimitRatio "limit-ratio" Refused
        what "the content expands more than the limit allows"
        why "honest files do not compress that far; decompression bombs do"
        help "user: if you trust the source, --max-ratio raises it; publisher: leave generated filler out";
    LimitMetadata "limit-metadata" Refused
        what "headers, long names or directory records are larger than the limit"
        why "metadata is held in memory before anything is known about it"
        help "publisher: pack without extended attributes and long comments (tar --no-xattrs, COPYFILE_DISABLE=1, zip -X)";
    LimitTime "limit-time" Failed
        what "the run took longer than the limit"
        why "the limit keeps a hostile archive from holding the program"
        help "user: try again on a quieter machine, or raise --max-time";

    // Digest.
    DigestMismatch "digest-mismatch" Refused
        what "the file is not the one the digest names"
        why "it was damaged, replaced or tampered with; nothing of it was read further"
        help "user: download it again and get the digest from the publisher; publisher: publish the digest of exactly this file";
    DigestSyntax "digest-syntax" Usage
        what "the digest is not well-formed"
        why "a digest that is repaired silently is no check"
        help "write it as sha256: followed by 64 lower-case hex digits";
    DigestMissing "digest-missing" Usage
        what "there is no digest to check the file against"
        why "without one nothing tells whether this is the file the publisher meant"
        help "pass --digest, put a sidecar file ARCHIVE.sha256 beside it, or say --allow-unverified";

    // Shape.
    FormatMismatch "format-mismatch" Refused
        what "the file is not of the type its name or sender declares"
        why "clients that go by the name and clients that go by the content would read different things"
        help "publisher: name a gzip-compressed tar .tar.gz and a zip .zip, and send the matching Content-Type";
    NotAnArchive "not-an-archive" Refused
        what "the file is neither a .tar.gz nor a .zip"
        why "only these two formats are skill archives"
        help "publisher: pack with tar -czf or zip -r; user: an HTML page here means that the download address was wrong";
    EmptyArchive "empty-archive" Refused
        what "the archive holds no entries"
        why "there is nothing to install"
        help "publisher: pack the content of the skill directory: tar -czf skill.tar.gz -C DIR .";

    // Layout.
    SkillMdMissing "skill-md-missing" Refused
        what "there is no SKILL.md at the root of the archive"
        why "a skill is a directory with SKILL.md in it"
        help "publisher: pack the content of the skill directory, not the directory: tar -czf skill.tar.gz -C DIR .; user: --layout any checks other archives";
    SkillMdNotRegular "skill-md-not-regular" Refused
        what "SKILL.md is not a regular file"
        why "a link or directory in its place can be made to mean something else later"
        help "publisher: store SKILL.md as a regular file: tar -h --hard-dereference, zip without -y";
    SkillMdInvalid "skill-md-invalid" Refused
        what "SKILL.md is not a valid skill file"
        why "clients read its name and description before anything else"
        help "publisher: begin SKILL.md with a line `---`, then name: and description:, then a line `---` (quote values that contain `: `)";
    SkillNameMismatch "skill-name-mismatch" Refused
        what "the skill's name is not the expected one"
        why "the index or caller promised another skill"
        help "publisher: use the same name in the index and in SKILL.md";
    WrapperDirectory "wrapper-directory" Refused
        what "the skill lies in a directory of its own inside the archive"
        why "the specification wants SKILL.md at the root; guessing a root is how wrong files get installed"
        help "publisher: pack from inside: tar -czf skill.tar.gz -C DIR .; user: --strip-root takes the wrapper away";

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
        help "try again later";    IndexDuplicateId "index-duplicate-id" Refused
        what "two entries of the index have one id"
        why "which of them is meant would be a guess"
        help "publisher: give each skill an id of its own, such as com.example.translate-v1";
    RobotsDenied "robots-denied" Refused
        what "robots.txt of the site does not allow this address to be fetched"
        why "Web Skills does not override the rules that a site gives to programs"
        help "publisher: allow the paths of the skills, for example Allow: /skills/";

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
        what "the index is not a JSON object with a list `skills`, or is larger than the limit"
        why "what cannot be read in one way only is not guessed at"
        help "publisher: serve {\"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", \"skills\": [...]}; at most 1 MiB, 1000 entries, no key twice";
    IndexSchemaUnknown "index-schema-unknown" Refused
        what "the `$schema` of the index is not one that is known"
        why "it names the format of the index; an index of another format must not be read by the rules of this one"
        help "publisher: version 0.2.0 is \"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", letter by letter";
    IndexEntryInvalid "index-entry-invalid" Refused
        what "an entry of the index is not complete and well-formed"
        why "an entry needs name, type, description, url and digest; none of them is guessed"
        help "publisher: correct the entry; the other entries are not touched by it";
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
        help "compare old and new; then install without --locked, which writes the lock anew";

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

    // Destination and machine.
    LocalEdits "local-edits" Failed
        what "the installed skill has been changed locally"
        why "an update would overwrite somebody's work"
        help "see skillx verify for the changes; keep a copy, then say --force to overwrite them";
    DestExists "dest-exists" Failed
        what "the destination already exists"
        why "skillx never merges into or overwrites what is there"
        help "choose another --output, remove it, or say --replace if it is an older version of this skill";
    DestIsSymlink "dest-is-symlink" Failed
        what "the destination is a symbolic link"
        why "writing through a link changes a directory you may not have meant"
        help "name the real directory with --output, or remove the link";
    DestNotASkill "dest-not-a-skill" Failed
        what "the destination cannot be replaced: skillx could not have made it"
        why "--replace takes a whole tree away; only a directory with a regular SKILL.md is taken for an older skill"
        help "choose another --output, or remove the directory yourself";
    ReplaceUnsupported "replace-unsupported" Failed
        what "this file system cannot exchange two directories in one step"
        why "without that, a crash between two steps would lose the old tree"
        help "remove the old directory yourself, or install to another file system";
    ConcurrentInstall "concurrent-install" Failed
        what "the destination appeared while this run was working"
        why "another program installed there first; its result stands"
        help "nothing to do if the other run installed the same skill; else say --replace";
    DiskFull "disk-full" Failed
        what "there is no space (or quota) left"
        why "nothing partial is kept"
        help "free some space and try again";
    Io "io" Failed
        what "the operating system reported an error"
        why "nothing partial is kept"
        help "see the message; try again when the cause is gone";
    ReceiptInvalid "receipt-invalid" Refused
        what "the receipt cannot be used"
        why "a receipt that is damaged, or was put there by somebody else, says nothing about the tree"
        help "install the skill again with --force, or remove the receipt";
    ReceiptMissing "receipt-missing" Refused
        what "there is no receipt: the tree is unverified"
        why "without a receipt nothing is known of where the files came from and whether they have changed"
        help "install the skill with skillx install, or extract it with verify-extract --receipt FILE";
    TreeChanged "tree-changed" Refused
        what "the tree is not what was installed"
        why "somebody or something has changed the files since they were verified"
        help "look at the changes; skillx install --force puts the published skill back";
    Cancelled "cancelled" Failed
        what "the run was cancelled"
        why "nothing partial is kept"
        help "run it again";
    Internal "internal" Failed
        what "skillx itself is at fault"
        why "an assumption of the program did not hold; nothing partial is kept"
        help "please report it with the archive, or its digest and where it is published";
    Usage "usage" Usage
        what "the call does not make sense as it stands"
        why "a guess could replace or install the wrong thing"
        help "see skillx --help";

    // Publishing.
    PackDiffers "pack-differs" Refused
        what "the archive is not what the directory packs to"
        why "what is published would be another tree, or other bytes, than the one that was reviewed"
        help "publisher: pack again, and commit the result: skillx pack DIR -o FILE";

    // Findings: reported, and refused only when --deny asks for it.
    SkillNameForm "skill-name-form" Finding
        what "the skill's name is not 1-64 characters of a-z, 0-9 and single inner hyphens"
        why "an index cannot carry such a name, and some clients do not load the skill"
        help "publisher: rename the skill, for example `PDF tools` to `pdf-tools`";
    SkillNameDirectory "skill-name-directory" Finding
        what "the skill's name is not the name of its directory"
        why "the specification wants them equal, and some clients skip the skill otherwise"
        help "publisher: rename the directory or the skill";
    SkillDescriptionLong "skill-description-long" Finding
        what "the description is longer than 1024 characters"
        why "an index cannot carry it, and some clients cut it or do not load the skill"
        help "publisher: shorten the description";
    SkillUnknownKey "skill-unknown-key" Finding
        what "the frontmatter has a key that the specification does not know"
        why "some validators refuse the file"
        help "publisher: move it below `metadata:`";
    SkillBom "skill-bom" Finding
        what "SKILL.md begins with a byte order mark"
        why "some readers do not see the frontmatter behind it"
        help "publisher: save the file as UTF-8 without BOM";
    IndexTypeUnknown "index-type-unknown" Finding
        what "the index has an entry of an unknown type"
        why "clients skip what they do not know, so nobody gets this skill"
        help "publisher: the types are \"skill-md\" and \"archive\"";
    IndexSchemaMissing "index-schema-missing" Finding
        what "the index has no `$schema`: it is taken for version 0.1.0, which has no digests"
        why "nothing shows that the files are those that were published"
        help "publisher: add \"$schema\": \"https://schemas.agentskills.io/discovery/0.2.0/schema.json\", and type, url and digest to every entry";
    IndexDescriptionDiffers "index-description-differs" Finding
        what "the description in the index is not that of SKILL.md"
        why "a model chooses the skill by the one and gets the other"
        help "publisher: make the index from the SKILL.md files";
    IndexOtherHost "index-other-host" Finding
        what "the artifact lies on another host than the index"
        why "it is pinned by its digest, but two hosts are then trusted to be there"
        help "user: --allow-host HOST limits the hosts that are fetched from";
    AgentConfig "agent-config" Finding
        what "the skill brings configuration that an agent or editor may load by itself"
        why "instructions, servers, hooks or tasks would take effect without anybody having chosen them"
        help "publisher: leave the file out, or say in SKILL.md what it is for; user: read it before the skill goes where it would be loaded";
    ToolAutoload "tool-autoload" Finding
        what "the skill brings a file that a tool runs or obeys when it works in the directory"
        why "npm, direnv, pytest, Python, make or git would act on it without anybody having asked"
        help "publisher: leave the file out, or say in SKILL.md what it is for; user: read it before such a tool runs there";
    ShadowingFile "shadowing-file" Finding
        what "a file can be loaded or opened in place of the one that it looks like"
        why "compiled files come before the source that was reviewed, and a second extension hides the first"
        help "publisher: leave compiled files out, and give files one extension";
    OsAutoload "os-autoload" Finding
        what "Windows acts on such a file when a folder is merely shown"
        why "a shortcut or library file can make Windows send the user's credentials to another machine"
        help "publisher: leave the file out";
    HiddenText "hidden-text" Finding
        what "SKILL.md contains characters that are not shown, or that change the order of others"
        why "an agent reads instructions there that a person who reviews the file does not see"
        help "publisher: remove the characters; user: look at the file in an editor that shows them";
    HtmlComment "html-comment" Finding
        what "SKILL.md contains an HTML comment"
        why "an agent reads it, and a person who looks at the rendered page does not"
        help "publisher: say it in the open, or leave it out; user: read the source of SKILL.md";
    LongLine "long-line" Finding
        what "SKILL.md has a very long line"
        why "its end lies beyond what an editor or a review shows"
        help "publisher: break the line; user: read it to its end";
    LoadCommand "load-command" Finding
        what "SKILL.md has a line with !`command`, which some hosts run when they load the skill"
        why "the command runs before anybody has asked the skill to do something"
        help "publisher: describe the command instead; user: read it before the skill is installed";
    FrontmatterHooks "frontmatter-hooks" Finding
        what "the frontmatter of SKILL.md has the key `hooks`"
        why "some hosts run such commands by themselves, on events that have nothing to do with the skill"
        help "publisher: leave the hooks to the user's own settings; user: read them before the skill is installed";
    AllowedTools "allowed-tools" Finding
        what "the frontmatter of SKILL.md has the key `allowed-tools`"
        why "some hosts then let the skill use these tools without asking"
        help "user: see whether the skill needs them; your agent's own settings still decide";
    HomoglyphSibling "homoglyph-sibling" Finding
        what "two names in one directory look the same"
        why "a person or an agent can take one file for the other"
        help "publisher: rename one of them";
    NativeExecutable "native-executable" Finding
        what "the skill contains a program in machine code"
        why "nobody can review it by reading it"
        help "publisher: ship the source, or say where the binary comes from and how to build it";
    NestedArchive "nested-archive" Finding
        what "the skill contains an archive"
        why "what is in it has not been checked"
        help "publisher: pack the files themselves; user: check it on its own: skillx check FILE --layout any";
    LargeFile "large-file" Finding
        what "a file is unusually large for a skill"
        why "of 77 public skills none holds a file of more than 1 MiB; large data can hide what matters, and some clients stop"
        help "publisher: let a script fetch large data, with a digest";
    NestedSkillMd "nested-skill-md" Finding
        what "there is another SKILL.md below the root"
        why "some clients search the tree and load it as a skill of its own; only the one at the root has been checked"
        help "publisher: publish it as a skill of its own, or give the file another name";
    PortabilityDotEntries "portability-dot-entries" Finding
        what "names begin with `./`"
        why "npx skills 1.7, skill-deck and agentsync refuse such an archive, or do not find SKILL.md in it"
        help "publisher: skillx pack DIR, or (cd DIR && tar -czf ../skill.tar.gz *)";
    PortabilityLarge "portability-large" Finding
        what "the skill is larger than some clients allow"
        why "npx skills 1.7 and skill-deck stop at 1000 files or 50 MiB, fast-agent at 50 MiB or an archive of 10 MiB"
        help "publisher: leave out what the skill does not need, or let a script fetch it";
    PortabilitySmallLimits "portability-small-limits" Finding
        what "the skill has more than 20 files or 1 MiB"
        why "microsoft/agent-framework refuses it with its default limits"
        help "publisher: nothing, unless you want to reach that client; then split the skill, or leave files out";
    PortabilityLinks "portability-links" Finding
        what "the skill contains links"
        why "npx skills 1.7, skill-deck, fast-agent and mcpkit refuse the whole skill, agentsync leaves them out, and Python and Java make small files of links in a zip archive"
        help "publisher: replace each link by a copy of what it leads to";
    PortabilityNonAscii "portability-non-ascii" Finding
        what "a name in a tar archive is not ASCII"
        why "npx skills 1.7 does not read pax names: where the tar header spells it otherwise, as many writers do, the file gets another name"
        help "publisher: use ASCII names, a zip archive, or skillx pack, which writes such names into the header as well";
    PortabilityLongPaths "portability-long-paths" Finding
        what "a path in a tar archive is longer than 100 bytes"
        why "npx skills 1.7 cuts it at 100 bytes, and some clients drop the file"
        help "publisher: shorten the path, or use a zip archive";
    PortabilityExecBit "portability-exec-bit" Finding
        what "files are executable"
        why "npx skills 1.7, skill-deck, gh skill and agent-framework install them without the execute bit; fast-agent and agentsync do so for zip archives"
        help "publisher: let SKILL.md call them by their interpreter: sh scripts/run.sh, python3 scripts/run.py";
    ZipNameUnflagged "zip-name-unflagged" Finding
        what "a name outside ASCII is not marked as UTF-8"
        why "some readers show it in another encoding"
        help "publisher: use a tool that marks UTF-8 names (7z, Python, bsdtar, Java)";
    PluginUnknownField "plugin-unknown-field" Finding
        what "plugin.json has a top-level field that Agent Plugins does not know"
        why "it is ignored and has no meaning for any client"
        help "publisher: remove it, or move it below `extensions` under a reverse domain name";
    PluginExtensionsIgnored "plugin-extensions-ignored" Finding
        what "`extensions` of plugin.json is not an object"
        why "it is ignored; the plugin is loaded without it"
        help "publisher: make it an object of objects, one for each client's reverse domain name";
    PluginComponentInvalid "plugin-component-invalid" Finding
        what "a component type of the plugin cannot be loaded as a whole"
        why "`skills` is no directory, or mcp.json is no regular file, not valid, or of another version than plugin.json; the other component type is loaded"
        help "publisher: correct what the message names";
    PluginSkillSkipped "plugin-skill-skipped" Finding
        what "a skill of the plugin does not conform and is skipped"
        why "the specification has clients load the rest without it"
        help "publisher: correct its SKILL.md: valid frontmatter, a name of a-z, 0-9 and single hyphens that is the directory's, at most 1024 characters of description";
    PluginServerSkipped "plugin-server-skipped" Finding
        what "an MCP server of the plugin is not valid and is skipped"
        why "the specification has clients load the rest without it"
        help "publisher: correct the entry of mcp.json: one of the closed variants stdio, streamable-http and sse, and nothing else in it";
    PluginTransportUnsupported "plugin-transport-unsupported" Finding
        what "an MCP server of the plugin uses a transport that is not supported"
        why "`sse` is valid but optional for clients; the server is skipped"
        help "publisher: offer streamable-http beside it";
    PluginPathDenied "plugin-path-denied" Finding
        what "a link in the plugin leads out of it"
        why "access through it is denied; the rest of the plugin is loaded"
        help "publisher: remove the link, or copy what it points to into the plugin";
    IndexSectionEmpty "index-section-empty" Finding
        what "a section of the list of skills has no entry"
        why "the protocol wants one at least"
        help "publisher: add an entry, or remove the heading";
    IndexIdForm "index-id-form" Finding
        what "the id of a shared skill has not the recommended form"
        why "ids in the form reverse.domain.name-v1 stay unique across providers"
        help "publisher: use an id such as com.example.translate-v1";
    SkillVersionMissing "skill-version-missing" Finding
        what "the SKILL.md of a web skill has no version"
        why "Web Skills asks for one, so that clients notice changes"
        help "publisher: add version: 1.0.0 to the frontmatter";
    CatalogLink "catalog-link" Finding
        what "an installed skill lies behind a link"
        why "the link was followed once; what it leads to may lie anywhere on this machine"
        help "nothing to do if an installer made it";
    IndexEntrySkipped "index-entry-skipped" Finding
        what "an entry of the index is left out"
        why "it is not well-formed, or not for those who ask without credentials"
        help "publisher: correct what the message names; leave private skills out of answers to requests without credentials";
}
