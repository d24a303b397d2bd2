/** The system's part of every sandbox: programs, libraries, and the CA certificates for TLS. Mounted read-only. */
import { lstatSync, readlinkSync } from 'node:fs'

const ALWAYS = '/usr'
/** Symbolic links into /usr on a merged-/usr system, folders of their own on others. */
const BESIDE_USR = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']
const PUBLIC_FILES = [
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/ca-certificates.conf',
  '/etc/ld.so.cache',
  '/etc/fonts',
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
