/** What of the system every sandbox shows: its programs and libraries, and the certificates to check others by. Read-only. */
import { lstatSync, readlinkSync } from 'node:fs'

const ALWAYS = '/usr'
/** Links into /usr on a merged system, folders of their own on others. */
const BESIDE_USR = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const PUBLIC_FILES = [
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/ca-certificates.conf',
  '/etc/ld.so.cache',
  '/etc/alternatives',
  '/etc/mime.types',
]

export function systemMounts(): readonly string[] {
  return [
    ['--ro-bind', ALWAYS, ALWAYS],
    ...BESIDE_USR.map(linkOrBind),
    ...PUBLIC_FILES.map((path) => ['--ro-bind-try', path, path]),
  ].flat()
}

function linkOrBind(path: string): readonly string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!found) return []
  return found.isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path]
}
