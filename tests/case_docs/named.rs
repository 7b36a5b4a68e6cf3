//! Rows that are no archive (digests, destinations, output, processes, resources), and the tests that build them. Each test
//! carries its ids in its documentation, as `/// Cases: D01-swap.`, so that it is found by them.

/// One construction, and the test that makes it.
pub struct Named {
    pub id: &'static str,
    pub what: &'static str,
    pub verdict: &'static str,
    /// Empty: none.
    pub code: &'static str,
    /// File and function, as `tests/cli/digest.rs::name`.
    pub test: &'static str,
}

const fn case(
    id: &'static str,
    what: &'static str,
    verdict: &'static str,
    code: &'static str,
    test: &'static str,
) -> Named {
    Named { id, what, verdict, code, test }
}

const OK: &str = "accepted";
const NO: &str = "refused";
const FAIL: &str = "failed";
const USE: &str = "usage";
/// Accepted, or failed with one of the codes of a destination; never anything between.
const EITHER: &str = "accepted or failed";

/// In the order of the page.
#[rustfmt::skip]
pub const NAMED: &[Named] = &[
    // Digests.
    case("D01-swap", "the file is changed, cut and removed after it was read", OK, "", "tests/library/input.rs::what_happens_to_the_file_after_it_was_read_changes_nothing"),
    case("D01-race", "another process exchanges the file in a loop: judged is what was hashed", "accepted or refused", "digest-mismatch", "tests/races.rs::an_archive_that_is_exchanged_while_it_is_read_is_judged_as_it_was_hashed"),
    case("D01-spool", "the copy in memory and the one in an unnamed file", OK, "", "tests/library/input.rs::a_copy_in_memory_and_one_in_a_file_give_identical_reports"),
    case("D02-first", "a wrong digest for archives with every other fault", NO, "digest-mismatch", "tests/cli/digest.rs::a_wrong_digest_comes_before_every_other_fault_of_the_archive"),
    case("D02-library", "a wrong digest in the library: no parser is reached", NO, "digest-mismatch", "tests/library/errors.rs::a_wrong_digest_is_named_beside_the_right_one_before_anything_is_parsed"),
    case("D03-flag", "every misspelling of a digest on the command line", USE, "digest-syntax", "tests/cli/digest.rs::a_malformed_digest_is_a_wrong_call_and_is_never_repaired"),
    case("D03-library", "every misspelling of a digest in the library", USE, "digest-syntax", "tests/library/errors.rs::a_digest_has_one_spelling"),
    case("D03-sidecar", "every misspelling of a digest in a sidecar", USE, "digest-syntax", "tests/cli/sidecar.rs::a_malformed_sidecar_is_never_skipped"),
    case("D03-list", "every misspelling of a digest in a list", USE, "digest-syntax", "tests/cli/batch_lists.rs::a_list_of_digests_that_cannot_be_used_is_a_wrong_call"),
    case("D04-none", "no digest at hand: nothing is parsed", USE, "digest-missing", "tests/cli/digest_missing.rs::nothing_of_the_archive_is_parsed_before_there_is_a_digest"),
    case("D04-allowed", "no digest, and --allow-unverified: the report says so", OK, "", "tests/cli/digest.rs::going_on_without_a_digest_is_said"),
    case("D04-at-hand", "a wrong digest at hand, and --allow-unverified", NO, "digest-mismatch", "tests/cli/digest.rs::a_digest_at_hand_is_checked_even_where_none_is_needed"),
    case("D04-library", "no digest in the library: every report says so", OK, "", "tests/library/errors.rs::going_on_without_a_digest_is_said_in_every_report"),
    case("D05-bits", "digests that differ in one bit, in one half, at either end", NO, "digest-mismatch", "tests/library/errors.rs::each_bit_of_a_digest_counts"),
    case("D06-short", "a body that is shorter than declared", FAIL, "length-mismatch", "tests/net/bodies.rs::n05_d06_a_body_that_is_shorter_than_declared"),
    case("D06-long", "a body that is longer than declared", FAIL, "length-mismatch", "tests/net/bodies.rs::n05_d06_a_body_that_is_longer_than_declared"),
    case("D07-encoded", "a server that compresses the archive once more", FAIL, "content-encoding", "tests/net/bodies.rs::n06_d07_a_server_that_compresses_is_named"),
    case("D09-cache", "a cached file that was changed", OK, "", "tests/net/cli.rs::d09_the_cache_saves_a_download_and_is_never_believed"),
    // Destinations.
    case("I01-taken", "a file, a full directory, a FIFO at the destination", FAIL, "dest-exists", "tests/cli/destination.rs::anything_else_at_the_destination_is_left_as_it_is"),
    case("I01-empty", "an empty directory at the destination", OK, "", "tests/cli/destination.rs::an_empty_directory_is_taken"),
    case("I01-replace", "an older skill at the destination, with --replace: exchanged whole, never merged", OK, "", "tests/cli/replace.rs::an_older_skill_is_exchanged_whole_and_twice_works_too"),
    case("I01-no-replace", "an older skill at the destination", FAIL, "dest-exists", "tests/cli/replace.rs::without_replace_an_older_skill_stays"),
    case("I02-link", "the destination is a symbolic link", FAIL, "dest-is-symlink", "tests/library/extract.rs::a_link_at_the_destination_is_refused_and_links_in_its_parents_are_followed"),
    case("I02-replace", "the destination is a link to a skill, with --replace", FAIL, "dest-is-symlink", "tests/cli/replace.rs::only_what_looks_like_a_skill_is_replaced"),
    case("I03-inside", "another process exchanges the parent for a link, an install runs inside it", EITHER, "", "tests/races.rs::a_parent_that_is_exchanged_while_an_install_runs_in_it_leads_nowhere_else"),
    case("I03-on-the-way", "another process exchanges the parent for a link, the destination's path leads through it", EITHER, "", "tests/races.rs::a_parent_that_is_exchanged_on_the_way_to_it_gets_a_whole_skill_or_none"),
    case("I03-handle", "the library writes below a directory that is held, wherever it is called", OK, "", "tests/library/extract.rs::extract_in_writes_below_the_directory_that_is_held_and_nowhere_else"),
    case("I04-private", "the staging directory: a random name, mode 0700, on the destination's file system", OK, "", "src/install/tests/publishing.rs::staging_is_private_and_modes_are_plain"),
    case("I04-taken-away", "the staging directory is moved or its tree exchanged", FAIL, "io", "src/install/tests/publishing.rs::a_staging_directory_that_was_tampered_with_is_not_published"),
    case("I05-planted", "another process plants links in staging and exchanges directories there", EITHER, "", "tests/races.rs::links_and_exchanges_inside_the_staging_directory_lead_nowhere"),
    case("I05-destination", "another process puts links, files and directories at the destination", EITHER, "", "tests/races.rs::what_comes_and_goes_at_the_destination_is_never_written_through"),
    case("I05-exchange", "another process exchanges the old skill for a link during --replace", EITHER, "", "tests/races.rs::an_old_skill_that_is_exchanged_for_a_link_while_it_is_replaced_costs_nothing_outside"),
    case("I06-kill", "SIGKILL at each system call: old tree or new, the rest is swept by the next run", EITHER, "", "tests/faults.rs::a_kill_at_any_call_leaves_nothing_that_the_next_run_does_not_sweep"),
    case("I06-fault", "each system call fails", FAIL, "io", "tests/faults.rs::any_failing_call_leaves_the_destination_as_before_or_complete"),
    case("I06-signal", "INT and TERM at random moments", EITHER, "cancelled", "tests/races.rs::a_signal_at_any_moment_leaves_the_destination_as_before_or_complete"),
    case("I06-killed-writing", "killed while it writes: nothing loads, the next run sweeps", OK, "", "tests/watch.rs::a_killed_run_leaves_nothing_that_loads_and_the_next_run_sweeps_it_away"),
    case("I07-appears", "a destination that appears during the run", FAIL, "concurrent-install", "src/install/tests/publishing.rs::the_first_to_publish_wins"),
    case("I07-changes", "a destination that changes before the exchange", FAIL, "dest-not-a-skill", "src/install/tests/publishing.rs::a_target_that_changes_before_the_exchange_is_left_alone"),
    case("I07-no-exchange", "a file system that cannot exchange", FAIL, "replace-unsupported", "tests/faults.rs::a_file_system_without_exchange_says_so_and_changes_nothing"),
    case("I08-processes", "eight processes at one destination, with and without --replace", EITHER, "concurrent-install", "tests/races.rs::of_eight_processes_at_one_destination_one_wins_and_the_others_say_so"),
    case("I08-threads", "eight threads at one destination", EITHER, "concurrent-install", "src/install/tests/publishing.rs::eight_at_once"),
    case("I09-fat", "a destination on a file system that folds names and knows no links", EITHER, "io", "tests/faults.rs::a_file_system_that_folds_names_or_knows_no_links_gets_the_skill_or_a_failure_that_says_so"),
    case("I09-unique", "any accepted archive: its paths are unique under every folding", OK, "", "tests/properties/names.rs::what_is_accepted_is_clean_unique_and_inside"),
    case("I10-frontmatter", "a name in frontmatter that is `..`, a path, too long or empty: never a directory", USE, "usage", "tests/cli/destination.rs::a_strangers_name_never_becomes_a_path_that_is_no_name"),
    case("I10-device", "a name in frontmatter that is a Windows device", FAIL, "", "tests/library/extract.rs::a_windows_device_name_is_never_used_as_a_directory"),
    case("I12-exec", "hooks, installers, configuration that tools run: only the program itself is executed", OK, "", "tests/faults.rs::nothing_of_an_archive_is_ever_executed"),
    case("I13-drift", "an installed tree that differs from its receipt in every way", NO, "tree-changed", "tests/site/receipts.rs::every_kind_of_drift_is_seen"),
    case("I14-work-tree", "a destination inside a git work tree", OK, "", "tests/cli/destination.rs::a_destination_inside_a_work_tree_is_like_any_other"),
    case("I14-links", "a file system on which links cannot be made", FAIL, "io", "tests/faults.rs::a_link_that_cannot_be_made_is_named"),
    case("I14-group", "a parent whose group is inherited", OK, "", "tests/watch.rs::a_parent_whose_group_is_inherited_is_a_parent_like_any_other"),
    case("L18-replace", "links to the outside in an old tree, where the new one has files and directories", OK, "", "tests/cli/replace.rs::links_in_an_old_tree_are_not_written_through"),
    case("L18-taken", "the same without --replace", FAIL, "dest-exists", "tests/cli/replace.rs::links_in_an_old_tree_are_not_written_through"),
    case("L19-update", "an update with a directory where the older version has a link", OK, "", "tests/cli/replace.rs::an_update_is_never_laid_over_the_tree_before_it"),
    case("M08-umask", "umask 000, 002, 022, 027, 033, 077 in the caller", OK, "", "tests/watch.rs::modes_are_those_of_the_umask_and_special_bits_are_never_set"),
    case("M08-locked-out", "a umask that takes the owner's own rights", FAIL, "io", "tests/watch.rs::a_umask_that_takes_the_owners_rights_away_leaves_nothing"),
    case("M08-install", "the same for the room that installs", OK, "", "src/install/tests/driver.rs::the_umask_applies_by_itself"),
    // Output.
    case("O01-catalogue", "every case of the catalogue: no raw byte on stdout or stderr", "any", "", "tests/hostile_output.rs::nothing_in_the_catalogue_of_cases_reaches_the_terminal_as_it_is"),
    case("O01-places", "hostile text in every place that takes a stranger's text, in text, JSON, colour, lists", "any", "", "tests/hostile_output.rs::hostile_text_in_any_place_is_escaped_in_every_form_of_output"),
    case("O01-panic", "hostile text in a panic", FAIL, "", "tests/hostile_output.rs::a_panic_prints_nothing_that_harms"),
    case("O02-json", "names in JSON: given back as they were", "any", "", "tests/hostile_output.rs::json_gives_hostile_text_back_as_it_was"),
    case("O02-schema", "every JSON line against its schema", "any", "", "tests/schema.rs::every_line_is_valid_and_every_member_that_is_documented_occurs"),
    case("O03-logs", "variables that log libraries obey", "any", "", "tests/hostile_output.rs::asking_for_logs_adds_nothing_to_the_output"),
    case("O07-list", "list and check give the verdict of verify-extract", "any", "", "tests/cli/output.rs::list_gives_the_verdicts_of_check"),
    case("O07-cases", "every case by check and by verify-extract: one verdict, one refusal", "any", "", "tests/cases.rs::every_case_gets_its_verdict_and_leaves_nothing_else"),
    // Resources.
    case("R09-stack", "the deepest of everything on a stack of 512 KiB", "any", "", "tests/cli/trouble.rs::a_small_stack_is_enough_for_the_deepest_of_everything"),
    case("R09-sweep", "an abandoned tree of 3000 levels, with few handles and little stack", OK, "", "tests/cli/trouble.rs::what_an_abandoned_run_left_is_removed_however_deep_it_is"),
    case("R09-remove", "a deep tree is removed with few handles", OK, "", "src/confine/tests.rs::a_deep_tree_needs_few_handles"),
    case("R11-full", "a disk of 1 MiB, with and without --replace and --fsync", FAIL, "disk-full", "tests/faults.rs::a_full_disk_is_named_and_nothing_is_left"),
    case("R11-limit", "a write that fails half-way", FAIL, "io", "tests/cli/trouble.rs::a_write_that_fails_half_way_leaves_nothing"),
    case("R12-handles", "48 open handles are enough; with fewer it fails and leaves nothing", FAIL, "io", "tests/cli/trouble.rs::few_open_handles_are_enough_and_fewer_leave_nothing"),
    case("R12-install", "the same for the room that installs, handle by handle", FAIL, "io", "src/install/tests/driver.rs::running_out_of_handles_leaves_nothing"),
    case("R12-directories", "more directories than handles, in any order", OK, "", "src/install/tests/publishing.rs::more_directories_than_handles_are_written_in_any_order"),
    case("R13-set-aside", "the cases of this row where no file may grow beyond 64 KiB", NO, "tar-truncated", "tests/cli/trouble.rs::nothing_is_set_aside_for_a_size_that_is_declared"),
    case("R08-growth", "instructions for an entry of 64 and of 400, for twelve kinds of archives", OK, "", "tests/growth.rs::instructions_for_an_entry_do_not_grow_with_the_number_of_entries"),
    // Further findings.
    case("X01-refused", "a watcher reads the parent while archives are refused", NO, "", "tests/watch.rs::no_skill_md_is_ever_seen_of_an_archive_that_is_refused"),
    case("X01-accepted", "a watcher reads the parent while an archive is installed", OK, "", "tests/watch.rs::a_successful_run_shows_a_skill_md_only_in_a_complete_tree"),
    case("X01-steps", "no SKILL.md at any step of a run", "any", "", "tests/watch.rs::at_no_step_of_a_run_is_there_a_skill_md"),
    case("X01-exchange", "a watcher reads the parent during --replace", OK, "", "tests/watch.rs::an_exchange_shows_the_old_skill_or_the_new_one_and_no_mixture"),
    case("X01-foldings", "SKILL.md in every folding, at every depth", OK, "", "src/install/tests/publishing.rs::nothing_is_called_skill_md_before_the_end"),
    case("X02-name", "--replace without -o or --name", USE, "usage", "tests/cli/replace.rs::what_is_replaced_is_not_for_the_archive_to_choose"),
    case("X02-in-use", "--replace of the home, the current directory, what they lie in", FAIL, "dest-not-a-skill", "tests/cli/replace.rs::the_current_directory_the_home_and_what_they_lie_in_are_never_replaced"),
    case("X02-deep", "--replace from a current directory that lies 4200 levels deep", FAIL, "io", "tests/cli/replace.rs::a_current_directory_too_deep_to_look_at_is_a_failure"),
    case("X03-else", "planted names: links, files, other modes, other forms, other content", OK, "", "src/install/tests/sweeping.rs::everything_else_stays"),
    case("X03-foreign", "a directory of another user", OK, "", "src/install/tests/sweeping.rs::another_users_staging_directory_stays"),
    case("X03-live", "a run that is alive", OK, "", "src/install/tests/sweeping.rs::a_live_staging_directory_stays"),
    case("X03-mkdir", "runs and sweeps between mkdir and flock of each other", OK, "", "src/install/tests/sweeping.rs::runs_and_sweeps_at_once_do_not_disturb_each_other"),
    case("X03-race", "another process exchanges planted directories for links while they are swept", OK, "", "tests/races.rs::what_is_planted_for_a_sweep_is_not_followed"),
    case("X03-many", "300 planted names, and a crowd of 65,537 others", OK, "", "src/install/tests/sweeping.rs::a_sweep_looks_at_a_bounded_number_of_names"),
    case("X03-program", "the sweep of the program", OK, "", "tests/watch.rs::a_sweep_takes_abandoned_staging_directories_and_nothing_else"),
    case("X16-observed", "an archive is checked against its own digest: `Observed` is no `Digest`, which does not compile", "does not compile", "", "tests/library/errors.rs::what_was_observed_is_compared_with_what_was_promised"),
    case("X16-unverified", "bytes that were not verified are extracted, a checked type is built by hand", "does not compile", "", "tests/architecture.rs::what_must_not_compile_is_documented_and_checked_types_have_no_public_constructor"),
    case("X17-sidecar", "a sidecar from the same place: the report says that it is no proof of origin", OK, "", "tests/cli/sidecar.rs::every_form_that_the_usual_tools_write_is_read"),
    case("X17-flag", "the flag goes before a sidecar, and the report tells the source", OK, "", "tests/cli/digest.rs::a_digest_at_hand_is_checked_even_where_none_is_needed"),
    case("X18-link", "the store of receipts is a link", FAIL, "", "tests/site/receipts.rs::a_store_that_is_a_link_is_not_followed"),
    case("X18-paths", "hostile paths in a receipt", NO, "receipt-invalid", "tests/site/receipts.rs::what_a_stranger_puts_into_a_receipt_leads_nowhere"),
    case("X22-fifo", "a FIFO, a device, a directory as sidecar: nothing is waited for", USE, "digest-syntax", "tests/cli/sidecar.rs::only_a_regular_file_is_a_sidecar_and_nothing_else_is_waited_for"),
    case("X22-size", "a sidecar of more than 4 KiB", USE, "digest-syntax", "tests/cli/sidecar.rs::a_sidecar_has_at_most_four_kib"),
    case("X22-link", "a sidecar that is a link", "accepted or usage", "digest-syntax", "tests/cli/sidecar.rs::a_sidecar_that_is_a_link_is_read_or_refused_but_never_skipped"),
];

/// Rows of the catalogue that have neither case nor test here, and why.
pub const ELSEWHERE: &[(&str, &str)] = &[
    ("I15", "macOS and Windows"),
    ("O06", "findings"),
    ("X19", "needs the network"),
    ("X20", "not detected without a lock file; SECURITY.md says so"),
    ("X21", "findings"),
    ("X23", "annotations and SARIF"),
];

/// The numbered rows of each letter: 1 to this.
pub const NUMBERED: &[(char, u8)] = &[
    ('P', 28),
    ('L', 19),
    ('S', 12),
    ('C', 9),
    ('T', 35),
    ('G', 7),
    ('Z', 26),
    ('R', 13),
    ('M', 9),
    ('D', 9),
    ('I', 15),
    ('O', 7),
    ('X', 23),
];
