/** Starts of servers, measured in turns: each round runs every contender once, so that all meet the same machine. */
import type { Readable, Writable } from 'node:stream'
import { quantile } from '../report.ts'
import { listTools } from './list-tools.ts'

const WARM_UP = 2

export interface Running {
  readonly stdin: Writable
  readonly stdout: Readable
  stop(): Promise<unknown>
}

export type Start = () => Promise<Running>

export type Medians = Readonly<Record<string, number>>

type Timed = () => Promise<number>

export function perServer(
  contenders: Readonly<Record<string, Start>>,
  atOnce: number,
): Readonly<Record<string, Timed>> {
  return Object.fromEntries(
    Object.entries(contenders).map(([name, start]) => [
      name,
      () => timeToTools(Array.from({ length: atOnce }, () => start)),
    ]),
  )
}

/** Each round runs every contender in turn. */
export async function inTurns(
  contenders: Readonly<Record<string, Timed>>,
  rounds: number,
): Promise<Medians> {
  const taken = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]))
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const [name, time] of Object.entries(contenders)) {
      const ms = await time()
      if (round >= 0) taken.get(name)?.push(ms)
    }
  }
  return Object.fromEntries([...taken].map(([name, samples]) => [name, quantile(samples, 0.5)]))
}

/** Milliseconds from starting all servers together until the last has listed its tools. */
async function timeToTools(starts: readonly Start[]): Promise<number> {
  const began = performance.now()
  const running = await Promise.all(
    starts.map(async (start) => {
      const server = await start()
      await listTools(server)
      return server
    }),
  )
  const taken = performance.now() - began
  await Promise.all(running.map((server) => server.stop()))
  return taken
}
