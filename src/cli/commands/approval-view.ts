/** Questions and grants as text for a terminal. The kernel words them; only the colours are added here. */
import { styleText } from 'node:util'
import type { ShownGrant } from '../../api/approvals.ts'
import {
  BY_A_PROGRAM,
  type DrawnLine,
  type ShownApproval,
  type Tone,
  WITH_THE_COMMAND,
} from '../../kernel/approval-port.ts'
import type { PlanBounds } from '../../kernel/plan-bounds.ts'
import { showTool } from '../../kernel/tool-id.ts'
import { columns, printableLine } from '../output.ts'

const STYLES: Readonly<Record<Exclude<Tone, 'plain'>, Parameters<typeof styleText>[0]>> = {
  strong: 'bold',
  quiet: 'dim',
  external: 'yellow',
  warning: 'red',
}
/** Digits of a digest: enough that no second call with the same prefix can be found while a question is open. */
const DIGITS = 32

export function paintLines(
  lines: readonly DrawnLine[],
  stream: NodeJS.WriteStream,
): readonly string[] {
  return lines.map((line) =>
    line
      .map(({ text, tone }) => {
        const shown = printableLine(text)
        return tone === 'plain' ? shown : styleText(STYLES[tone], shown, { stream })
      })
      .join(''),
  )
}

/** The digest prefixes that an answer names to allow calls: all calls, or the calls of one server. */
export function digestsOf(
  { items }: Pick<ShownApproval, 'items'>,
  server?: string,
): readonly string[] {
  const wanted = items.filter(({ tool }) => server === undefined || tool.server === server)
  return wanted.map(({ digest }) => digest.slice(0, DIGITS))
}

/** The servers of the calls that are still pending. */
export function serversIn({ items }: Pick<ShownApproval, 'items'>): readonly string[] {
  const open = items.filter(({ isAllowed }) => isAllowed === undefined)
  return [...new Set(open.map(({ tool }) => tool.server))]
}

export function describeQuarantine(server: string): string {
  return `${server} is quarantined: nothing of it runs until you accept it again with \`cordon tools accept ${server}\`.`
}

export function describeApprovals(approvals: readonly ShownApproval[]): readonly string[] {
  if (approvals.length === 0) return ['Nothing waits for your approval.']
  const rows = approvals.map((approval) => [
    approval.id,
    approval.state,
    approval.items.map(titleOf).join(', '),
    approval.state === 'pending' ? `until ${approval.expiresAt}` : '',
    remarkOn(approval),
  ])
  return [...columns(rows), 'Read one with `cordon approvals show ID`.']
}

function remarkOn({ state, isWaitedFor, answeredHow }: ShownApproval): string {
  if (state === 'pending') return isWaitedFor ? '' : 'nobody waits for it now'
  return answeredHow.map(describeChannel).join('; ')
}

const CHANNELS: Readonly<Record<string, string>> = {
  [BY_A_PROGRAM]: 'answered by a program, without a person',
  [WITH_THE_COMMAND]: 'allowed with --yes',
}

/** How an answer came. */
export function describeChannel(how: string): string {
  return CHANNELS[how] ?? printableLine(`answered by a person (${how})`)
}

/** The tool of a call, or the flow of a plan. */
function titleOf({ tool, plan }: ShownApproval['items'][number]): string {
  return printableLine(plan ? planTitle(plan) : showTool(tool))
}

function planTitle({ flow, steps }: PlanBounds): string {
  return `the plan of ${JSON.stringify(flow.slice(0, 64))} (${steps.length} steps)`
}

export function describeGrants(grants: readonly ShownGrant[]): readonly string[] {
  if (grants.length === 0) return ['You have given no standing permission.']
  return columns(
    grants.map((one) => [
      one.id,
      printableLine(`${one.server}.${one.tool}`),
      printableLine(describeGrant(one.grant)),
      `used ${one.uses} times${one.lastUsedAt === null ? '' : `, last on ${one.lastUsedAt.slice(0, 10)}`}`,
      holdsUntil(one),
    ]),
  )
}

function holdsUntil({ isVoid, isUnused, usesLeft, expiresAt }: ShownGrant): string {
  if (isVoid) return 'void: the tool changed'
  const until = `${usesLeft} times until ${expiresAt.slice(0, 10)}`
  return isUnused ? `${until}; not used for 60 days` : until
}

function describeGrant(grant: ShownGrant['grant']): string {
  if (grant.kind === 'flow') return `may be sent what came from ${grant.origin}`
  if (grant.kind === 'spend') return `may spend up to ${grant.max}`
  const ids = grant.ids ? ', also with its own ids that others choose' : ''
  return `may be called without asking${ids}`
}
