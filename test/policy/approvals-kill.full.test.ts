/** Kills a process at every step of an approval and restarts it: no call runs twice, or after a refusal or expiry. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { OwnedApprovals } from '../../src/policy/approvals/open-approvals.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { openStore, type Store, type StoreOptions } from '../../src/store/open-store.ts'
import { type DoomedChild, startChild } from '../fixtures/doomed-child.ts'
import { openPostgres, type TestPostgres } from '../fixtures/postgres.ts'
import { allow, openQuestion, openQueue, type TestClock } from './approvals-house.ts'

const CHILD = new URL('approvals-crash.child.ts', import.meta.url)
const log = { info() {}, warn() {}, error() {} }
const folder = mkdtempSync(path.join(tmpdir(), 'cordon-crash-'))
let server: TestPostgres
before(async () => {
  server = await openPostgres()
})
after(async () => {
  await server[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

type Place = Pick<StoreOptions, 'databaseUrl' | 'sqlitePath'>
type Step = 'asked' | 'answered' | 'spent' | 'before-call' | 'after-call'

interface Scene extends AsyncDisposable {
  /** The owner's queue, in this process; the call runs in a child process. */
  readonly owner: OwnedApprovals
  readonly clock: TestClock
  readonly store: Store
  start(dieAt?: Step): DoomedChild
  executions(): number
}

let scenes = 0
async function openScene(place: Place): Promise<Scene> {
  const counter = path.join(folder, `ran-${++scenes}`)
  const store = await openStore({ ...place, log })
  const clock: TestClock = { wall: 0, steady: 0 }
  return {
    owner: await openQueue(store, [], clock),
    clock,
    store,
    start: (dieAt) => startChild(CHILD, JSON.stringify({ place, counter, dieAt })),
    executions: () =>
      existsSync(counter) ? readFileSync(counter, 'utf8').split('\n').length - 1 : 0,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}

const engines: readonly (readonly [string, () => Promise<Place>])[] = [
  ['sqlite', async () => ({ sqlitePath: path.join(folder, `state-${scenes}.db`) })],
  ['postgresql', async () => ({ databaseUrl: await server.createDatabase(), sqlitePath: '' })],
]

/** Runs a child until it dies at this step; approves its call if the step comes after the question. */
async function dieAt(scene: Scene, step: Step): Promise<void> {
  const child = scene.start(step)
  if (step !== 'asked') {
    await child.untilSaid('asked')
    await allow(scene.owner)
  }
  assert.equal((await child.ended).signal, 'SIGKILL')
}

/** Refuses every open question: a process that did not get the single approval asks again, and is refused. */
async function refuseAll(owner: OwnedApprovals, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const { id } of await owner.list(false)) {
      await owner.answer({ id, allow: [], by: OWNER.id }, 'terminal')
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

for (const [engine, fresh] of engines) {
  test(`APPROVAL-2: ${engine}: killed when it has asked, it comes back for the answer and runs once`, async () => {
    await using scene = await openScene(await fresh())
    await dieAt(scene, 'asked')
    await allow(scene.owner)
    const { said } = await scene.start().ended
    assert.deepEqual([said, scene.executions()], ['ok\n', 1])
  })

  test(`APPROVAL-2: ${engine}: killed when it has asked, it does not run after a no`, async () => {
    await using scene = await openScene(await fresh())
    await dieAt(scene, 'asked')
    const { id } = await openQuestion(scene.owner)
    await scene.owner.answer({ id, allow: [], by: OWNER.id }, 'terminal')
    const { said } = await scene.start().ended
    assert.deepEqual([said, scene.executions()], ['refused approval.denied\n', 0])
  })

  test(`APPROVAL-2: ${engine}: killed when it has asked, it does not run when its time is up`, async () => {
    await using scene = await openScene(await fresh())
    await dieAt(scene, 'asked')
    scene.clock.wall += 300_000
    assert.deepEqual(await scene.owner.list(false), [])
    const { said } = await scene.start().ended
    assert.deepEqual([said, scene.executions()], ['refused approval.expired\n', 0])
  })

  test(`APPROVAL-2: ${engine}: killed when it was answered, it takes the answer and runs once`, async () => {
    await using scene = await openScene(await fresh())
    await dieAt(scene, 'answered')
    assert.equal(scene.executions(), 0)
    const { said } = await scene.start().ended
    assert.deepEqual([said, scene.executions()], ['ok\n', 1])
  })

  for (const [step, ran] of [
    ['spent', 0],
    ['before-call', 0],
    ['after-call', 1],
  ] as const) {
    test(`APPROVAL-2: ${engine}: killed at ${step}, it does not run again by the same yes`, async () => {
      await using scene = await openScene(await fresh())
      await dieAt(scene, step)
      assert.equal(scene.executions(), ran)
      const again = scene.start()
      await again.untilSaid('asked')
      const { id, lines } = await openQuestion(scene.owner)
      assert.match(JSON.stringify(lines), /it may have run already/)
      assert.equal(scene.executions(), ran)
      await scene.owner.answer({ id, allow: [], by: OWNER.id }, 'terminal')
      assert.equal((await again.ended).said, 'asked\nrefused approval.denied\n')
      assert.equal(scene.executions(), ran)
    })
  }

  test(`APPROVAL-2: ${engine}: of many processes with the same call and one yes, one runs it`, async () => {
    await using scene = await openScene(await fresh())
    await dieAt(scene, 'asked')
    await allow(scene.owner)
    const crowd = Promise.all(Array.from({ length: 4 }, () => scene.start().ended))
    const over = new AbortController()
    const refusing = refuseAll(scene.owner, over.signal)
    const said = (await crowd).map((one) => one.said.split('\n').at(-2))
    over.abort()
    await refusing
    assert.equal(said.filter((word) => word === 'ok').length, 1, said.join())
    assert.equal(scene.executions(), 1)
  })
}
