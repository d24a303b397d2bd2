/** Attempts to use sockets in ways that other walls do not see: by flags and options, mostly by bare system calls. */
import { type Attempts, call, perl, systemCall } from './probe.ts'

const SENDTO = call(44, 206)
const SENDMSG = call(46, 211)
const SENDMMSG = call(307, 269)
const MSG_FASTOPEN = 0x20000000
const MSG_OOB = 1

/** A listener of its own, in which nothing else is needed: the connection is made by the first bytes that are sent. */
function sendFirst(number: number, args: string): string {
  return perl(`
    socket(my $l, 2, 1, 0) or die $!; bind($l, pack('S n C4 x8', 2, 0, 127, 0, 0, 1)) or die $!;
    listen($l, 5) or die $!;
    my $to = getsockname $l; my $text = 'first bytes'; socket(my $s, 2, 1, 0) or die $!;
    my $part = pack 'P Q', $text, length $text;
    my $message = pack 'P L x4 P Q Q Q L x4', $to, 16, $part, 1, 0, 0, 0;
    my $many = $message . pack 'L x4', 0;
    syscall(${number}, fileno $s, ${args}) >= 0 or stop();
    my $w = ''; vec($w, fileno $l, 1) = 1;
    select($w, undef, undef, 5) > 0 ? got('a connection') : die 'nobody came'`)
}

/** The urgent byte of Unix sockets, such as its own streams are. */
function sendUrgent(number: number, args: string): string {
  return perl(`socketpair(my $s, my $other, 1, 1, 0) or die $!; my $text = 'x';
    my $part = pack 'P Q', $text, 1; my $message = pack 'Q Q P Q Q Q Q', 0, 0, $part, 1, 0, 0, 0;
    my $many = $message . pack 'L x4', 0;
    syscall(${number}, fileno $s, ${args}) >= 0 ? got('an urgent byte') : stop()`)
}

/** A key for signed segments; an empty one is refused by the kernel, behind the filter, in its own words. */
function keyFor(option: number, length: number): string {
  return perl(`socket(my $s, 2, 1, 0) or die $!; my $to = pack 'S n C4 x8', 2, 80, 127, 0, 0, 1;
    my $key = $to . "\\0" x 112 . pack('C C S L', 0, 0, 3, 0) . 'key';
    setsockopt($s, 6, ${option}, $key . "\\0" x (${length} - length $key)) || !$!{EPERM} ? got(${option}) : stop()`)
}

/** One step that lets every packet pass: any option that loads it has loaded a program. */
function attach(option: number): string {
  return perl(`socket(my $s, 2, 2, 0) or die $!; my $step = pack 'S C C L', 6, 0, 0, 0xffff;
    setsockopt($s, 1, 15, pack('i', 1)) or die $!;
    setsockopt($s, 1, ${option}, pack('S x6 P', 1, $step)) ? got(${option}) : stop()`)
}

/** Without a connection, or without the module, the kernel refuses as well; that errno comes from behind the filter. */
const KERNEL_TLS = `socket(my $s, 2, 1, 0) or die $!;
  setsockopt($s, 6, 31, "tls") || $!{ENOENT} || $!{ENOTCONN} ? got("tls") : stop()`

export const SOCKETS: Attempts = {
  99: () => ({
    sendto: () => sendFirst(SENDTO, `$text, length $text, ${MSG_FASTOPEN}, $to, 16`),
    sendmsg: () => sendFirst(SENDMSG, `$message, ${MSG_FASTOPEN}`),
    sendmmsg: () => sendFirst(SENDMMSG, `$many, 1, ${MSG_FASTOPEN}`),
  }),
  100: () => ({ SO_ATTACH_FILTER: () => attach(26), SO_ATTACH_REUSEPORT_CBPF: () => attach(51) }),
  101: () => ({ TCP_ULP: () => perl(KERNEL_TLS) }),
  107: () => ({
    sendto: () => sendUrgent(SENDTO, `$text, 1, ${MSG_OOB}, 0, 0`),
    sendmsg: () => sendUrgent(SENDMSG, `$message, ${MSG_OOB}`),
    sendmmsg: () => sendUrgent(SENDMMSG, `$many, 1, ${MSG_OOB}`),
  }),
  109: () => ({ TCP_MD5SIG: () => keyFor(14, 216), TCP_AO_ADD_KEY: () => keyFor(38, 352) }),
  102: () => ({
    open_tree_attr: () =>
      systemCall(
        467,
        '-100, $t, 0x8001, 0, 0',
        `syscall(${call(272, 97)}, 0x10020000); my $t = "/usr"`,
      ),
  }),
}
