//! Codes: what is reported, and refused only when --deny asks for it.

macro_rules! findings {
    ({ $($before:tt)* } $next:ident $($rest:tt)*) => {
        $next! { {
            $($before)*
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
            LockChanged "lock-changed" Finding
                what "the lock file pins another digest than before"
                why "index and archive come from the same hand: an older or another archive looks as good as a new one"
                help "user: see whether the change was meant; install --locked takes nothing but what is pinned";
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
            CatalogNoReceipt "catalog-no-receipt" Finding
                what "an installed skill has no receipt, and others beside it have one"
                why "nothing shows whether it is what its publisher released, or what was changed in it since"
                help "install it with skillx, or leave it if you made it yourself";
            IndexEntrySkipped "index-entry-skipped" Finding
                what "an entry of the index is left out"
                why "it is not well-formed, or not for those who ask without credentials"
                help "publisher: correct what the message names; leave private skills out of answers to requests without credentials";
        } $($rest)* }
    };
}
pub(super) use findings;
