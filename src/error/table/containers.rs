//! Codes: how an archive is written down: tar, gzip, zip.

macro_rules! containers {
    ({ $($before:tt)* } $next:ident $($rest:tt)*) => {
        $next! { {
            $($before)*
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
        } $($rest)* }
    };
}
pub(super) use containers;
