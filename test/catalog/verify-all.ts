/**
 * `npm run catalog:verify [-- NAME…]`: installs every known service that is an npm package, as `connect` does, and asks
 * it for its tools in the sandbox, with a made-up token and without a network. Writes the results to a table in docs/.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import type { InstalledPackage } from '../../src/ports/catalog-port.ts'
import type { CredentialNeed, Service, ServiceLaunch } from '../../src/ports/service-facts.ts'
import { memoryBytes } from '../../src/text/memory-size.ts'
import { define, never, openHouse } from '../servers/runtime/direct-sandbox.ts'
import { egressToRegistry, openPackageHouse, OWN_NPM, type PackageHouse } from './package-house.ts'

type NpmService = Service & { readonly launch: Extract<ServiceLaunch, { kind: 'npm' }> }

const root = fileURLToPath(new URL('../../', import.meta.url))
const report = path.join(root, 'docs', 'catalog-verified.md')
const home = path.join(root, '.cache', 'catalog-verify')
/** Services that connect to their backend before they list tools, so they cannot list any offline. */
const NEED_NETWORK = new Set(['postgres', 'redis', 'stripe'])

interface Seen {
  readonly isGood: boolean
  /** The cells after the name. */
  readonly cells: readonly string[]
}

const wanted = process.argv.slice(2)
const services = createCatalog()
  .services.filter(
    (service): service is NpmService => service.launch.kind === 'npm' && !service.launch.isShipped,
  )
  .filter(({ slug }) => wanted.length === 0 || wanted.includes(slug))

mkdirSync(home, { recursive: true })
await using house = await openPackageHouse(egressToRegistry(), { ...OWN_NPM, home })
const rows = new Map<string, string>()
let failed = 0
for (const service of services) {
  const { isGood, cells } = await verify(house, service)
  const row = `| ${[service.slug, ...cells].join(' | ')} |`
  if (!isGood) failed += 1
  rows.set(service.slug, row)
  console.log(row)
}
write(rows)
console.log(`${services.length - failed} of ${services.length} as they should be`)
process.exitCode = failed === 0 && services.length > 0 ? 0 : 1

async function verify({ packages, sandbox }: PackageHouse, service: NpmService): Promise<Seen> {
  const { slug, launch } = service
  const what = `${launch.package}@${launch.version}`
  const progress = (step: string): void => console.error(`${slug}: ${step}`)
  try {
    const it = await packages.install(slug, launch, progress, AbortSignal.timeout(600_000))
    const size = `${(it.bytes / 1e6).toFixed(0)} MB in ${it.packages}`
    const scripts = it.refusedScripts.length === 0 ? 'none' : it.refusedScripts.join(', ')
    const tools = await listTools(sandbox, service, it)
    const isExpected = !tools.startsWith('no') || NEED_NETWORK.has(slug)
    return { isGood: isExpected, cells: [what, size, scripts, tools] }
  } catch (error) {
    return { isGood: false, cells: [what, '–', '–', `not installed: ${say(error)}`] }
  }
}

async function listTools(
  sandbox: PackageHouse['sandbox'],
  service: NpmService,
  { entry }: InstalledPackage,
): Promise<string> {
  const plain = define('it', 'none')
  const definition = {
    ...plain,
    command: 'node',
    args: [entry, ...service.launch.args],
    env: { ...service.env, ...Object.fromEntries(service.credentials.map(madeUp)) },
    sandbox: { ...plain.sandbox, ...memoryOf(service) },
  }
  const timings = { startMs: 300_000, restartDelaysMs: [] }
  await using running = await openHouse([definition], { sandbox, timings })
  try {
    const state = await running.servers.start(definition.id, never)
    return state.badge === 'connected' ? `${state.tools} (${state.era})` : `no: ${state.badge}`
  } catch (error) {
    return NEED_NETWORK.has(service.slug)
      ? 'no: needs its service at the start'
      : `no: ${say(error)}`
  }
}

/** The memory limit that the service's definition will have. */
function memoryOf({ memoryLimit }: Service): { readonly memoryLimitBytes?: number } {
  return memoryLimit === undefined ? {} : { memoryLimitBytes: memoryBytes(memoryLimit) }
}

/** The error's first clause only: the rest may quote the server's output, which is untrusted. */
function say(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split(/[;|\n]/)[0] ?? ''
}

/** A made-up token with the prefix of the service's real ones. */
function madeUp({ key, prefixes }: CredentialNeed): readonly [string, string] {
  return [key, `${prefixes[0] ?? ''}${'x'.repeat(48)}`]
}

/** Rows of services that were not asked for stay as they were. */
function write(fresh: ReadonlyMap<string, string>): void {
  const old = readRows()
  const all = new Map([...old, ...fresh])
  const sorted = [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)
  const words = [
    '# Known services, seen running',
    '',
    'Written by `npm run catalog:verify`. Each package was installed in the sandbox from its pinned version and',
    'integrity, install scripts off, then started in the sandbox without a network and with a made-up token, and asked for',
    'its tools. `legacy` and `modern` are the two eras of the protocol.',
    '',
    '| service | package | size | scripts refused | tools, offline |',
    '|---|---|---|---|---|',
    ...sorted,
  ]
  writeFileSync(report, `${words.join('\n')}\n`)
}

function readRows(): ReadonlyMap<string, string> {
  try {
    const lines = readFileSync(report, 'utf8').split('\n')
    const found = lines.map((line) => [/^\| ([a-z0-9-]+) \|.*@/.exec(line)?.[1], line] as const)
    return new Map(found.filter((one): one is [string, string] => one[0] !== undefined))
  } catch {
    return new Map()
  }
}
