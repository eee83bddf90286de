//! Programs that run other programs.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words of shells and languages that precede a command or evaluate a string.
const KEYWORDS: &str = "! - . alias bind builtin case command compgen complete coproc do elif else enable eval \
    exec fc foreach function hash if let mapfile nocorrect noglob readarray repeat source \
    system then time trap until while";

/// Programs that run the program in their arguments. A rule that allows one of these must name
/// the other program too.
const RUNNERS: &str = "arch ash autossh bash batch busybox bwrap caffeinate capsh catchsegv catatonit cgexec chpst \
    chroot chronic chrt cmd cpulimit csh daemon daemonize dash dbus-launch dbus-run-session doas \
    dtach dumb-init eatmydata entr env envdir envuidgid fakechroot fakeroot faketime firejail fish \
    flatpak-spawn flock genv gnice gnohup gosu gstdbuf gtime gtimeout gxargs hush hyperfine i386 ifne \
    ionice ksh linux32 linux64 lockf logsave ltrace machinectl mispipe mksh mosh mpiexec mpirun newgrp nice \
    nohup nsenter nsjail numactl parallel pee perf pgrphack pkexec powershell prlimit proot \
    proxychains proxychains4 pwsh rbash rlwrap rr rsh runcon runuser s6-envdir s6-setuidgid \
    sandbox-exec schedtool screen script setarch setlock setpriv setsid setuidgid sg sh softlimit \
    sshpass start-stop-daemon stdbuf strace su su-exec sudo systemd-nspawn systemd-run taskset tcsh \
    time timeout tini tmux torify torsocks toybox trickle tsocks tsp unbuffer unshare valgrind vglrun watch wsl \
    x86_64 xargs xvfb-run zsh";

/// Programs that can run the program in their arguments, but have other uses. A rule that
/// allows one of these need not name the other program.
const OTHERS: &str = "asdf at awk aws-vault bfs bun bunx bundle cmake conda cross-env deno direnv doppler dotenv \
    dotenvx expect fd fdfind find gawk gdb gfind guix hatch lldb lua mamba mawk micromamba mise nawk nix nix-shell \
    node npx op osascript pdm perl php pipenv pipx pnpx poetry pypy pypy3 python python2 python3 \
    ruby rye ssh tclsh tsx uv uvx";

/// Programs that run the program in their arguments if one of these words is present.
const WITH: &[(&str, &str)] = &[
    (
        "git",
        "-c -x --exec bisect config difftool filter-branch mergetool submodule",
    ),
    ("docker kubectl nerdctl oc podman", "debug exec run"),
    ("npm pnpm yarn", "-c dlx exec explore x"),
    ("rg", "--pre --hostname-bin"),
    ("man", "-P --pager"),
    ("rsync", "-e --rsh"),
    ("tar", "-I -F --use-compress-program --to-command"),
    ("sort", "--compress-program"),
    ("make", "-f --eval"),
];

/// Shells, and programs that run their input.
const READERS: &str = "ash bash batch at cmd csh dash fish hush ksh mksh parallel powershell pwsh rbash sh tcsh \
    xargs gxargs zsh";

static ALWAYS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let lists = [KEYWORDS, RUNNERS, OTHERS];
    lists.iter().flat_map(|list| list.split(' ')).collect()
});

static SPELLED: LazyLock<HashSet<&str>> = LazyLock::new(|| RUNNERS.split(' ').collect());

static READING: LazyLock<HashSet<&str>> = LazyLock::new(|| READERS.split(' ').collect());

/// Returns whether a rule that allows this program must name the command that it runs.
pub(super) fn must_be_named(program: &str) -> bool {
    SPELLED.contains(program)
}

/// Returns whether a program may run commands from its input.
pub(super) fn reads_commands(program: &str) -> bool {
    READING.contains(program)
}

/// Returns whether a command, given by the name of its program and its other words, may run
/// other commands in these words.
pub(super) fn may_run(program: &str, arguments: &[String]) -> bool {
    if ALWAYS.contains(program) {
        return true;
    }
    let is_in = super::words::is_in;
    let with = WITH.iter().find(|(programs, _)| is_in(programs, program));
    with.is_some_and(|(_, words)| {
        arguments.iter().any(|argument| {
            let option = argument.split('=').next().unwrap_or(argument);
            is_in(words, option)
        })
    })
}
