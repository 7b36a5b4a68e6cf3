//! The bytes: order, names, modes, times, owners, headers.

use super::*;

fn full() -> Place {
    let place = Place::new();
    place.put("demo/scripts/run.sh", "#!/bin/sh\n");
    place.chmod("demo/scripts/run.sh", 0o710);
    place.put("demo/scripts.md", "x");
    place.put("demo/AAA.md", "x");
    place.put("demo/empty.txt", "");
    place.chmod("demo/empty.txt", 0o600);
    fs::create_dir_all(place.path("demo/drafts/none")).unwrap();
    std::os::unix::fs::symlink("scripts/run.sh", place.path("demo/latest")).unwrap();
    place.put(&format!("demo/long/{}.md", "n".repeat(120)), "long");
    place.put("demo/gu\u{ed}a.md", "beyond ASCII");
    place
}

#[test]
fn skill_md_comes_first_and_the_rest_by_the_bytes_of_its_path_without_a_wrapper() {
    let long = format!("long/{}.md", "n".repeat(120));
    let expected = [
        "SKILL.md",
        "AAA.md",
        "drafts/none/",
        "empty.txt",
        "gu\u{ed}a.md",
        "latest",
        &long,
        "scripts.md",
        "scripts/run.sh",
    ];
    let place = full();
    for format in FORMATS {
        assert_eq!(names(&place.packed(format)), expected, "{format}");
    }
}

#[test]
fn tar_headers_hold_nothing_of_the_machine() {
    let place = full();
    let packed = place.packed(Format::TarGz);
    assert_eq!(packed.bytes()[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255], "no time, no name, no system");
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed.bytes()));
    for entry in archive.entries().unwrap().raw(true) {
        let entry = entry.unwrap();
        let header = entry.header();
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        assert!(header.as_ustar().is_some(), "{name}");
        assert_eq!(header.mtime().unwrap(), 0, "{name}");
        assert_eq!((header.uid().unwrap(), header.gid().unwrap()), (0, 0), "{name}");
        assert_eq!((header.username_bytes(), header.groupname_bytes()), (Some(&b""[..]), Some(&b""[..])), "{name}");
        let mode = match name.as_str() {
            "drafts/none/" | "scripts/run.sh" => 0o755,
            "latest" => 0o777,
            _ => 0o644,
        };
        assert_eq!(header.mode().unwrap(), mode, "{name}");
        assert_eq!(&header.as_bytes()[345..500], [0; 155], "{name}: names over 100 bytes are for pax");
    }
}

#[test]
fn long_names_and_names_beyond_ascii_have_a_pax_record_and_others_have_none() {
    let place = Place::new();
    let hundred = "n".repeat(100);
    place.put(&format!("demo/{hundred}"), "");
    let raw = |place: &Place| {
        let packed = place.packed(Format::TarGz);
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(packed.bytes()));
        let kinds = archive.entries().unwrap().raw(true).map(|entry| entry.unwrap().header().entry_type());
        kinds.collect::<Vec<_>>()
    };
    use tar::EntryType::{Regular, XHeader};
    assert_eq!(raw(&place), [Regular, Regular]);
    fs::remove_file(place.path(&format!("demo/{hundred}"))).unwrap();
    // Byte 100 lies inside a letter.
    for name in [format!("{hundred}m"), format!("n{}", "\u{e9}".repeat(60)), "\u{e9}".to_owned()] {
        let place = Place::new();
        place.put(&format!("demo/{name}"), "");
        assert_eq!(raw(&place), [Regular, XHeader, Regular], "{name}");
        assert_eq!(names(&place.packed(Format::TarGz))[1], name);
    }
}

#[test]
fn zip_entries_hold_nothing_of_the_machine() {
    let place = full();
    let packed = place.packed(Format::Zip);
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(packed.bytes())).unwrap();
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).unwrap();
        let name = entry.name().unwrap().into_owned();
        assert_eq!(entry.last_modified().unwrap().to_string(), "1980-01-01 00:00:00", "{name}");
        assert_eq!(entry.extra_data().unwrap_or_default(), b"", "{name}");
        let mode = match name.as_str() {
            "drafts/none/" => 0o040_755,
            "scripts/run.sh" => 0o100_755,
            "latest" => 0o120_777,
            _ => 0o100_644,
        };
        assert_eq!(entry.unix_mode(), Some(mode), "{name}");
    }
}

#[test]
fn the_time_is_that_of_source_date_epoch() {
    let place = full();
    let with = |value: &str, file: &str| {
        let mut command = place.command(&["pack", "demo", "-o", file, "--json"]);
        command.env("SOURCE_DATE_EPOCH", value);
        observe(command, b"")
    };
    let outcome = with("1700000001", "a.tar.gz");
    assert_eq!(outcome.code, Some(0), "{}", outcome.err());
    let bytes = fs::read(place.path("a.tar.gz")).unwrap();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes.as_slice()));
    assert!(archive.entries().unwrap().all(|entry| entry.unwrap().header().mtime().unwrap() == 1_700_000_001));
    assert_eq!(with("1700000001", "a.zip").code, Some(0));
    let mut archive = zip::ZipArchive::new(fs::File::open(place.path("a.zip")).unwrap()).unwrap();
    assert_eq!(archive.by_index(0).unwrap().last_modified().unwrap().to_string(), "2023-11-14 22:13:20");
    for wrong in ["", "x", "-1", "1.5", "99999999999999"] {
        let outcome = with(wrong, "b.tar.gz");
        assert_eq!(outcome.code, Some(2), "{wrong:?}: {}", outcome.err());
        assert!(!place.path("b.tar.gz").exists());
    }
}

#[test]
fn the_same_tree_gives_the_same_bytes_whatever_surrounds_it() {
    let tree = tools::demo::skill();
    let first = temp_dir();
    fs::create_dir(first.path().join("demo")).unwrap();
    tools::demo::write(&tree, &first.path().join("demo"));
    let digests = FORMATS.map(|format| packed(&first.path().join("demo"), format).digest().to_string());
    // Another order of creation, other times, another umask, another place.
    let second = Place(temp_dir());
    let backwards = "cp -rT --preserve=links,mode \"$FROM\" copy; mkdir demo; chmod 700 demo; (cd copy; find . -mindepth 1 | sort -r) \
        | while IFS= read -r p; do mkdir -p \"demo/$(dirname \"$p\")\"; if [ -d \"copy/$p\" -a ! -L \"copy/$p\" ]; then mkdir -p \"demo/$p\"; \
        else cp -dp \"copy/$p\" \"demo/$p\"; touch -h -d 2001-01-01 \"demo/$p\"; fi; done; find demo -type f -perm /111 -exec chmod 711 {} +; \
        find demo -type f ! -perm /111 -exec chmod 600 {} +";
    tools::shell(second.0.path(), backwards, &[("FROM", &first.path().join("demo"))]);
    for (format, digest) in FORMATS.iter().zip(&digests) {
        for (zone, locale, umask) in
            [("UTC", "C", "022"), ("Asia/Kathmandu", "C.UTF-8", "077"), ("America/Lima", "tr_TR.UTF-8", "000")]
        {
            let mut command = Command::new("sh");
            let program = env!("CARGO_BIN_EXE_skillx");
            command.arg("-c").arg(format!("umask {umask}; exec '{program}' pack demo -o out.{umask}.{format} --json"));
            command.current_dir(second.0.path()).env("TZ", zone).env("LC_ALL", locale).env_remove("SOURCE_DATE_EPOCH");
            let outcome = observe(command, b"");
            assert_eq!(outcome.code, Some(0), "{}", outcome.err());
            assert_eq!(outcome.json().unwrap()["artifact"]["sha256"], *digest, "{zone} {locale} {umask}");
        }
    }
}

#[test]
fn these_bytes_are_pinned() {
    // A change here is a change of what every publisher's digest will be: say so in the changelog.
    let place = full();
    let digests = FORMATS.map(|format| place.packed(format).digest().to_string());
    assert_eq!(digests, [TAR_GZ, ZIP]);
}

const TAR_GZ: &str = "sha256:2f67098b89b20d2ad6e4e89c87d6efdcc30819a71e63a6e17bc82be715eec12a";
const ZIP: &str = "sha256:09ea62dffe1bf3741e6500e297701729e0efc79281209fe6061440f2f894917f";
