//! plugin.json: which rules apply, what rejects the plugin, what is ignored, and what is no reason for anything.

use skillx_archive::Code;

use super::{PLUGIN_SCHEMA, Package, findings, manifest, minimal, names, skill};

#[test]
fn a_manifest_says_what_it_says() {
    let package = Package::with(&manifest(
        r#", "version": "1.2.0", "description": "d", "author": {"name": "A", "email": "a@example.com", "url": "u"},
        "homepage": "h", "repository": "r", "license": "MIT", "keywords": ["a", "b"],
        "extensions": {"com.example.client": {"setting": true}}"#,
    ));
    let plugin = package.loads();
    let found = plugin.manifest();
    assert_eq!(found.name.as_raw(), "reports");
    assert_eq!(found.version.as_ref().unwrap().as_raw(), "1.2.0");
    let author = found.author.as_ref().unwrap();
    assert_eq!(author.email.as_ref().unwrap().as_raw(), "a@example.com");
    assert_eq!(found.keywords.len(), 2);
    assert_eq!(found.extensions[0].as_raw(), "com.example.client");
    assert_eq!(findings(&plugin), Vec::<Code>::new());
}

#[test]
fn the_manifest_is_looked_for_at_the_root_alone() {
    let package = Package::minimal();
    package.remove("plugin.json");
    for elsewhere in [".plugin/plugin.json", "manifest.json", ".claude-plugin/plugin.json", "Plugin.json"] {
        package.put(elsewhere, &minimal());
    }
    package.rejected(Code::PluginJsonMissing, "no regular file plugin.json");
}

#[test]
fn no_other_file_changes_the_manifest() {
    let package = Package::minimal();
    package.put("plugin.local.json", &manifest("").replace("reports", "other"));
    assert_eq!(package.loads().manifest().name.as_raw(), "reports");
}

#[test]
fn a_manifest_of_another_kind_rejects_the_plugin() {
    let package = Package::minimal();
    package.remove("plugin.json");
    std::fs::create_dir(package.root().join("plugin.json")).unwrap();
    package.rejected(Code::PluginJsonMissing, "is a directory");
}

#[test]
fn the_version_is_named_and_nothing_is_fetched() {
    // That nothing is fetched: the library has no network code in this room, which tests/architecture.rs sees to.
    let other = |schema: &str| minimal().replace(PLUGIN_SCHEMA, schema);
    for (schema, words) in [
        ("https://agent-plugins.org/schemas/1.1.0/plugin.schema.json", "targets version 1.1.0"),
        ("https://agent-plugins.org/schemas/1.0.0/mcp.schema.json", "unknown schema"),
        ("http://agent-plugins.org/schemas/1.0.0/plugin.schema.json", "unknown schema"),
        ("https://agent-plugins.org/schemas/1.0.0/plugin.schema.json#", "unknown schema"),
        ("https://example.com/plugin.json", "unknown schema `https://example.com/plugin.json`"),
    ] {
        Package::with(&other(schema)).rejected(Code::PluginVersionUnsupported, words);
    }
}

#[test]
fn the_version_decides_before_the_rest_is_looked_at() {
    let text = r#"{"$schema": "https://agent-plugins.org/schemas/2.0.0/plugin.schema.json", "name": 7, "new": 1}"#;
    Package::with(text).rejected(Code::PluginVersionUnsupported, "version 2.0.0");
}

#[test]
fn what_is_no_json_object_rejects_with_line_and_column() {
    for (text, words) in [
        ("", "line 1, column 0"),
        ("{\n  \"name\": \"x\",\n}", "line 3, column 1"),
        ("[]", "holds an array"),
        ("null", "holds null"),
        ("// x\n{}", "line 1, column 1"),
        ("{} {}", "line 1, column 4"),
    ] {
        Package::with(text).rejected(Code::PluginJsonInvalid, words);
    }
}

#[test]
fn required_fields_are_named_when_they_are_missing_wrong_or_empty() {
    let schema = format!("\"$schema\": \"{PLUGIN_SCHEMA}\"");
    for (text, words) in [
        ("{\"name\": \"x\"}".to_owned(), "lacks the required field `$schema`"),
        (format!("{{{schema}}}"), "lacks the required field `name`"),
        ("{\"$schema\": 1, \"name\": \"x\"}".to_owned(), "a number in `$schema`"),
        ("{\"$schema\": \"\", \"name\": \"x\"}".to_owned(), "empty `$schema`"),
        (format!("{{{schema}, \"name\": \"\"}}"), "empty `name`"),
        (format!("{{{schema}, \"name\": null}}"), "null in `name`"),
        (format!("{{{schema}, \"name\": \"a\", \"name\": \"b\"}}"), "`name` twice"),
    ] {
        Package::with(&text).rejected(Code::PluginJsonInvalid, words);
    }
}

#[test]
fn names_follow_the_rules() {
    let named = |name: &str| Package::with(&minimal().replace("\"reports\"", &serde_json::to_string(name).unwrap()));
    let longest = "a".repeat(64);
    for good in ["my-plugin", "acme.tools", "lint3r", "a", "a-.b", "0", &longest] {
        assert_eq!(named(good).loads().manifest().name.as_raw(), good);
    }
    let too_long = "a".repeat(65);
    for (bad, words) in [
        ("My-Plugin", "only a-z"),
        ("-start", "begin and end"),
        ("end.", "begin and end"),
        (".", "begin and end"),
        ("has--double", "`--`"),
        ("too.many..dots", "`..`"),
        ("a_b", "only a-z"),
        ("a/b", "only a-z"),
        ("caf\u{e9}", "only a-z"),
        ("a\nb", "only a-z"),
        (&too_long, "longer than 64"),
    ] {
        named(bad).rejected(Code::PluginJsonInvalid, words);
    }
}

#[test]
fn an_unknown_top_level_field_is_told_and_ignored() {
    let package = Package::with(&manifest(r#", "skills": "elsewhere", "mcpServers": {}, "x\u001b": 1"#));
    package.put("skills/deploy/SKILL.md", &skill("deploy")).put("elsewhere/other/SKILL.md", &skill("other"));
    let plugin = package.loads();
    assert_eq!(names(&plugin), ["deploy"]);
    assert_eq!(findings(&plugin), [Code::PluginUnknownField; 3]);
    let told = plugin.findings().iter().map(|finding| finding.message.clone()).collect::<Vec<_>>().join("\n");
    assert!(told.contains("`skills`") && told.contains("`mcpServers`") && !told.contains('\u{1b}'), "{told}");
}

#[test]
fn extensions_that_are_no_object_are_told_and_ignored() {
    for value in ["[]", "\"x\"", "null", "7", "true"] {
        let package = Package::with(&manifest(&format!(", \"extensions\": {value}")));
        package.put("skills/deploy/SKILL.md", &skill("deploy"));
        let plugin = package.loads();
        assert_eq!(findings(&plugin), [Code::PluginExtensionsIgnored]);
        assert_eq!((names(&plugin).len(), plugin.manifest().extensions.len()), (1, 0));
    }
}

#[test]
fn the_value_of_an_extension_is_an_object_and_is_not_looked_into() {
    let inside =
        r#", "extensions": {"com.example": {"name": 7, "a": 1, "a": 2, "deep": [[[{}]]]}, "not a domain": {}}"#;
    let plugin = Package::with(&manifest(inside)).loads();
    assert_eq!((findings(&plugin), plugin.manifest().extensions.len()), (vec![], 2));
    for value in
        [["[".repeat(2000), "]".repeat(2000)].concat(), "1e999999".to_owned(), "{\"x\": [{}, -1e99999]}".to_owned()]
    {
        let plugin =
            Package::with(&manifest(&format!(", \"extensions\": {{\"com.example\": {{\"a\": {value}}}}}"))).loads();
        assert_eq!((findings(&plugin), plugin.manifest().extensions.len()), (vec![], 1), "{value:.40}");
    }
    Package::with(&manifest(r#", "extensions": {"com.example": 7}"#))
        .rejected(Code::PluginJsonInvalid, "a number in `extensions.com.example`");
}

#[test]
fn an_unknown_field_in_author_rejects_the_plugin() {
    let package = Package::with(&manifest(r#", "author": {"name": "A", "twitter": "@a"}"#));
    package.rejected(Code::PluginJsonInvalid, "unknown field `author.twitter`");
}

#[test]
fn a_field_of_the_wrong_type_rejects_the_plugin() {
    for (field, words) in [
        (r#""version": 1"#, "a number in `version`"),
        (r#""description": []"#, "an array in `description`"),
        (r#""author": "A""#, "a string in `author`"),
        (r#""author": {"name": null}"#, "null in `author.name`"),
        (r#""homepage": {}"#, "an object in `homepage`"),
        (r#""repository": false"#, "a boolean in `repository`"),
        (r#""license": null"#, "null in `license`"),
        (r#""keywords": "a""#, "a string in `keywords`"),
        (r#""keywords": ["a", 1]"#, "a number in `keywords[1]`"),
        (r#""license": "MIT", "license": "MIT""#, "`license` twice"),
    ] {
        let package = Package::with(&manifest(&format!(", {field}")));
        package.put("skills/deploy/SKILL.md", &skill("deploy"));
        package.rejected(Code::PluginJsonInvalid, words);
    }
}

#[test]
fn metadata_has_no_form() {
    for field in [
        r#""version": "not a version""#,
        r#""version": """#,
        r#""license": "My Own Licence""#,
        r#""homepage": "not a url""#,
        r#""repository": "x y""#,
        r#""author": {"email": "nobody", "url": "nowhere"}"#,
        r#""author": {}"#,
        r#""keywords": []"#,
        r#""extensions": {}"#,
    ] {
        let plugin = Package::with(&manifest(&format!(", {field}"))).loads();
        assert_eq!(findings(&plugin), Vec::<Code>::new(), "{field}");
    }
}

#[test]
fn a_manifest_is_at_most_a_mebibyte() {
    let package = Package::with(&manifest(&format!(", \"description\": \"{}\"", "x".repeat(1 << 20))));
    package.rejected(Code::PluginJsonInvalid, "more than 1048576 bytes");
}
