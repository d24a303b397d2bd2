/** Archives with entries that lead elsewhere, each refused at its header. How they are built: `stand-in-registry.ts`. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { checkArchive } from '../../src/catalog/proof/check-archive.ts'
import { archiveOf, type TarEntry } from './stand-in-registry.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-archives-'))
after(() => rmSync(folder, { recursive: true }))

/** A PAX record counts its own length. */
const pax = (record: string): string => `${record.length + 4} ${record}\n`
const HOSTILE: Readonly<Record<string, readonly TarEntry[]>> = {
  'a name that climbs': [{ name: 'package/../../up.txt' }],
  'a name that climbs at once': [{ name: '../up.txt' }],
  'an absolute name': [{ name: '/tmp/up.txt' }],
  'a name of Windows': [{ name: 'C:\\up.txt' }],
  'a name that climbs with backslashes': [{ name: 'package\\..\\..\\up.txt' }],
  'a PAX note with a name that climbs': [
    { name: 'note', type: 'x', text: pax('path=package/../../up.txt') },
    { name: 'package/up.txt' },
  ],
  'a GNU note with an absolute name': [
    { name: '././@LongLink', type: 'L', text: '/tmp/up.txt\0' },
    { name: 'package/up.txt' },
  ],
  'a symbolic link to a file of the machine': [
    { name: 'package/up.txt', type: '2', link: '/etc/passwd' },
  ],
  'a symbolic link that climbs': [{ name: 'package/up.txt', type: '2', link: '../../../up.txt' }],
  'a hard link to a file of the machine': [
    { name: 'package/up.txt', type: '1', link: '/etc/passwd' },
  ],
  'a hard link that climbs': [{ name: 'package/up.txt', type: '1', link: 'package/../../up.txt' }],
  'a PAX note with a link that climbs': [
    { name: 'note', type: 'x', text: pax('linkpath=../../../../up.txt') },
    { name: 'package/up.txt', type: '2', link: 'x' },
  ],
  'an entry after the end mark': [{ name: 'mark', type: 'END' }, { name: '../up.txt' }],
  'two names in one PAX note': [
    { name: 'note', type: 'x', text: pax('path=package/a') + pax('path=../up.txt') },
    { name: 'package/up.txt' },
  ],
  'a PAX note for all entries with a name': [
    { name: 'note', type: 'g', text: pax('path=../up.txt') },
    { name: 'package/up.txt' },
  ],
  'a PAX note with another size': [
    { name: 'note', type: 'x', text: pax('size=0') },
    { name: 'package/up.txt', text: 'x'.repeat(600) },
  ],
  'a header with a wrong sum': [{ name: 'package/up.txt', type: 'SUM' }],
  'a device': [{ name: 'package/up.txt', type: '3' }],
  'a pipe': [{ name: 'package/up.txt', type: '6' }],
}

const FRIENDLY: Readonly<Record<string, readonly TarEntry[]>> = {
  'a name with two dots in it': [{ name: 'package/a..b/..c' }],
  'a folder': [{ name: 'package/lib/', type: '5' }],
  'a link beside it': [{ name: 'package/lib/up.txt', type: '2', link: '../index.js' }],
  'a long name by a PAX note': [
    { name: 'note', type: 'x', text: pax(`path=package/${'a'.repeat(84)}/b`) },
    { name: 'package/b' },
  ],
}

async function check(bytes: Buffer): Promise<void> {
  const file = path.join(folder, 'one.tgz')
  writeFileSync(file, bytes)
  await checkArchive(file)
}
const made = (entries: readonly TarEntry[]): Buffer =>
  archiveOf({ name: 'it', files: { 'index.js': 'x'.repeat(100_000) }, entries })

test('INSTALL-1: an entry that leads elsewhere is found, however its name is written', async () => {
  const why =
    /in an archive of it (?:leads elsewhere|is a link to elsewhere|is no file|is damaged)|an archive of it is damaged/
  for (const [what, entries] of Object.entries(HOSTILE)) {
    await assert.rejects(check(made(entries)), why, what)
  }
  console.log(`hostile archive entries refused: ${Object.keys(HOSTILE).length}`)
})

test('entries that stay inside are let through', async () => {
  for (const [what, entries] of Object.entries(FRIENDLY)) {
    await assert.doesNotReject(check(made(entries)), what)
  }
})

test('an archive that is cut, or no archive, is an error and never passes for an empty one', async () => {
  const whole = made([])
  await assert.rejects(check(whole.subarray(0, whole.length / 2)))
  await assert.rejects(check(Buffer.from('no archive')))
  await assert.rejects(check(gzipSync('x'.repeat(2000))))
})
