/**
 * More permissions than were given: asks the person at the terminal, once, whether to sign in with them, then goes on. A
 * call was refused by its service before it did anything; a flow is compared with its tokens before it runs.
 */
import type { Api, Output } from '../../api/contract.ts'
import type { FlowSource } from '../../ports/flow-port.ts'
import { askKey } from '../ask.ts'
import type { Context } from '../context.ts'
import type { Output as Printer } from '../output.ts'
import { connectHere } from './connect.ts'

type Result = Output<'mcp.call'>

const NO_OR_YES = [
  ['n', 'no'],
  ['y', 'yes, then go on with the call'],
] as const

interface Asking {
  readonly api: Api
  readonly output: Printer
}

export async function withStepUp(
  context: Context,
  asking: Asking,
  server: string,
  call: () => Promise<Result>,
): Promise<Result> {
  const { output } = asking
  const first = await call()
  const { terminal } = context.surface
  const isAsked = first.kind === 'failed' && first.code === 'setup.scope' && !output.json
  if (!isAsked || !terminal.stdin.isTTY) return first
  output.note(first.reason)
  const key = await askKey(terminal, 'Sign in with them now?', NO_OR_YES, context.signal)
  if (key === 'n') return first
  return (await signIn(context, asking, server)) ? await call() : first
}

/** Does nothing where nobody can be asked: the start of the flow then says what is missing. */
export async function stepUpBefore(
  context: Context,
  asking: Asking,
  source: FlowSource,
): Promise<void> {
  const { terminal } = context.surface
  if (asking.output.json || !terminal.stdin.isTTY) return
  const { findings } = await asking.api.call('flows.check', { source }, context.signal)
  for (const { code, place, message } of findings) {
    if (code !== 'servers.no-scope') continue
    asking.output.note(message)
    const key = await askKey(terminal, 'Sign in with it now?', BEFORE_RUN, context.signal)
    if (key === 'n' || !(await signIn(context, asking, place))) return
  }
}

const BEFORE_RUN = [
  ['n', 'no'],
  ['y', 'yes, then run the flow'],
] as const

async function signIn(context: Context, asking: Asking, server: string): Promise<boolean> {
  const { phase, said } = await connectHere(context, asking, { name: server })
  asking.output.note(said.at(-1) ?? '')
  return phase === 'connected'
}
