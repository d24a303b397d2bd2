/** The real routes with fake handlers, for tests: input is still checked by the schemas. Never part of the program. */
import type { Contract, Input, Output, Route } from './contract.ts'
import type { AnyRoute, Routes } from './route.ts'
import { type ApiDeps, type ApiServer, createRoutes, serveRoutes } from './server.ts'

export type FakeAnswers = {
  [R in Route]?: (input: Input<R>, signal: AbortSignal) => Promise<Output<R>>
}

export interface FakeCall {
  readonly route: Route
  readonly input: unknown
  readonly signal: AbortSignal
}

const ROUTES = createRoutes({ createChat: () => async () => undefined } as unknown as ApiDeps)

/** Each call that passes the checks is handed to `heard` before it is answered. */
export function createFakeApi(answers: FakeAnswers, heard: (call: FakeCall) => void): ApiServer {
  const faked = Object.entries<AnyRoute>(ROUTES).map(([name, route]) => {
    const answer = answers[name as Route] as AnyRoute['handle'] | undefined
    const handle: AnyRoute['handle'] = async (input, signal) => {
      heard({ route: name as Route, input, signal })
      if (!answer) throw new TypeError(`The fake has no answer for ${name}`)
      return await answer(input, signal)
    }
    return [name, { ...route, handle }] as const
  })
  return serveRoutes(Object.fromEntries(faked) as unknown as Routes<Contract>)
}
