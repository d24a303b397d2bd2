/** `POST /api/<route>`: from a request that passed its checks to the kernel. Holds no rule of its own. */
import type { Api, Input, Route } from '../kernel/api.ts'
import { isRoute } from '../kernel/api-inputs.ts'
import { readJson } from './read-json.ts'
import { refusal } from './refusal.ts'

/** The kernel checks the input itself. The signal ends when the client goes away, so that nothing runs on for nobody. */
export async function callRoute(
  api: Api,
  name: string,
  request: Request,
  isTerminalOnly: (input: unknown) => boolean = () => false,
): Promise<object> {
  if (!isRoute(name)) throw refusal('not-found')
  const input = (await readJson(request)) as Input<Route>
  if (isTerminalOnly(input)) throw refusal('terminal-only')
  return await api.call(name, input, request.signal)
}
