/** Servers as text for a terminal. */
import type { Output as Answer } from '../../api/contract.ts'
import type { ServerDetails, ServerSummary } from '../../api/servers.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import { columns, type Output, printableLine } from '../output.ts'

export const BADGES = {
  connected: ['green', 'Connected'],
  idle: ['gray', 'Idle'],
  error: ['red', 'Error'],
  disabled: ['gray', 'Disabled'],
} as const

export function describeList(list: Answer<'mcp.list'>, output: Output): readonly string[] {
  const rows = list.servers.map((server) => {
    const [colour, badge] = BADGES[server.state.badge]
    return [server.server, output.paint(colour, badge), ...facts(server)]
  })
  const heading = ['SERVER', 'STATE', 'TRANSPORT', 'LABEL', 'TOOLS', 'ERA', 'MEMORY', 'CORDON']
  return [
    ...(rows.length > 0
      ? columns([heading.map((word) => output.paint('dim', word)), ...rows])
      : ['No servers yet. Run `cordon mcp migrate --help` or `cordon mcp add --help`.']),
    ...list.servers.flatMap(remarks),
    ...list.problems.map(({ path: file, line, message }) => {
      const place = line === undefined ? file : `${file}:${line}`
      return output.paint('red', printableLine(`problem: ${place}: ${message}`))
    }),
    ...describeUntrusted(list),
  ]
}

/** `14 quarantined by you`, `2 changed`: a quarantine by the owner is not a change. */
export function waitingTools({ quarantined, held = 0 }: ServerSummary['state']): string {
  const changed = quarantined - held
  return [
    ...(held > 0 ? [`${held} quarantined by you`] : []),
    ...(changed > 0 ? [`${changed} changed`] : []),
  ].join(', ')
}

function facts({ transport, label, cordon, isInsecure, state }: ServerSummary): readonly string[] {
  const changed = state.quarantined > 0 ? ` (${waitingTools(state)})` : ''
  return [
    transport,
    label,
    `${state.tools}${changed}`,
    state.era ?? '',
    state.memoryBytes === undefined ? '' : mebibytes(state.memoryBytes),
    [CORDONS[cordon] ?? cordon, state.memoryLayer, isInsecure ? 'NOT ENCRYPTED' : '']
      .filter(Boolean)
      .join(', '),
  ]
}

const CORDONS: Readonly<Record<string, string>> = {
  none: 'NO SANDBOX',
  socket: 'not ours to sandbox',
}

function remarks({ server, warnings, state }: ServerSummary): readonly string[] {
  const drift = state.versionDrift
    ? [`reports version ${state.reportedVersion}, not the pinned one`]
    : []
  const reason = state.reason === undefined ? [] : [state.reason]
  return [...reason, ...drift, ...warnings].map(
    (remark) => `warning: ${server}: ${printableLine(remark)}`,
  )
}

function describeUntrusted({ untrusted }: Answer<'mcp.list'>): readonly string[] {
  if (!untrusted) return []
  const { folder, files } = untrusted
  return [
    `${files.length} more in ${printableLine(folder)} are not used: nobody has trusted them as they are now.`,
    '  `cordon mcp trust` shows what they would run, and asks.',
  ]
}

export function describeServer(server: ServerDetails): readonly string[] {
  const { state } = server
  const rows = [
    ['server', server.server],
    ['name', server.name],
    ['about', server.description],
    ['runs', [server.command ?? server.url ?? '', ...server.args].join(' ')],
    ['transport', server.transport],
    ['state', [BADGES[state.badge][1], state.reason].filter(Boolean).join(': ')],
    ['tools', String(state.tools)],
    ['may reach', server.allowedDomains.join(', ') || 'nothing'],
    ['label', server.label],
    ...(server.told ? [['was told', `${server.told.level}: ${server.told.from.join(', ')}`]] : []),
    ['sandbox', describeSandbox(server)],
    ['file', `${server.path} (${server.scope})`],
    ...server.credentials.map(({ key, ref, present }) => [
      'secret',
      `${key} = ${ref}${present ? '' : ' (missing)'}`,
    ]),
    ...server.warnings.map((warning) => ['warning', warning]),
  ]
  return columns(rows.map((row) => row.map(printableLine)))
}

function describeSandbox({ sandbox, cordon, isInsecure, state }: ServerDetails): string {
  if (cordon === 'remote') return isInsecure ? 'remote, NOT ENCRYPTED' : 'remote'
  if (cordon === 'socket') return 'none of ours: somebody else runs it'
  const layer = state.memoryLayer ? ` by ${state.memoryLayer}` : ''
  const memory = `at most ${mebibytes(sandbox.memoryLimitBytes)}${layer}`
  const disk = sandbox.readOnlyFs ? 'read-only files' : 'writable files'
  if (cordon === 'none') return `NONE: it can do what you can; ${memory}`
  return [cordon, memory, disk, sandbox.allowTmp ? 'own /tmp' : 'no /tmp'].join(', ')
}

function mebibytes(bytes: number): string {
  return `${Math.round(bytes / (1024 * 1024))} MiB`
}

export function describeTools(tools: readonly ToolDescription[]): readonly string[] {
  if (tools.length === 0) return ['No tools are known. Start it with `cordon mcp start`.']
  return columns(
    tools.map(({ name, description, quarantined, isHeld }) => [
      printableLine(name),
      isHeld ? 'quarantined by you' : quarantined ? 'changed, not accepted' : '',
      printableLine(description?.split('\n')[0]?.slice(0, 80) ?? ''),
    ]),
  )
}
