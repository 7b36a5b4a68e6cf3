//! Reports about other readers, by people whose archives were refused or read wrongly: each is rebuilt as a case, and either
//! accepted, or refused with words that would have spared the report.

/// One kind of report.
pub struct Report {
    /// Where it was made.
    pub at: &'static str,
    pub what: &'static str,
    /// The case that is like it.
    pub id: &'static str,
    /// Empty: it is accepted. Else what the refusal has to say.
    pub says: &'static str,
}

const fn accepted(at: &'static str, what: &'static str, id: &'static str) -> Report {
    Report { at, what, id, says: "" }
}

const fn refused(at: &'static str, what: &'static str, id: &'static str, says: &'static str) -> Report {
    Report { at, what, id, says }
}

#[rustfmt::skip]
pub const REPORTS: &[Report] = &[
    accepted("langgenius/dify#41757, HilbertraumAI/HilbertRaum#131, wecode-ai/Wegent#2771", "Finder's `__MACOSX` hides where the skill begins", "S10-strip-root.zip"),
    accepted("langgenius/mosoo#259", "dot names of macOS; UTF-8 names without the flag", "A-zip-finder"),
    accepted("CherryHQ/stella#755", "SKILL.md at the root, where a wrapper was expected", "A-zip-infozip"),
    refused("CherryHQ/stella#755, wecode-ai/Wegent#2769", "a wrapper directory, and no word about it", "S10-wrapper.zip", "--strip-root"),
    accepted("iflytek/skillhub#179, oaustegard/claude-skills#106", "AppleDouble files", "A-macos"),
    accepted("czlonkowski/n8n-skills#1, #27", "several files called SKILL.md", "A09-second.zip"),
    accepted("astral-sh/uv#15451", "NULs behind the end of a zip", "A-zip-bsdtar-pipe"),
    refused("astral-sh/uv#15451", "other bytes behind the end of a zip", "Z06-junk", "publish exactly what the zip tool wrote"),
    accepted("astral-sh/uv#19440, astral-sh/rs-async-zip#25", "a zip64 field that is not needed", "A-zip-redundant-zip64"),
    accepted("astral-sh/rs-async-zip#47", "version 1.0 with deflate", "A-zip-github"),
    refused("astral-sh/uv#15871", "a name twice", "C01-same.zip", "publisher"),
    accepted("zip-rs/zip2#178, zip-rs/zip-old#108", "jars with data descriptors", "A-zip-java"),
    accepted("zip-rs/zip2#388", "an end record behind which a comment stands", "A-zip-comment"),
    refused("bearcove/rc-zip#7", "bytes in front of the archive", "T35-sfx", "publisher"),
    accepted("rubyzip/rubyzip#493", "streamed zips of macOS", "A-zip-bsdtar"),
    accepted("gildas-lormeau/SingleFileZ#131, gildas-lormeau/zip.js#274", "descriptors without a signature", "A-zip-no-signature"),
    accepted("madler/unzip#2, python/cpython#110016, Cisco-Talos/clamav#561", "jars that a check for overlaps hits", "A-zip-jar"),
    refused("dotnet/runtime#98247, dotnet/corefx#32788, icsharpcode/SharpZipLib#617, python/cpython#91036", "backslashes of PowerShell 5", "P19-traversal.zip", "PowerShell 5"),
    refused("pop-os/cosmic-files#1881, nih-at/libzip#212, libarchive/libarchive#2798", "names in a code page", "Z20-unflagged-dos", "UTF-8"),
    accepted("denoland/std#6083, mirage/ocaml-tar#113, splitbrain/php-archive#10", "a global header, a checksum of seven digits", "A-github-checksum"),
    accepted("the same, and safe_unzip 0.2.0", "`git archive`", "A-git"),
    accepted("ayuhito/modern-tar#70", "GNU magic", "A-gnu-dot"),
    accepted("openai/codex-security#618", "a size in plain POSIX form", "A-npm"),
    refused("JuliaIO/Tar.jl#111", "checksums of signed bytes, of SunOS", "T21-signed", "signed"),
    accepted("python/cpython#107845, apache/buildstream#2039", "links inside", "L12-file.tar"),
    accepted("onekey-sec/unblob#314, aonez/Keka#1521, aboutcode-org/scancode-toolkit#2740", "padding behind gzip", "A-bsd-pipe"),
    refused("the same, libarchive/libarchive#643", "a newline, a signature behind gzip", "G03-signature", "publish exactly what gzip wrote"),
    refused("Nullus157/async-compression#75, oven-sh/bun#31522, sile/libflate#75", "several gzip members, of which one was read", "G01-bgzip", "bgzip"),
    accepted("libarchive/libarchive#2010, #900, #2510; bufbuild/buf#2504, twpayne/chezmoi#3220", "AppleDouble files in a tar", "A-macos"),
    accepted("doitsujin/dxvk#117", "`SCHILY.fflags`, Apple's attributes", "M05-pax-apple"),
    accepted("exarch 0.5.2", "a name that begins with a dot", "P26-near.tar"),
    accepted("zip 9.8.2", "data descriptors under a size limit", "A-zip-go"),
    accepted("tar-codec 0.0.15", "numbers that begin with spaces", "A-leading-spaces"),
    accepted("tar-codec 0.0.15", "a time before 1970", "A-gnu-1969"),
];
