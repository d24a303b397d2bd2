/**
 * The program, in Perl, that shows root's folders to an unprivileged user and then becomes bubblewrap as that user. It
 * takes a mount namespace of its own, binds each folder below one that the user can reach, and gives up root with every
 * capability and group before the exec. The binds are another path to the same files, nothing more: bubblewrap makes
 * them read-only, and the launch compares each one with the file that was judged.
 */
import type { User } from './unprivileged-user.ts'

/** System call numbers of `unshare`, `mount`, `setgroups`, `setresgid`, `setresuid`, `capset` and `prctl`. */
const CALLS =
  process.arch === 'arm64' ? [97, 40, 159, 149, 147, 91, 167] : [272, 165, 116, 119, 117, 126, 157]

/** MS_REC | MS_SLAVE: nothing that is mounted here reaches the host. */
const MS_REC_SLAVE = 0x84000
const MS_REC_BIND = 0x5000
/** MS_NOSUID | MS_NODEV */
const PLAIN = 6
const CLONE_NEWNS = 0x20000
/** The form of `capset` in which all capabilities are two times three words. */
const CAPABILITY_VERSION = 0x20080522
const PR_SET_NO_NEW_PRIVS = 38

const PROGRAM = `
use strict;
my ($unshare, $mount, $setgroups, $setgid, $setuid, $capset, $prctl, $uid, $gid, $count) = map { $_ + 0 } splice @ARGV, 0, 10;
my ($at, @words) = @ARGV;
sub fail { print STDERR "cordon: $_[0]: $!\\n"; exit 125 }
my ($none, $root, $tmpfs, $mode) = ('none', '/', 'tmpfs', 'mode=0755');
syscall($unshare, ${CLONE_NEWNS}) == 0 or fail 'mount namespace';
syscall($mount, $none, $root, 0, ${MS_REC_SLAVE}, 0) == 0 or fail 'slave mounts';
my @folders = map { sysopen my $folder, $_, 010000000 or fail $_; $folder } splice @words, 0, $count; # O_PATH
# From here on a folder below \`$at\` can be reached by its descriptor only.
syscall($mount, $tmpfs, $at, $tmpfs, ${PLAIN}, $mode) == 0 or fail $at;
for my $index (0 .. $#folders) {
  my ($folder, $view) = ($folders[$index], "$at/$index");
  (-d $folder ? mkdir $view, 0755 : open my $file, '>', $view) or fail $view;
  my $source = '/proc/self/fd/' . fileno $folder;
  syscall($mount, $source, $view, 0, ${MS_REC_BIND}, 0) == 0 or fail $view;
}
syscall($setgroups, 0, 0) == 0 or fail 'groups';
syscall($setgid, $gid, $gid, $gid) == 0 or fail 'group';
syscall($setuid, $uid, $uid, $uid) == 0 or fail 'user';
my ($who, $nothing) = (pack('L l', ${CAPABILITY_VERSION}, 0), pack('L6', (0) x 6));
syscall($capset, $who, $nothing) == 0 or fail 'capabilities';
syscall($prctl, ${PR_SET_NO_NEW_PRIVS}, 1, 0, 0, 0) == 0 or fail 'new privileges';
exec { $words[0] } @words;
fail $words[0];
`

/** The command line that shows `folders` at `at/0`, `at/1` and so on, and goes on as `user` with the words after it. */
export function showFolders(
  perl: string,
  { uid, gid }: User,
  at: string,
  folders: readonly string[],
): readonly string[] {
  const numbers = [...CALLS, uid, gid].map(String)
  return [perl, '-e', PROGRAM, ...numbers, String(folders.length), at, ...folders]
}
