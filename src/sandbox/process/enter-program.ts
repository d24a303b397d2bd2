/**
 * The part of the warden that enters a parked sandbox, in Perl. A fork joins its user and mount namespaces, which needs
 * no privilege: the user who made a user namespace has every capability in it. Then, before the server's first line:
 *
 *   the first process gets the limits of the server, which it could otherwise be rewritten to do without
 *   the user namespace gets limits of its own, so that no count is used up for the other programs of the user
 *   every mount becomes private, so that nothing that is mounted on the host later appears inside
 *   `/proc` shows processes, and of the machine only the few files that programs need
 */

/** Counts per user namespace (`/proc/sys/user`); a kernel without one of them has no such objects to count. */
const COUNTS = { max_inotify_instances: 32, max_inotify_watches: 8192, max_user_namespaces: 0 }

const MS_REC_PRIVATE = 0x44000
const MS_BIND = 0x1000
/** MS_REMOUNT, and nosuid, nodev and noexec as bubblewrap mounts it. */
const REMOUNT = 0x2e
/** Without these, `os.cpus()`, `free`, `df` and programs that look for their own network find nothing. */
const SEEN_FILES = ['cpuinfo', 'filesystems', 'loadavg', 'meminfo', 'stat', 'uptime', 'version']
const SEEN_LINKS = ['mounts', 'net']
/** OPEN_TREE_CLONE and AT_SYMLINK_NOFOLLOW: a mount of the link itself. */
const CLONE_LINK = 0x101
const MOVE_MOUNT_F_EMPTY_PATH = 4

/** Uses `$setns`, `$mount` and `$prlimit`, the numbers of those system calls. */
export const ENTER_PROGRAM: string = `
sub enter {
  my ($init, @limits) = @_;
  my $child = fork;
  print "$init no process\\n" unless defined $child;
  return if !defined $child || $child;
  my $say = sub { syswrite STDOUT, $_[0] ? "$init $_[0]: $!\\n" : "$init\\n"; exit };
  open my $user, '<', "/proc/$init/ns/user" or $say->('user namespace');
  open my $mounts, '<', "/proc/$init/ns/mnt" or $say->('mount namespace');
  syscall($setns + 0, fileno $user, 0) == 0 or $say->('user namespace');
  for (@limits) {
    my ($resource, $most) = split /:/;
    syscall($prlimit + 0, $init + 0, $resource + 0, pack('Q Q', $most, $most), 0) == 0 or $say->('limits');
  }
  my %counts = qw(${Object.entries(COUNTS).flat().join(' ')});
  for (keys %counts) { open my $count, '>', "/proc/sys/user/$_" or next; syswrite $count, $counts{$_} }
  syscall($setns + 0, fileno $mounts, 0) == 0 or $say->('mount namespace');
  my ($none, $root) = ('none', '/');
  syscall($mount + 0, $none, $root, 0, ${MS_REC_PRIVATE}, 0) == 0 or $say->('private mounts');
  seclude();
  $say->('');
}
# A mount keeps its own name in /proc when \`subset=pid\` (Linux 5.8) takes all other names away that are no process. An
# older kernel refuses the option and shows all of them.
sub seclude {
  my ($proc, $only, $empty) = ('proc', 'subset=pid', '');
  for (qw(${SEEN_FILES.join(' ')})) {
    my $file = "/proc/$_";
    syscall($mount + 0, $file, $file, 0, ${MS_BIND}, 0);
  }
  for (qw(${SEEN_LINKS.join(' ')})) {
    my $link = "/proc/$_";
    my $tree = syscall(428, -100, $link, ${CLONE_LINK});
    syscall(429, $tree, $empty, -100, $link, ${MOVE_MOUNT_F_EMPTY_PATH}) if $tree >= 0;
  }
  my $at = '/proc';
  syscall($mount + 0, $proc, $at, $proc, ${REMOUNT}, $only);
}
`
