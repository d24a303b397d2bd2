/** Answers of a kernel that checks flows of single words, for tests of the page. */
import type { FakeAnswers } from '../../src/api/fake-api.ts'
import type { FlowCheck, FlowSource } from '../../src/ports/flow-port.ts'

/** A flow with one node for each word of its text. */
export function irOf(text: string): FlowCheck['ir'] {
  const ids = text.split('>>').map((word) => word.trim())
  return {
    nodes: ids.map((id) => ({ id, type: '<img src=x onerror=alert(1)>', params: {} })),
    edges: ids.slice(1).map((to, at) => ({ from: ids[at] ?? '', to })),
  }
}

/** The node `ask` asks, and the node `wrong` cannot run. */
function check(text: string): FlowCheck {
  const ids = text.split('>>').map((word) => word.trim())
  const forecast = { effect: 'destructive', rule: 'r', isCertain: true, args: [] } as const
  return {
    isSound: !ids.includes('wrong'),
    findings: ids.flatMap((id, at) =>
      id === 'wrong'
        ? [
            {
              severity: 'error' as const,
              code: 'node.unknown',
              place: `nodes[${at}].type`,
              message: 'There is no <b>such</b> node',
              hint: 'Choose another',
            },
          ]
        : [],
    ),
    needs: ids.includes('ask') ? [{ name: 'count', type: 'number', required: true }] : [],
    steps: ids.flatMap((id) =>
      id === 'ask'
        ? [
            {
              ...forecast,
              node: id,
              tool: 'mail.send',
              verdict: 'ask' as const,
              reason: 'it sends',
            },
          ]
        : [],
    ),
    safety: { effect: 'write', level: 'internal', sinks: [] },
    ir: irOf(text),
  }
}

const textOf = (source: FlowSource): string => (source.kind === 'text' ? source.text : 'saved')

export const FLOW_ANSWERS: FakeAnswers = {
  'flows.list': async () => ({ flows: [] }),
  'flows.runs': async () => ({ runs: [] }),
  'flows.schedules': async () => ({ schedules: [], templates: ['nightly'] }),
  'flows.complete': async () => ({ candidates: ['summarize-text'] }),
  'flows.check': async ({ source }) => check(textOf(source)),
}
