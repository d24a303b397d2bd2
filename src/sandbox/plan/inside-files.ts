/** The few system files a program expects to find, made for the sandbox. They reveal nothing about the host. */
export const INSIDE_USER: { readonly uid: number; readonly gid: number } = { uid: 1000, gid: 1000 }
export const INSIDE_HOME = '/home/mcp'
/** The folder that a server keeps its data in between starts. */
export const INSIDE_DATA = '/home/mcp/data'
/** Files of Cordon itself. */
export const INSIDE_CORDON = '/opt/cordon'
export const START_FILE = '/opt/cordon/start.pl'
/** Path inside of the Node that Cordon brought along. */
export const INSIDE_NODE = '/opt/cordon/bin/node'
/** Certificate authorities that the machine trusts besides the usual ones. */
export const INSIDE_AUTHORITIES = '/opt/cordon/authorities.pem'
/** The authority of the proxy, where the server's credentials are sealed. */
export const INSIDE_SEAL = '/opt/cordon/seal.pem'
/** The writable folder of a server whose file system is not read-only. */
export const INSIDE_WORK = '/work'

export const SYSTEM_FILES: Readonly<Record<string, string>> = {
  '/etc/passwd': `mcp:x:1000:1000:mcp:${INSIDE_HOME}:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n`,
  '/etc/group': 'mcp:x:1000:\nnogroup:x:65534:\n',
  // No DNS resolver exists inside: the proxy resolves a name outside, after it was allowed.
  '/etc/resolv.conf': 'options timeout:1 attempts:1\n',
  '/etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
}
