/**
 * A hundred clients at once for ten minutes, with a server that keeps crashing and clients that hang up: every call to a
 * healthy server is answered with its own bytes, and sockets and memory are back afterwards. `--quick`: 20 seconds.
 *
 * A leak is growth that goes on, so resident memory is read all the time: its mean over the last quarter is compared with
 * its mean over the second. More room that the heap took while the load began is in both.
 */
import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { residentOf } from './gateway/gateway-processes.ts'
import {
  bearer,
  type GatewayCordon,
  openGatewayCordon,
  post,
  textOf,
  toolCall,
} from '../test/fixtures/gateway-cordon.ts'
import type { Output } from '../src/api/contract.ts'
import type { BenchReport } from './report.ts'

export const FLAGS: readonly string[] = ['--quick']

const PRINCIPALS = ['one', 'two', 'three', 'four', 'five']
const CLIENTS = 100
const SETTLE_MS = 8000
/** A multiple of four. */
const SAMPLES = 20

interface Tally {
  calls: number
  errors: number
  strays: number
  crashes: number
  hangUps: number
}

export async function run(flags: ReadonlySet<string>): Promise<BenchReport> {
  const forMs = flags.has('--quick') ? 20_000 : 600_000
  await using gateway = await openGatewayCordon(
    { counter: ['counter'], doomed: ['counter'] },
    PRINCIPALS,
  )
  const { pid } = await gateway.cordon.ask<Output<'status'>>(['status'])
  const tally: Tally = { calls: 0, errors: 0, strays: 0, crashes: 0, hangUps: 0 }
  await load(gateway, tally, forMs / 4)
  const before = { mib: residentOf(pid), sockets: descriptors(pid) }
  const samples = await sampled(pid, forMs, load(gateway, tally, forMs))
  await pause(SETTLE_MS)
  const after = { mib: residentOf(pid), sockets: descriptors(pid) }
  return {
    figures: [
      { name: 'calls to the healthy server', value: tally.calls, unit: '' },
      { name: 'crashes of the other', value: tally.crashes, unit: '' },
      { name: 'clients that hung up', value: tally.hangUps, unit: '' },
      { name: 'memory after', value: after.mib, unit: 'MiB' },
      ...samples.map((value, at) => ({
        name: `memory after ${at + 1} of ${samples.length} parts`,
        value,
        unit: 'MiB',
      })),
    ],
    bars: [
      { name: 'errors of a healthy server', value: tally.errors, unit: '', limit: 0, kind: 'most' },
      { name: 'bytes of another client', value: tally.strays, unit: '', limit: 0, kind: 'most' },
      {
        name: 'memory vs warm',
        value: after.mib / before.mib,
        unit: '×',
        limit: 1.5,
        kind: 'most',
      },
      {
        name: 'memory of the last quarter vs the second',
        value: quarter(samples, 3) / quarter(samples, 1),
        unit: '×',
        limit: 1.1,
        kind: 'most',
      },
      {
        name: 'descriptors left over',
        value: after.sockets - before.sockets,
        unit: '',
        limit: 0,
        kind: 'most',
      },
    ],
  }
}

/** Resident memory at equal steps through the load, and the mean of one quarter of them. */
async function sampled(pid: number, forMs: number, work: Promise<void>): Promise<number[]> {
  const samples: number[] = []
  for (let at = 0; at < SAMPLES; at += 1) {
    await Promise.race([work, pause(forMs / SAMPLES)])
    samples.push(residentOf(pid))
  }
  await work
  return samples
}

function quarter(samples: readonly number[], at: number): number {
  const size = SAMPLES / 4
  const part = samples.slice(at * size, (at + 1) * size)
  return part.reduce((sum, one) => sum + one, 0) / size
}

async function load(gateway: GatewayCordon, tally: Tally, forMs: number): Promise<void> {
  const end = performance.now() + forMs
  const client = async (at: number): Promise<void> => {
    const name = PRINCIPALS[at % PRINCIPALS.length] ?? ''
    while (performance.now() < end) {
      if (at === 0) await crash(gateway, tally)
      else if (at % 20 === 0) await hangUp(gateway, name, tally)
      else await call(gateway, name, tally)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, (_, at) => client(at)))
}

async function call(gateway: GatewayCordon, name: string, tally: Tally): Promise<void> {
  tally.calls += 1
  const canary = `canary-of-${name}-${tally.calls}`
  const headers = bearer(gateway.tokenOf(name))
  const message = toolCall('counter__echo', { text: canary })
  const said = await post(gateway.url, message, { headers }).then(
    ({ body }) => textOf(body),
    () => '',
  )
  if (said === canary) return
  if (said.includes('canary-of-')) tally.strays += 1
  else tally.errors += 1
}

async function crash(gateway: GatewayCordon, tally: Tally): Promise<void> {
  const headers = bearer(gateway.tokenOf('one'))
  await post(gateway.url, toolCall('doomed__die', {}), { headers }).catch(() => undefined)
  tally.crashes += 1
}

async function hangUp(gateway: GatewayCordon, name: string, tally: Tally): Promise<void> {
  const signal = AbortSignal.timeout(200)
  const slow = toolCall('counter__sleep', { ms: 600_000 })
  const headers = bearer(gateway.tokenOf(name))
  await post(gateway.url, slow, { headers, signal }).catch(() => undefined)
  tally.hangUps += 1
}

function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
