import assert from 'node:assert/strict'
import { spawnSync, type SpawnSyncReturns } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { findTools } from './host-tools.ts'
import { showFolders } from './show-folders.ts'
import { NOBODY } from './unprivileged-user.ts'

const isRoot = process.getuid?.() === 0
const base = mkdtempSync(path.join(tmpdir(), 'cordon-show-'))
chmodSync(base, 0o755)
after(() => rmSync(base, { recursive: true }))
/** Gets covered by the tmpfs, although it holds one of the shown folders. */
const at = path.join(base, 'at')
mkdirSync(path.join(at, 'covered'), { recursive: true })
writeFileSync(path.join(at, 'covered/note'), 'covered\n')
const closed = path.join(base, 'closed')
mkdirSync(path.join(closed, 'open'), { recursive: true })
writeFileSync(path.join(closed, 'open/note'), 'below a closed folder\n')
chmodSync(closed, 0o700)

function show(folders: readonly string[], script: string): SpawnSyncReturns<string> {
  const [command, ...args] = [
    ...showFolders(findTools().perl, NOBODY, at, folders),
    '/bin/sh',
    '-c',
    script,
  ]
  return spawnSync(command, args, { encoding: 'utf8', env: {} })
}

const skip = !isRoot && 'only root gives anything up'

test('showFolders() shows folders and files that the user cannot reach, and the host keeps none of it', {
  skip,
}, () => {
  const folders = [
    path.join(closed, 'open'),
    path.join(at, 'covered'),
    path.join(closed, 'open/note'),
  ]
  const shown = show(folders, `cd ${at} && cat 0/note 1/note 2 && ls; cat ${closed}/open/note`)
  assert.equal(shown.stdout, 'below a closed folder\ncovered\nbelow a closed folder\n0\n1\n2\n')
  assert.match(shown.stderr, /Permission denied/)
  assert.deepEqual(readdirSync(at), ['covered'])
})

test('showFolders() gives up root with every group and capability', { skip }, () => {
  const { stdout } = show([], 'id -u; id -G; grep -E "^(Groups|Cap|NoNew)" /proc/self/status')
  const [user, groups, ...status] = stdout.trim().split('\n')
  assert.deepEqual([user, groups], ['65534', '65534'])
  const held = Object.fromEntries(status.map((line) => line.split(/:\s*/)))
  assert.partialDeepStrictEqual(held, {
    Groups: '',
    CapInh: '0000000000000000',
    CapPrm: '0000000000000000',
    CapEff: '0000000000000000',
    CapAmb: '0000000000000000',
    NoNewPrivs: '1',
  })
})

test('showFolders() runs nothing where a folder is gone', { skip }, () => {
  const { status, stdout, stderr } = show([path.join(base, 'nowhere')], 'echo ran')
  assert.equal(status, 125)
  assert.equal(stdout, '')
  assert.match(stderr, /nowhere: No such file or directory/)
})
