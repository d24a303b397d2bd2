/**
 * A token that expires for twelve processes at once, fifty times, at a real authorization server that rotates refresh
 * tokens: each time exactly one process may redeem the token, and all must end up with the same new one.
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { type BenchReport, quantile } from './report.ts'

const PROCESSES = 12
const ROUNDS = 50
const script = fileURLToPath(new URL('../test/oauth/crowd.child.ts', import.meta.url))

interface CrowdReport {
  /** The number of redemptions in each round. */
  readonly redemptions: readonly number[]
  readonly refused: number
  readonly lost: number
  /** The time from the first request to the last answer, for each round. */
  readonly ms: readonly number[]
}

export async function run(): Promise<BenchReport> {
  const args = [script, String(PROCESSES), String(ROUNDS)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lastLine = (await text(child.stdout)).trim().split('\n').at(-1) ?? ''
  const { redemptions, refused, lost, ms } = JSON.parse(lastLine) as CrowdReport
  const once = redemptions.filter((count) => count === 1).length
  return {
    figures: [
      { name: `${PROCESSES} processes, p50`, value: quantile(ms, 0.5), unit: 'ms' },
      { name: `${PROCESSES} processes, p95`, value: quantile(ms, 0.95), unit: 'ms' },
    ],
    bars: [
      { name: 'rounds with one redemption', value: once, unit: '', kind: 'least', limit: ROUNDS },
      { name: 'redemptions that were refused', value: refused, unit: '', kind: 'most', limit: 0 },
      { name: 'answers without the newest token', value: lost, unit: '', kind: 'most', limit: 0 },
    ],
  }
}
