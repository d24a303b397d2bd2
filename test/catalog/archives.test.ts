/** Archives with entries that lead elsewhere, each refused at its header. How they are built: `stand-in-registry.ts`. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { checkArchive } from '../../src/catalog/proof/check-archive.ts'
import { countRefusals } from './count-refusals.ts'
import { archiveOf, tarEntry, type TarEntry } from './stand-in-registry.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-archives-'))
after(() => rmSync(folder, { recursive: true }))

/** A PAX record counts its own length. */
function pax(record: string): string {
  const length = record.length + 4
  return `${length < 100 ? length : length + 1} ${record}\n`
}
/** The header of an entry of this name, as the content of another entry. */
const hidden = (name: string): string => tarEntry({ name }).toString('latin1')
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
  'a folder with a size, whose content npm reads as headers': [
    { name: 'package/lib/', type: '5', text: hidden('package/../../up.txt') },
  ],
  'a file that is a folder by its name, with a size': [
    { name: 'package/lib/', text: hidden('package/../../up.txt') },
  ],
  'a file that is a folder by its PAX name, with a size': [
    { name: 'note', type: 'x', text: pax('path=package/lib/') },
    { name: 'package/lib', text: hidden('package/../../up.txt') },
  ],
  'a file with a link, whose content npm reads as headers': [
    { name: 'package/a', link: 'b', text: hidden('package/../../up.txt') },
  ],
  'a link without one, whose content npm reads as headers': [
    { name: 'package/a', type: '2', text: hidden('package/../../up.txt') },
  ],
  'an entry without a name, whose content npm reads as headers': [
    { name: '', text: hidden('package/../../up.txt') },
  ],
  'a long name with a link, whose content npm reads as headers': [
    { name: 'note', type: 'L', link: 'b', text: hidden('package/../../up.txt') },
    { name: 'package/a' },
  ],
  'a PAX note with a tab behind its length': [
    { name: 'note', type: 'x', text: pax('path=package/../../up.txt').replace(' ', '\t') },
    { name: 'package/up.txt' },
  ],
  'a PAX note with a tab and another size': [
    { name: 'note', type: 'x', text: pax('size=0').replace(' ', '\t') },
    { name: 'package/up.txt', text: 'x'.repeat(600) },
  ],
  'a PAX note with a length that is too short': [
    { name: 'note', type: 'x', text: '9 path=../up.txt\n' },
    { name: 'package/up.txt' },
  ],
  'a PAX note whose value goes on behind a line break': [
    { name: 'note', type: 'x', text: pax('comment=a\n22 path=../../up.txt') },
    { name: 'package/up.txt' },
  ],
  'a GNU note that goes on behind its end': [
    { name: 'note', type: 'L', text: 'package/a\0b\n/../../../up.txt' },
    { name: 'package/up.txt' },
  ],
  'a GNU note about a link that goes on behind its end': [
    { name: 'note', type: 'K', text: 'a\0b\n/../../../up.txt' },
    { name: 'package/up.txt', type: '2', link: 'a' },
  ],
  'a name that goes on behind its end': [{ name: 'package/a\0b\n/../../../up.txt' }],
  'a PAX note for all entries with a size': [
    { name: 'note', type: 'g', text: pax('size=600') },
    { name: 'package/up.txt', text: 'x'.repeat(600) },
  ],
  'a PAX note with a size in another spelling': [
    { name: 'note', type: 'x', text: pax('size=6e2') },
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
  'a PAX note with the size that its header has': [
    { name: 'note', type: 'x', text: pax('size=600') },
    { name: 'package/a.js', text: 'x'.repeat(600) },
  ],
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

const count = countRefusals('npm archives', Object.keys(HOSTILE).length)

test('INSTALL-1: an entry that leads elsewhere is found, however its name is written', async () => {
  const why =
    /in an archive of it (?:leads elsewhere|is a link to elsewhere|is no file|is damaged)|an archive of it is damaged/
  for (const [what, entries] of Object.entries(HOSTILE)) {
    await assert.rejects(check(made(entries)), why, what)
    count()
  }
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
