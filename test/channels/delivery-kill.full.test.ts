/**
 * Deliveries of a real process that is killed (`kill -9`) at any moment, over a real store on disk: no message is sent
 * twice, and none is lost. One whose fate nobody can know is told as such.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { startChild } from '../store/engine-under-test.ts'
import { bodyFor, expectAll, openService, settled } from './delivery-process.ts'

const RUNS = rounds(40, 12)
const MOST_KILLS = rounds(25, 8)
/** A lock of a dead process would only be waited for, 30 seconds each: there is one process at a time. */
const ONE_PROCESS = '{ exclusively: async (_name, work) => await work() }'

test('CHAT-6: over real kills no result is sent twice, and none is lost', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-delivery-kill-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const place = { databaseUrl: undefined, sqlitePath: path.join(folder, 'state.db') }
  const received: string[] = []
  let kills = 0
  let victim: ReturnType<typeof startChild> | undefined
  const kill = (): void => {
    if (kills < MOST_KILLS && victim?.kill('SIGKILL')) kills += 1
  }
  // Half of the kills come while a message is taken, the others at any time.
  using service = await openService(received, () => void (Math.random() < 0.3 && kill()))
  const ids = Array.from({ length: RUNS }, (_, at) => `run-${at}`)
  await expectAll(place, ids)
  for (let isSettled = false; !isSettled; ) {
    const child = startChild(place, bodyFor(service.address, ONE_PROCESS))
    victim = child
    const ended = once(child, 'exit')
    const said = text(child.stdout)
    const late = setTimeout(kill, 300 + Math.random() * 1500)
    await ended
    clearTimeout(late)
    isSettled = (await said).includes('settled')
  }
  const rows = await settled(place, received, ids)
  const unsure = rows.filter(({ state }) => state === 'unsure').length
  t.diagnostic(`${kills} kills, ${RUNS} results: ${received.length} sent, ${unsure} unsure`)
})
