//! Codes: the name, the place and the kind of a member.

macro_rules! names {
    ({ $($before:tt)* } $next:ident $($rest:tt)*) => {
        $next! { {
            $($before)*
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
        } $($rest)* }
    };
}
pub(super) use names;
