import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { parseServerId } from '../../kernel/server-id.ts'
import { never } from '../../kernel/test-never.ts'
import { pinByName } from '../../kernel/test-pin-path.ts'
import type { Host } from '../host.ts'
import { createWarden } from '../process/warden.ts'
import { listen, MB } from '../test-sandbox.ts'
import { launchBubblewrap } from './launch-bubblewrap.ts'
import { createServerUsers } from './server-users.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-launch-'))
chmodSync(folder, 0o755)
const warden = createWarden()
after(() => {
  warden[Symbol.dispose]()
  rmSync(folder, { recursive: true })
})

const host: Host = {
  nodePath: realpathSync(process.execPath),
  cordonHome: path.join(folder, 'home', '.cordon'),
  userHome: path.join(folder, 'home'),
  users: process.getuid?.() === 0 ? createServerUsers() : undefined,
  extraAuthorities: undefined,
  cgroups: undefined,
  timings: { politeMs: 300, firmMs: 300 },
  warden,
  pinPath: pinByName,
  writableFolders: () => [],
}

const MEMFD_CREATE = process.arch === 'arm64' ? 279 : 319

test('SANDBOX-6: a server that a cgroup was to hold and does not gets no memory that only a cgroup counts', async () => {
  const unusable = {
    layer: 'cgroup2',
    folder: path.join(folder, 'gone'),
    sharesProcessor: true,
  } as const
  let asked = 0
  const running = await launchBubblewrap(
    { ...host, cgroups: unusable },
    {
      server: parseServerId('one'),
      command: 'perl',
      args: ['-e', `my $n = 'x'; print syscall(${MEMFD_CREATE}, $n, 0) < 0 ? 'refused' : 'given'`],
      environment: {},
      networked: false,
      goAhead: async () => void (asked += 1),
      settings: {
        mode: 'bwrap',
        memoryLimitBytes: 128 * MB,
        readOnlyFs: true,
        allowTmp: true,
        readPaths: [],
        writePaths: [],
      },
    },
    never,
  )
  const heard = listen(running)
  assert.equal(running.memoryLayer, 'rlimit+watchdog')
  await running.ended
  assert.equal(heard.text, 'refused')
  assert.equal(asked, 1, 'the owner is not asked twice')
})
