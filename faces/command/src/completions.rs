//! Completions of shells, made from the definition of the command line.
//!
//! The scripts of clap offer options, values and all files. Here commands that open offer only sealed files and folders, and bash
//! offers files after a command, where clap offers options.

use std::collections::BTreeSet;

use clap::{Arg, Command, ValueHint};
use clap_complete::Shell;

use crate::key_args::SEALED;

/// The files that a command takes.
#[derive(Clone, Copy, PartialEq)]
enum Takes {
    /// Sealed files.
    Sealed,
    /// Any files.
    Any,
}

/// Returns the script of a shell.
pub(crate) fn script(shell: Shell, mut command: Command) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "abreast", &mut script);
    let script = without_hidden(&String::from_utf8_lossy(&script), &command);
    let taking = |takes| -> Vec<_> {
        let those = command.get_subcommands().filter(|below| files_of(below) == Some(takes));
        those.map(Command::get_name).collect()
    };
    let (sealed, any) = (taking(Takes::Sealed), taking(Takes::Any));
    match shell {
        Shell::Bash => bash(script, &sealed, &any),
        Shell::Fish => fish(script, &sealed, &without_files(&command)),
        Shell::PowerShell => powershell(script, &sealed),
        Shell::Zsh => zsh(&script),
        _ => script,
    }
}

/// Returns what files a command takes as arguments, if any.
fn files_of(command: &Command) -> Option<Takes> {
    let is_file = |arg: &&Arg| matches!(arg.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath);
    let arg = command.get_positionals().find(is_file)?;
    Some(if arg.get_id() == SEALED { Takes::Sealed } else { Takes::Any })
}

/// Returns the commands that take no file, in an option or beside, each with the values of its argument.
fn without_files(command: &Command) -> Vec<(&str, String)> {
    let takes_paths = |arg: &Arg| !matches!(arg.get_value_hint(), ValueHint::Unknown | ValueHint::Other);
    let below = command.get_subcommands();
    let without = below.filter(|below| !below.has_subcommands() && !below.get_arguments().any(takes_paths));
    let values = |arg: &Arg| -> Vec<_> {
        arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect()
    };
    let with_values = without.map(|below| {
        (below.get_name(), below.get_positionals().flat_map(values).collect::<Vec<_>>().join(" "))
    });
    with_values.chain([("help", String::new())]).collect()
}

/// Returns the script of bash: where clap's part has found options and no values, files are offered. The names of
/// folders and files are quoted by bash.
fn bash(script: String, sealed: &[&str], any: &[&str]) -> String {
    let (sealed, any) = (sealed.join("|"), any.join("|"));
    script
        + &format!(
            r#"
_abreast_files() {{
    local cur="${{COMP_WORDS[COMP_CWORD]}}" command="${{COMP_WORDS[1]}}" before=$((COMP_CWORD - 1)) names='' name
    # Bash makes three words of --option=value.
    if [[ $cur == '=' ]]; then
        cur=''
        _abreast "$1" '' "${{COMP_WORDS[before]}}"
    elif [[ ${{COMP_WORDS[before]}} == '=' ]]; then
        _abreast "$1" "$cur" "${{COMP_WORDS[before - 1]}}"
    else
        _abreast "$@"
    fi
    # Words that are no options, beside the place of the files, are the values of an option; after -- all are files.
    if [[ " ${{COMP_WORDS[*]:0:COMP_CWORD}} " != *' -- '* ]]; then
        [[ $COMP_CWORD -lt 2 || $cur == -* || ${{COMPREPLY[0]:--}} != [-\[]* ]] && return
    fi
    case $command in
        {sealed}) names='!*.abreast' ;;
        {any}) ;;
        *) return ;;
    esac
    compopt -o filenames 2>/dev/null
    COMPREPLY=()
    while IFS= read -r name; do
        COMPREPLY+=("$name")
    done < <(compgen -d -- "$cur"; compgen -f -X "$names" -- "$cur" | while IFS= read -r name; do
        [[ -d $name ]] || printf '%s\n' "$name"
    done)
}}
complete -F _abreast_files -o bashdefault -o default abreast
"#
        )
}

/// Returns a script without the options that the help hides, which clap leaves out for zsh alone.
fn without_hidden(script: &str, command: &Command) -> String {
    let args = command.get_subcommands().flat_map(Command::get_arguments).filter(|arg| arg.is_hide_set());
    let names: BTreeSet<_> = args.filter_map(Arg::get_long).collect();
    let offers = |line: &str| {
        let offers = |name| [format!(" -l {name} "), format!("'--{name}'"), format!("cand --{name} ")];
        names.iter().flat_map(offers).any(|offer| line.contains(&offer))
    };
    script.lines().filter(|line| !offers(line)).fold(String::new(), |script, line| {
        // All options of a command in a line, for bash.
        let line = names.iter().fold(line.to_owned(), |line, name| line.replace(&format!(" --{name} "), " "));
        script + &line + "\n"
    })
}

/// Returns the script of fish with the names of sealed files and of folders for commands that open, and for those that take no
/// file with the values of their argument alone.
fn fish(script: String, sealed: &[&str], without_files: &[(&str, String)]) -> String {
    let script = without_files.iter().fold(script, |script, (command, values)| {
        script
            + &format!(
                "complete -c abreast -n \"__fish_abreast_using_subcommand {command}\" -f -a \"{values}\"\n"
            )
    });
    sealed.iter().fold(script, |script, command| {
        script
            + "complete -c abreast -n \"__fish_abreast_using_subcommand "
            + command
            + "\" -f -a \"(__fish_complete_suffix .abreast | string match -r '^.*(?:\\.abreast|/)(?:\\t.*)?\\$')\"\n"
    })
}

/// Returns the script of zsh, where a pattern selects the sealed files; folders are always offered.
fn zsh(script: &str) -> String {
    let starts = [format!("'*::{SEALED} -- "), format!("'*:{SEALED} -- ")];
    script.lines().fold(String::new(), |script, line| {
        let is_sealed = starts.iter().any(|start| line.starts_with(start));
        let line =
            if is_sealed { line.replace(":_files'", ":_files -g \"*.abreast\"'") } else { line.to_owned() };
        script + &line + "\n"
    })
}

/// Returns the script for PowerShell, which completes any file name when a script has no answer.
fn powershell(script: String, sealed: &[&str]) -> String {
    const END: &str = "    $completions.Where{";
    let commands = sealed.iter().map(|name| format!("'abreast;{name}'")).collect::<Vec<_>>().join(", ");
    let files = format!(
        r#"    if (@({commands}) -contains $command -and -not $wordToComplete.StartsWith('-')) {{
        return Get-ChildItem -Path "$wordToComplete*" |
            Where-Object {{ $_.PSIsContainer -or $_.Extension -eq '.abreast' }} |
            ForEach-Object {{
                $path = Resolve-Path -Relative -LiteralPath $_.FullName
                $word = if ($path -match '[\s''`$&;()]') {{ "'" + $path.Replace("'", "''") + "'" }} else {{ $path }}
                [CompletionResult]::new($word, $_.Name, [CompletionResultType]::ProviderItem, $path)
            }}
    }}

"#
    );
    match script.rfind(END) {
        Some(at) => format!("{}{files}{}", &script[..at], &script[at..]),
        None => script,
    }
}
