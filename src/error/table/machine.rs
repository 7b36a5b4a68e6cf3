//! Codes: the destination, this machine, the call.

macro_rules! machine {
    ({ $($before:tt)* } $next:ident $($rest:tt)*) => {
        $next! { {
            $($before)*
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
        } $($rest)* }
    };
}
pub(super) use machine;
