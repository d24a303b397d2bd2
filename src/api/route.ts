/**
 * The shape of a route: the surfaces that may use it, the schema of its input, and its handler. A route that names no
 * surface is closed to the page, by its type and at run time. Loaded by the process that answers, never by the client.
 */
import type { z } from 'zod'

/** `terminal`: a client of the socket, or the kernel's own process. `any`: also the page in a browser. */
export type Surface = 'any' | 'terminal'

/** The socket of the command line, or the page's port. Told by the listener, never by the request. */
export type Listening = 'terminal' | 'page'

export type Nothing = Readonly<Record<string, never>>

/** The routes of a contract. A route that its contract does not mark `surface: 'any'` cannot be marked so here. */
export type Routes<Contract> = {
  readonly [Name in keyof Contract]: Handled<Contract[Name]> & SurfaceOf<Contract[Name]>
}

/** The routes of a contract that a page may use. */
export type OpenRoute<Contract> = {
  [Name in keyof Contract]: Contract[Name] extends { surface: 'any' } ? Name : never
}[keyof Contract]

type SurfaceOf<Type> = Type extends { surface: 'any' }
  ? { readonly surface: 'any' }
  : { readonly surface?: 'terminal' }

interface Handled<Type> {
  readonly input: z.ZodType<InputOf<Type>>
  /** True for input that only a terminal may send; a page that sends it is refused. */
  isForTerminal?(input: InputOf<Type>): boolean
  /** `from` is the listener that took the request; absent: the kernel's own process. */
  handle(input: InputOf<Type>, signal: AbortSignal, from?: Listening): Promise<OutputOf<Type>>
}

type InputOf<Type> = Type extends { input: infer Input } ? Input : never
type OutputOf<Type> = Type extends { output: infer Output } ? Output : never

/** A route whose types are not known, as a request names it. */
export interface AnyRoute {
  readonly surface?: Surface
  readonly input: z.ZodType
  isForTerminal?(input: unknown): boolean
  handle(input: unknown, signal: AbortSignal, from?: Listening): Promise<object>
}
