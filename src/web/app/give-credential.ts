/** Starts a connection of a server that is there already, to give it another credential or to sign in again. */
import type { ConnectionView } from '../../ports/setup-port.ts'
import { ask } from './ask.ts'

const ENDED: ReadonlySet<string> = new Set(['connected', 'failed', 'cancelled'])

export function hasEnded({ phase }: Pick<ConnectionView, 'phase'>): boolean {
  return ENDED.has(phase)
}

export async function startAgain(server: string): Promise<ConnectionView> {
  return await ask('connect.start', { name: server, again: true })
}

/** Gives the credential once it is asked for. A connection that asks for something else first is returned as it is. */
export async function giveCredential(server: string, value: string): Promise<ConnectionView> {
  let view = await startAgain(server)
  while (!view.question && !hasEnded(view)) {
    const { connection, version: after } = view
    view = await ask('connect.follow', { connection, after })
  }
  if (view.question?.isSecret !== true) return view
  return await ask('connect.provide', { connection: view.connection, value })
}
