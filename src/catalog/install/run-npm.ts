/**
 * Runs Cordon's own npm, on Cordon's Node, in a sandbox: npm sees no home, may write only to the given paths, and
 * reaches one host, the registry, whose login is the only secret it is given. Untrusted tarballs are unpacked here and
 * nowhere else.
 */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { BlockedAttempt, Egress } from '../../ports/egress-port.ts'
import type { ChosenWay } from '../../text/chosen-way.ts'
import type { ProcessEnd, Sandbox, SandboxedProcess } from '../../kernel/sandbox-port.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { type Beginning, readBeginning } from '../../text/read-at-most.ts'
import type { NpmPlace } from './npm-settings.ts'
import type { PartFolder } from './part-folder.ts'
import type { Registry } from './registry.ts'

export interface NpmParts {
  readonly sandbox: Pick<Sandbox, 'launch'>
  readonly egress: Pick<Egress, 'guard'>
  /** `bin/npm-cli.js` of the pinned npm. */
  readonly npmPath: string
}

export interface RegistryParts extends NpmParts, NpmPlace {}

export interface NpmRun {
  readonly server: ServerId
  readonly args: readonly string[]
  /** The only host that npm may reach. */
  readonly registry: Registry
  readonly part: PartFolder
  readonly writePaths?: readonly string[]
  /** A script that Node loads before npm, as an address. */
  readonly preload?: string
  /** Called with the bytes that have come so far, and with each piece of npm's messages. */
  readonly watch?: {
    readonly onBytes: (bytes: number) => void
    readonly onMessage: (text: string) => void
  }
}

export interface NpmResult {
  readonly end: ProcessEnd
  readonly stdout: string
  readonly stderr: string
  /** Messages about connections that the proxy refused. */
  readonly blocked: readonly string[]
  /** Reasons why the registry was not reached. */
  readonly failed: readonly string[]
}

export const NPM_MEMORY_BYTES: number = 2 ** 30
const MOST_OUTPUT_BYTES = 8 * 2 ** 20
/** npm ignores its standard input, but the sandbox closes it to ask a process to end; so this script watches it. */
const END_WITH_STDIN =
  'data:text/javascript,process.stdin.on("end",()=>process.exit(130)).resume().unref()'

/** Rejects with the reason of the signal, after the whole process tree has ended. */
export async function runNpm(
  parts: NpmParts,
  run: NpmRun,
  signal: AbortSignal,
): Promise<NpmResult> {
  return await runGuarded(parts, run, () => launch(parts, run, signal), signal)
}

export type GuardedRun = Pick<NpmRun, 'server' | 'watch'> & {
  readonly registry: Pick<Registry, 'host' | 'port' | 'proxy' | 'trust' | 'login'>
  /** Hosts that may be reached besides the registry. */
  readonly moreHosts?: readonly string[]
  /** No setting of the owner names the registry: it is reached at public addresses only. */
  readonly isPublicOnly?: boolean
}

/** Runs an installer to its end, behind a proxy that leads to the registry and nowhere else. */
export async function runGuarded(
  parts: Pick<NpmParts, 'egress'>,
  run: GuardedRun,
  start: () => Promise<SandboxedProcess>,
  signal: AbortSignal,
): Promise<NpmResult> {
  await using stack = new AsyncDisposableStack()
  const npm = stack.use(await start())
  const blocked: string[] = []
  const failed: string[] = []
  const { connections } = npm
  if (connections) {
    const chosen = wayTo(run, (reason) => failed.push(reason))
    const rules = { allowedDomains: [run.registry.host, ...(run.moreHosts ?? [])], chosen }
    const note = ({ message, unreached }: BlockedAttempt): void => {
      if (unreached === undefined) blocked.push(message)
    }
    stack.use(parts.egress.guard(run.server, rules, connections, note))
  }
  const stop = (): void => void npm.stop()
  signal.addEventListener('abort', stop)
  stack.defer(() => signal.removeEventListener('abort', stop))
  if (signal.aborted) stop()
  const [stdout, stderr, end] = await Promise.all([
    readBeginning(npm.stdout, MOST_OUTPUT_BYTES),
    readBeginning(overhear(npm.stderr, run), MOST_OUTPUT_BYTES),
    npm.ended,
  ])
  signal.throwIfAborted()
  return { end, ...texts(stdout, stderr, run.registry), blocked, failed }
}

function wayTo(run: GuardedRun, onFailed: (reason: string) => void): ChosenWay {
  const { registry, watch, isPublicOnly = false } = run
  const { port, proxy, trust } = registry
  const way = { port, isPublicOnly, onFailed, ...(watch && { onBytes: watch.onBytes }) }
  if (!proxy) return way
  const { isTls, ...place } = proxy
  return { ...way, proxy: { ...place, ...(isTls && { authorities: trust.authorities }) } }
}

async function* overhear(
  stream: AsyncIterable<Uint8Array>,
  { watch }: GuardedRun,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    watch?.onMessage(Buffer.from(chunk).toString())
    yield chunk
  }
}

/** npm hides tokens in its messages; this does not rely on it. */
function texts(
  stdout: Beginning,
  stderr: Beginning,
  { login }: GuardedRun['registry'],
): { stdout: string; stderr: string } {
  const hide = (text: string): string =>
    Object.values(login).reduce((shown, secret) => shown.replaceAll(secret || '\0', '***'), text)
  return {
    stdout: hide(stdout.isWhole ? String(stdout.bytes) : ''),
    stderr: hide(String(stderr.bytes)),
  }
}

async function launch(
  { npmPath, sandbox }: NpmParts,
  run: NpmRun,
  signal: AbortSignal,
): Promise<SandboxedProcess> {
  const { part, registry } = run
  const { authorities, isOnly, isIncomplete } = registry.trust
  const file = path.join(part.notes, 'authorities.pem')
  await writeFile(file, authorities, { mode: 0o644 })
  const settings = {
    mode: 'bwrap',
    memoryLimitBytes: NPM_MEMORY_BYTES,
    readOnlyFs: true,
    allowTmp: true,
    readPaths: [part.notes],
    writePaths: [part.cache, ...(run.writePaths ?? [])],
  } as const
  const environment = {
    npm_config_cache: part.cache,
    npm_config_globalconfig: '/dev/null',
    npm_config_update_notifier: 'false',
    npm_config_logs_max: '0',
    ...(isOnly ? { npm_config_cafile: file } : { NODE_EXTRA_CA_CERTS: file }),
    ...mapKeys(registry.login, (key) => `npm_config_${key}`),
  }
  const scripts = [END_WITH_STDIN, ...(run.preload === undefined ? [] : [run.preload])]
  const imports = scripts.flatMap((script) => ['--import', script])
  const flags = [...(isIncomplete ? ['--use-system-ca'] : []), ...imports]
  const args = [...flags, npmPath, ...run.args, '--registry', registry.url]
  const spec = { server: run.server, command: 'node', args, environment, settings, networked: true }
  return await sandbox.launch(spec, signal)
}

function mapKeys(
  record: Readonly<Record<string, string>>,
  rename: (key: string) => string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [rename(key), value]))
}
