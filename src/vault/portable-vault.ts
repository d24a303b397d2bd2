/**
 * The files of a vault as a backup holds them. A passphrase and a key file open them on any machine; the entry of an OS
 * keychain does not leave its machine, so the keys are wrapped anew by a key file. Whoever writes the backup encrypts it.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Files, PortableVault } from '../kernel/ports.ts'
import type { HeaderFile } from './header.ts'
import { wrapKeyring } from './keyring.ts'
import { KEY_LENGTH } from './sealed-box.ts'
import type { VaultKeys } from './vault-keys.ts'

export interface PortableParts {
  readonly folder: string
  readonly files: Pick<Files, 'read' | 'list'>
  readonly header: HeaderFile
  readonly keys: VaultKeys
}

/** Refused while a vault with a key in the keychain is locked: nobody could open the copy. */
export async function portableVault({
  folder,
  files,
  header,
  keys,
}: PortableParts): Promise<PortableVault> {
  // A damaged header is copied as it is: the records may be all that is left.
  const found = await header.read().catch(() => 'damaged' as const)
  if (!found) return { key: null, files: [] }
  const records = (await files.list(join(folder, 'records'))).map((name) => `records/${name}`)
  const kept = await readAll(files, folder, records)
  if (found === 'damaged' || found.keySource !== 'keychain') {
    const own = await readAll(files, folder, ['header.json', 'key'])
    return { key: found === 'damaged' ? null : found.keySource, files: [...own, ...kept] }
  }
  const { vault, masters, active } = await keys.need('back up the vault')
  const key = randomBytes(KEY_LENGTH)
  const wrapped = wrapKeyring({
    vault,
    masters,
    active,
    wrapping: { source: 'keyfile', bytes: key },
  })
  const content = Buffer.from(`${JSON.stringify(wrapped, null, 2)}\n`)
  return {
    key: 'keychain',
    files: [{ name: 'header.json', content }, { name: 'key', content: key }, ...kept],
  }
}

async function readAll(
  files: Pick<Files, 'read'>,
  folder: string,
  names: readonly string[],
): Promise<PortableVault['files']> {
  const read = await Promise.all(
    names.map(async (name) => ({ name, content: await files.read(join(folder, name)) })),
  )
  return read.flatMap(({ name, content }) => (content ? [{ name, content }] : []))
}
