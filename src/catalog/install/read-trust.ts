/**
 * The certificate authorities under which the npm registry is trusted: those of npm's `cafile` or `ca` alone where they
 * are set, as with npm itself; otherwise Node's own, those of this machine, and `NODE_EXTRA_CA_CERTS`.
 */
import { readFile } from 'node:fs/promises'
import type { NpmSettings } from './npm-settings.ts'

export interface Trust {
  /** PEM. */
  readonly authorities: string
  /** Whether these take the place of Node's own. */
  readonly isOnly: boolean
  /** No file with the machine's authorities was found: Node has to look for them (`--use-system-ca`). */
  readonly isIncomplete: boolean
}

/** The authorities of the machine, in one file: Debian, Fedora, SUSE, RHEL, Alpine. */
const BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

export async function readTrust(settings: NpmSettings): Promise<Trust> {
  const cafile = settings.get('cafile')
  const fromFile = cafile === undefined ? '' : await readText(settings.resolve(cafile))
  const given = fromFile || settings.all('ca').map(unfold).join('\n')
  if (/-----BEGIN /.test(given)) return { authorities: given, isOnly: true, isIncomplete: false }
  const extra = settings.variable('node_extra_ca_certs')
  const system = await readSystem(settings)
  const texts = [extra === undefined ? '' : await readText(extra), system]
  return { authorities: texts.join('\n'), isOnly: false, isIncomplete: system === '' }
}

/** In an npmrc, a certificate is one line with `\n` for its line breaks. */
function unfold(certificate: string): string {
  return certificate.replaceAll(String.raw`\n`, '\n')
}

/** Read from the file each time: Node itself needs half a second for it, and keeps what it found while it runs. */
async function readSystem(settings: NpmSettings): Promise<string> {
  const named = settings.variable('ssl_cert_file')
  for (const file of named === undefined ? BUNDLES : [named, ...BUNDLES]) {
    const text = await readText(file)
    if (text !== '') return text
  }
  return ''
}

async function readText(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch(() => '')
}
