/** Connections for Node's own fetch that somebody else opens, one by one. It decides nothing and dials nothing. */
import type { Socket } from 'node:net'
import { Agent, type buildConnector, Dispatcher1Wrapper, type Dispatcher } from 'undici'
import type { EgressLimits } from './limits.ts'

type Open = (target: buildConnector.Options) => Promise<Socket>

/** Fit for the `dispatcher` option of fetch. */
export function createAgent({ idleMs }: EgressLimits, open: Open): Dispatcher {
  const connect: buildConnector.connector = (target, callback) => {
    void answer(open(target), callback)
  }
  const timeouts = { headersTimeout: idleMs, bodyTimeout: idleMs }
  // Node's fetch is of an older undici than the package, and speaks to it through the wrapper.
  return new Dispatcher1Wrapper(new Agent({ connect, allowH2: false, ...timeouts }))
}

async function answer(opening: Promise<Socket>, callback: buildConnector.Callback): Promise<void> {
  const [opened] = await Promise.allSettled([opening])
  if (opened.status === 'fulfilled') callback(null, opened.value)
  else callback(opened.reason as Error, null)
}
