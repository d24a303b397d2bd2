/** Servers as text for a terminal. */
import type { Output as Answer } from '../../api/contract.ts'
import type { ServerDetails, ServerSummary } from '../../api/servers.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import { describeTraffic, showPlace } from '../../text/reached-host.ts'
import { HEAVY_BYTES, showLimit } from '../../text/server-limits.ts'
import { columns, cut, type Output, printableLine } from '../output.ts'
import { noticeLines } from './notice-view.ts'

export const BADGES = {
  connected: ['green', 'Connected'],
  idle: ['gray', 'Idle'],
  error: ['red', 'Error'],
  disabled: ['gray', 'Disabled'],
} as const

export function describeList(list: Answer<'mcp.list'>, output: Output): readonly string[] {
  const rows = list.servers.map((server) => {
    const [colour, badge] = BADGES[server.state.badge]
    const mark = server.notices ? output.paint('yellow', ' !') : ''
    return [server.server, output.paint(colour, badge) + mark, ...facts(server)]
  })
  const heading = ['SERVER', 'STATE', 'TRANSPORT', 'LABEL', 'TOOLS', 'MAY REACH', 'FOLDERS']
  return [
    ...(rows.length > 0
      ? [
          ...columns([heading.map((word) => output.paint('dim', word)), ...rows]),
          ...(list.servers.some(({ writePaths = [] }) => writePaths.length > 0)
            ? [output.paint('dim', '* it can change anything below')]
            : []),
        ]
      : ['No servers yet. Run `cordon mcp migrate --help` or `cordon mcp add --help`.']),
    ...list.servers.flatMap(remarks),
    ...describeErrors(list),
    ...list.servers.flatMap(({ notices = [] }) =>
      notices.flatMap((one) => noticeLines(one, output)),
    ),
    ...list.problems.map(({ path: file, line, message }) => {
      const place = line === undefined ? file : `${file}:${line}`
      return output.paint('red', printableLine(`problem: ${place}: ${message}`))
    }),
    ...describeUntrusted(list),
  ]
}

/** One line for all of them: the reasons stand above. */
function describeErrors({ servers }: Answer<'mcp.list'>): readonly string[] {
  const [first] = servers.filter(({ state }) => state.badge === 'error')
  if (first === undefined) return []
  return [
    `\`cordon mcp start ${first.server}\` tries again; \`cordon mcp logs ${first.server}\` shows what it wrote.`,
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

function facts(server: ServerSummary): readonly string[] {
  const { transport, label, state } = server
  const changed = state.quarantined > 0 ? ` (${waitingTools(state)})` : ''
  return [transport, label, `${state.tools}${changed}`, hostsOf(server), foldersOf(server)]
}

/** A missing sandbox or encryption comes first. */
function hostsOf({ cordon, isInsecure, allowedDomains }: ServerSummary): string {
  const alarm = [CORDONS[cordon] ?? '', isInsecure ? 'NOT ENCRYPTED' : ''].filter(Boolean)
  const [first = cordon === 'none' ? 'anything' : 'nothing', second, ...more] = allowedDomains
  const hosts = [first, ...(second === undefined ? [] : [second])]
  const rest = more.length > 0 ? [`and ${more.length} more`] : []
  return printableLine([...alarm, ...hosts, ...rest].join(', '))
}

/** The owner's folders inside its sandbox; `*` marks a writable folder. */
function foldersOf({ readPaths = [], writePaths = [] }: ServerSummary): string {
  const [first, ...more] = [...writePaths.map((path) => `${path} *`), ...readPaths]
  if (first === undefined) return ''
  return printableLine(more.length > 0 ? `${first}, and ${more.length} more` : first)
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
  const outdated = state.isOutdated ? [outdatedRemark(server)] : []
  const left = state.leftOut?.length ?? 0
  const leftOut =
    left > 0 ? [`${left} of its tools cannot be used; \`cordon mcp show ${server}\` says why`] : []
  return [...reason, ...outdated, ...drift, ...leftOut, ...warnings].map(
    (remark) => `warning: ${server}: ${printableLine(remark)}`,
  )
}

function outdatedRemark(server: string): string {
  return `it runs as its file was before the last edit; \`cordon mcp restart ${server}\` takes the edit up`
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
    ...(server.account === undefined
      ? []
      : [['account', `${JSON.stringify(server.account)}, as the provider says`]]),
    ['runs', [server.command ?? server.url ?? '', ...server.args].join(' ')],
    ...(server.scripts ? [['scripts', SCRIPTS_RAN]] : []),
    ['transport', server.transport],
    ['state', [BADGES[state.badge][1], state.reason].filter(Boolean).join(': ')],
    ['tools', String(state.tools)],
    ...(state.leftOut ?? []).map((sentence) => ['left out', sentence]),
    ...(state.era === undefined ? [] : [['protocol', state.era]]),
    ...memoryRow(state),
    ['may reach', server.allowedDomains.join(', ') || 'nothing'],
    ...trafficRows(state),
    ...placeRows(server),
    ['label', server.label],
    ...(server.told ? [['was told', `${server.told.level}: ${server.told.from.join(', ')}`]] : []),
    ['sandbox', describeSandbox(server)],
    ['limits', describeLimits(server)],
    ['file', `${server.path} (${server.scope})`],
    ...server.credentials.flatMap(({ key, ref, present, sealedFor }) => [
      ['secret', `${key} = ${ref}${present ? '' : ' (missing)'}`],
      ...(sealedFor ? [['', `${SEALED}; told to ${sealedFor.join(', ')}`]] : []),
    ]),
    ...(state.isOutdated ? [['warning', outdatedRemark(server.server)]] : []),
    ...server.warnings.map((warning) => ['warning', warning]),
  ]
  return columns(rows.map((row) => row.map(printableLine)))
}

const SCRIPTS_RAN = 'its install scripts were run, in a sandbox without network'
const SEALED = 'sealed: the server never holds this token'

function memoryRow({ memoryBytes }: ServerSummary['state']): readonly (readonly string[])[] {
  if (memoryBytes === undefined) return []
  const isHeavy = memoryBytes > HEAVY_BYTES
  const remark = isHeavy ? ', more than the 100 MB that a server usually needs' : ''
  return [['memory', `${mebibytes(memoryBytes)}${remark}`]]
}

/** Since the process was started. */
function trafficRows({
  reached = [],
  blockedHosts = [],
}: ServerSummary['state']): readonly (readonly string[])[] {
  return [
    ...reached.map((one) => ['reached', `${showPlace(one)}: ${describeTraffic(one)}`]),
    ...blockedHosts.map((host) => ['blocked', host]),
  ]
}

const LIMITS = {
  memoryBytes: 'memory',
  idleMs: 'idle',
  restarts: 'restarts',
  callMs: 'call timeout',
} as const

const PLACES = {
  server: 'its file',
  config: 'config.toml',
  catalog: 'catalog',
  default: 'default',
} as const

/** `memory 512m (its file), idle 30m (default), …`: each limit in force, and the file that sets it. */
function describeLimits({ limits, cordon }: ServerDetails): string {
  const names = Object.keys(LIMITS) as (keyof typeof LIMITS)[]
  const isOurs = cordon !== 'remote' && cordon !== 'socket'
  return names
    .filter((name) => isOurs || name !== 'memoryBytes')
    .map((name) => {
      const { value, from } = limits[name]
      return `${LIMITS[name]} ${showLimit(name, value)} (${PLACES[from]})`
    })
    .join(', ')
}

/** A server in a sandbox of ours has both rows, also if it may do nothing: a missing row would leave that open. */
function placeRows({ sandbox, cordon, keeps }: ServerDetails): readonly (readonly string[])[] {
  const { readPaths, writePaths } = sandbox
  const isOurs = cordon === 'bwrap'
  const seen = [...readPaths, ...writePaths]
  return [
    ...(isOurs ? [['may read', seen.join(', ') || 'its own program, and nothing of yours']] : []),
    ...(isOurs ? [['may change', writePaths.join(', ') || 'nothing of yours']] : []),
    ...(keeps === undefined ? [] : [['keeps', keeps]]),
  ]
}

function describeSandbox({ sandbox, cordon, isInsecure, state }: ServerDetails): string {
  if (cordon === 'remote') return isInsecure ? 'remote, NOT ENCRYPTED' : 'remote'
  if (cordon === 'socket') return 'none of ours: somebody else runs it'
  const layer = state.memoryLayer ? ` by ${state.memoryLayer}` : ''
  const memory = `at most ${mebibytes(sandbox.memoryLimitBytes)}${layer}`
  const disk = sandbox.readOnlyFs ? 'read-only files' : 'writable files'
  if (cordon === 'none') return `NONE: it can do what you can; ${memory}`
  const tmp = sandbox.allowTmp ? 'own /tmp' : 'no /tmp'
  return [cordon, memory, disk, tmp, ...permissionsOf(sandbox)].join(', ')
}

function permissionsOf(sandbox: ServerDetails['sandbox']): readonly string[] {
  return [
    ...(sandbox.startsBrowser ? ['may start a browser'] : []),
    ...(sandbox.watchesOpening ? ['sees which programs start'] : []),
    ...(sandbox.ownPorts ? ['may connect to its own ports'] : []),
  ]
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
      cut(description?.split('\n')[0] ?? '', 80),
    ]),
  )
}
