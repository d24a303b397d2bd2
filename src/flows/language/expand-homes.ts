/**
 * `~/` at the start of a value that is written in a flow: the home folder, as in a shell, for a server that was given a
 * folder there. A saved flow keeps the text as it was written; only the IR made from it holds the whole path.
 */
import { expandHome, type HomeOf, isHomePath } from '../../text/expand-home.ts'
import type { Flag, FlowText, Step } from '../grammar/flow-text.ts'
import type { NodeIndex } from '../nodes/node-index.ts'

/** The owner's home, and the folders that the server may read or change. */
export type FindHome = (server: string) => Promise<HomeOf>

export async function expandHomes(
  flow: FlowText,
  nodeIndex: NodeIndex,
  findHome: FindHome | undefined,
): Promise<FlowText> {
  if (!findHome) return flow
  const expand = async (step: Step): Promise<Step> => {
    if (!step.flags.some(isHome)) return step
    const found = nodeIndex.find(step.name)
    const pin = found.kind === 'found' ? found.node.descriptor.pin : undefined
    if (!pin) return step // built-in nodes expand their paths themselves
    const place = await findHome(pin.tool.server)
    const whole = (flag: Flag): Flag =>
      flag.value === undefined ? flag : { ...flag, value: expandHome(flag.value, place) }
    return { ...step, flags: step.flags.map(whole) }
  }
  const statements = flow.statements.map((steps) => Promise.all(steps.map(expand)))
  return { ...flow, statements: await Promise.all(statements) }
}

function isHome({ value = '' }: Flag): boolean {
  return isHomePath(value)
}
