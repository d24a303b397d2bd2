/**
 * The legal ways forward after a refusal, for the client's model to tell its person or to take. Only what can help is
 * named; where the answer was a no, asking in another way is not among them.
 */
import { showTool, type ToolId } from '../kernel/tool-id.ts'
import { type ClientSession, isTainted } from './client-session.ts'

export interface Refused {
  readonly reason: string
  readonly rule?: string
}

/** The reason, and the ways forward as sentences. */
export function waysForward(session: ClientSession, tool: ToolId, refused: Refused): string {
  const { reason, rule = '' } = refused
  const ways = waysFor(session, tool, rule)
  return ways.length === 0 ? reason : `${reason}. Ways forward: ${ways.join('; ')}.`
}

/** For a call that waits for the owner longer than the client does. */
export function waitingWays(session: ClientSession): string {
  return ['Cordon is waiting for the owner to allow this call', ...waitingFor(session)].join('. ')
}

type Ways = (session: ClientSession, tool: ToolId) => readonly string[]

const WAYS: Readonly<Record<string, Ways>> = {
  'approval.denied': () => ['the owner said no; ask them what they want instead'],
  'approval.needed': (session) => [
    ...quieter(session),
    `the owner can be asked about such calls after \`cordon client edit ${session.client.name} --tainted ask\``,
  ],
  'approval.expired': (session) => [AGAIN, ...quieter(session), GRANT],
  'template.tool': (_session, tool) => [
    `the owner adds it to a context of this client: \`cordon context edit NAME --add ${showTool(tool)}\``,
  ],
  'template.ceiling': () => [
    'no client may have such data; the owner can do this in Cordon itself',
  ],
}

function waysFor(session: ClientSession, tool: ToolId, rule: string): readonly string[] {
  const known = WAYS[rule]
  if (known) return known(session, tool)
  return rule.startsWith('tool.') ? [] : quieter(session)
}

function waitingFor(session: ClientSession): readonly string[] {
  return [AGAIN, ...quieter(session), GRANT].map((way) => `${way[0]?.toUpperCase()}${way.slice(1)}`)
}

function quieter(session: ClientSession): readonly string[] {
  return isTainted(session) ? [FLOW] : []
}

const FLOW =
  'make this call and those that it depends on as one run_flow, which keeps labels per value and may be asked about less (check_flow tells)'
const AGAIN =
  'the owner is asked on their page, terminal or phone: call the same tool with exactly the same arguments again to get the answer'
const GRANT = 'the owner can allow it for longer than once when they answer (a grant)'
