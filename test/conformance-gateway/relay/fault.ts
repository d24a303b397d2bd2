/** Faults that a relay can be made to have. Without any of them, every check passes. */
import type { Rpc } from '../client/wire.ts'

export type Answer = Pick<Rpc, 'result' | 'error'>
export type Params = Readonly<Record<string, unknown>>

export interface Fault {
  /** Rewrites the parameters of a request before a server gets it. */
  readonly forward?: (method: string, params: Params) => Params
  /** Rewrites an answer before the client gets it; undefined: the client gets none. */
  readonly answer?: (method: string, answer: Answer) => Answer | undefined
  /** A request or notification of a server that never reaches the client, nor is answered. */
  readonly drops?: (method: string) => boolean
  /** A request or notification of a server that every client gets. */
  readonly broadcasts?: (method: string) => boolean
  /** Guards of the HTTP side that are missing. */
  readonly lacks?: 'token' | 'host' | 'headers' | 'owner of a session'
  readonly names?: 'plain' | 'long' | 'cut' | 'taken over'
  readonly does?:
    | 'ignore cancellation'
    | 'answer what was cancelled'
    | 'cancel by id alone'
    | 'answer by id alone'
    | 'forward unknown tools'
    | 'list once'
    | 'end all with one'
    | 'never restart'
    | 'pass everything on'
    | 'end on garbage'
    | 'list what was changed'
    | 'trust ids of servers'
    | 'answer twice'
    | 'hide who asks'
}
