/**
 * Runs Cordon's own npm, on Cordon's Node, in a sandbox: npm sees no home and no secret, may write only to the given
 * paths, and reaches one host or none. Untrusted tarballs are unpacked here and nowhere else.
 */
import { existsSync } from 'node:fs'
import type { Egress } from '../../kernel/egress-port.ts'
import type { ProcessEnd, Sandbox, SandboxedProcess } from '../../kernel/sandbox-port.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { type Beginning, readBeginning } from '../../text/read-at-most.ts'

export interface NpmParts {
  readonly sandbox: Pick<Sandbox, 'launch'>
  readonly egress: Pick<Egress, 'guard'>
  /** `bin/npm-cli.js` of the pinned npm. */
  readonly npmPath: string
  /** A file of certificate authorities that this machine trusts besides the default ones. */
  readonly extraAuthorities?: string
}

export interface NpmRun {
  readonly server: ServerId
  readonly args: readonly string[]
  /** The only host that npm may reach; absent: no network at all. */
  readonly host?: string
  readonly cache: string
  readonly readPaths?: readonly string[]
  readonly writePaths?: readonly string[]
}

export interface NpmResult {
  readonly end: ProcessEnd
  readonly stdout: string
  readonly stderr: string
  /** Messages about connections that the proxy refused. */
  readonly blocked: readonly string[]
}

const MEMORY_BYTES = 2 ** 30
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
  await using stack = new AsyncDisposableStack()
  const npm = stack.use(await launch(parts, run, signal))
  const blocked: string[] = []
  const { connections } = npm
  if (connections && run.host !== undefined) {
    const rules = { allowedDomains: [run.host] }
    stack.use(parts.egress.guard(run.server, rules, connections, (no) => blocked.push(no.message)))
  }
  const stop = (): void => void npm.stop()
  signal.addEventListener('abort', stop)
  stack.defer(() => signal.removeEventListener('abort', stop))
  if (signal.aborted) stop()
  const [stdout, stderr, end] = await Promise.all([
    readBeginning(npm.stdout, MOST_OUTPUT_BYTES),
    readBeginning(npm.stderr, MOST_OUTPUT_BYTES),
    npm.ended,
  ])
  signal.throwIfAborted()
  return { end, ...texts(stdout, stderr), blocked }
}

function texts(stdout: Beginning, stderr: Beginning): { stdout: string; stderr: string } {
  return { stdout: stdout.isWhole ? String(stdout.bytes) : '', stderr: String(stderr.bytes) }
}

function launch(parts: NpmParts, run: NpmRun, signal: AbortSignal): Promise<SandboxedProcess> {
  const { npmPath, extraAuthorities } = parts
  const hasExtra = extraAuthorities !== undefined && existsSync(extraAuthorities)
  const trusted = hasExtra ? [extraAuthorities] : []
  const settings = {
    mode: 'bwrap',
    memoryLimitBytes: MEMORY_BYTES,
    readOnlyFs: true,
    allowTmp: true,
    readPaths: [...trusted, ...(run.readPaths ?? [])],
    writePaths: [run.cache, ...(run.writePaths ?? [])],
  } as const
  const environment = {
    npm_config_cache: run.cache,
    npm_config_globalconfig: '/dev/null',
    npm_config_update_notifier: 'false',
    npm_config_logs_max: '0',
    ...(hasExtra && { NODE_EXTRA_CA_CERTS: extraAuthorities }),
  }
  const args = ['--import', END_WITH_STDIN, npmPath, ...run.args]
  const networked = run.host !== undefined
  const spec = { server: run.server, command: 'node', args, environment, settings, networked }
  return parts.sandbox.launch(spec, signal)
}
