/** An undici dispatcher for Node's own fetch; the caller opens its connections. Decides nothing and dials nothing. */
import type { Socket } from 'node:net'
import { Agent, type buildConnector, Dispatcher1Wrapper, type Dispatcher } from 'undici'
import type { EgressLimits } from '../proxy/limits.ts'

type Open = (target: buildConnector.Options) => Promise<Socket>

/** For the `dispatcher` option of fetch. */
export function createAgent({ idleMs }: EgressLimits, open: Open): Dispatcher {
  const connect: buildConnector.connector = (target, callback) => {
    void answer(open(target), callback)
  }
  const timeouts = { headersTimeout: idleMs, bodyTimeout: idleMs }
  // Node's fetch is built on an older undici than the package, so the agent is wrapped in the older interface.
  return new Dispatcher1Wrapper(new Agent({ connect, allowH2: false, ...timeouts }))
}

async function answer(opening: Promise<Socket>, callback: buildConnector.Callback): Promise<void> {
  const [opened] = await Promise.allSettled([opening])
  if (opened.status === 'fulfilled') callback(null, opened.value)
  else callback(opened.reason as Error, null)
}
