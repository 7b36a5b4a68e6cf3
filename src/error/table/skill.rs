//! Codes: limits, the digest, and what a skill has to be.

macro_rules! skill {
    ({ $($before:tt)* } $next:ident $($rest:tt)*) => {
        $next! { {
            $($before)*
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
        } $($rest)* }
    };
}
pub(super) use skill;
