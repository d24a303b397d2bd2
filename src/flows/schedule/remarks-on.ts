/** Sentences about what the runs of a schedule will ask, or be refused, as far as the check of the flow can tell. Pure. */
import { isRead } from '../../kernel/effect.ts'
import type { FlowCheck } from '../../ports/flow-port.ts'
import type { Template } from '../../kernel/tool-call.ts'
import { isAbove } from '../../labels/label.ts'

type Foreseen = Pick<FlowCheck, 'steps' | 'safety'>

export function remarksOn({ steps, safety }: Foreseen, template: Template): readonly string[] {
  const { asksForWrites, ceiling } = template
  const denied = steps.find(({ verdict }) => verdict === 'deny')
  const asking = steps.filter(
    ({ verdict, effect }) => verdict === 'ask' || (asksForWrites && !isRead(effect)),
  )
  // A built-in tool is known to people by its bare name: `remember`, not `~memory.remember`.
  const tools = [...new Set(asking.map(({ tool }) => tool.replace(/^~\w+\./, '')))].join(', ')
  return [
    ...(denied ? [`${denied.tool} will be refused: ${denied.reason ?? denied.rule}.`] : []),
    ...(isAbove(safety.level, ceiling)
      ? [
          `It will be refused: it reads what is ${safety.level}, and may handle nothing above ${ceiling}.`,
        ]
      : []),
    ...(tools === ''
      ? []
      : [
          `${tools} will ask you each time, wherever you are asked; without an answer in five minutes it is not done.`,
        ]),
  ]
}
