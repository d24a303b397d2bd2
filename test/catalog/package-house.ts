/** Packages in a home of their own, behind the real sandbox and the real proxy, for tests. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { OWNER } from '../../src/kernel/principal.ts'
import {
  openPackages,
  type OwnedPackages,
  type PackagesOptions,
} from '../../src/catalog/install/open-packages.ts'
import { createEgress, type EgressParts } from '../../src/egress/create-egress.ts'
import type { AuditEvent } from '../../src/kernel/audit-record.ts'
import type { InstalledPackage } from '../../src/ports/catalog-port.ts'
import type { Egress } from '../../src/ports/egress-port.ts'
import type { Sandbox } from '../../src/kernel/sandbox-port.ts'
import type { ServiceLaunch } from '../../src/ports/service-facts.ts'
import { never } from '../../src/kernel/test-never.ts'
import { pinPath } from '../../src/home/pin-path.ts'
import { openSandbox } from '../../src/sandbox/open-sandbox.ts'
import { AUTHORITY, HOST } from './stand-in-registry.ts'

export const NPM: string = fileURLToPath(
  new URL('../../node_modules/npm/bin/npm-cli.js', import.meta.url),
)
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }

export interface PackageHouse extends AsyncDisposable {
  readonly home: string
  /** `packages/` of the home. */
  readonly root: string
  readonly sandbox: Sandbox
  readonly packages: OwnedPackages
  /** Audit events of installs. */
  readonly events: readonly AuditEvent[]
  /** Lines of the log. */
  readonly logged: readonly string[]
  /** Names in `packages/`, dotted ones included. */
  list(): readonly string[]
}

type Changes = Partial<PackagesOptions> & { readonly home?: string }

/** A home that is passed in is not removed; a home created here is. */
export async function openPackageHouse(
  egress: PackagesOptions['egress'],
  changes: Changes = {},
): Promise<PackageHouse> {
  const home = changes.home ?? mkdtempSync('/var/tmp/cordon-packages-')
  chmodSync(home, 0o700)
  const sandbox = await openSandbox({
    pinPath,
    nodePath: process.execPath,
    cordonHome: home,
    userHome: homedir(),
    timings: { politeMs: 500, firmMs: 500 },
  })
  const root = path.join(home, 'packages')
  const events: AuditEvent[] = []
  const audit = { append: (event: AuditEvent) => events.push(event) as never }
  const owner = OWNER.id
  const logged: string[] = []
  const log = {
    warn: (text: string, fields?: object) => void logged.push(`${text} ${JSON.stringify(fields)}`),
  }
  const paths = { folder: root, npmPath: NPM, homeFolder: '/nowhere', environment: NO_SETTINGS }
  const options = { owner, sandbox, egress, audit, log, ...paths }
  const packages = await openPackages({ ...options, ...changes })
  return {
    home,
    root,
    sandbox,
    packages,
    events,
    logged,
    list: () => (existsSync(root) ? readdirSync(root).sort() : []),
    async [Symbol.asyncDispose]() {
      await packages[Symbol.asyncDispose]()
      await sandbox[Symbol.asyncDispose]()
      if (changes.home === undefined) rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Egress that connects to a stand-in on loopback, whatever address is dialled. */
export function egressTo(port: number, changes: Partial<EgressParts> = {}): Egress {
  return createEgress({
    owner: OWNER.id,
    audit: { append: () => ({}) as never },
    log: silent,
    resolve: async () => ['127.0.0.1'],
    dangerouslyAllowAddress: (address) => address === '127.0.0.1',
    connect: () => connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true }),
    ...changes,
  })
}

/** Egress to the registry that this machine uses. */
export function egressToRegistry(): Egress {
  const audit = { append: () => ({}) as never }
  return createEgress({ owner: OWNER.id, audit, log: silent })
}

/** The settings of this machine's own npm. */
export const OWN_NPM: Pick<PackagesOptions, 'environment' | 'homeFolder'> = {
  environment: process.env,
  homeFolder: homedir(),
}

/** An npm without settings: the global npmrc of this machine is not read. */
const NO_SETTINGS = { npm_config_globalconfig: '/dev/null', SSL_CERT_FILE: '/dev/null' }

/** Settings of an npm whose registry is the stand-in, trusted by a variable. */
export const STAND_IN: Pick<PackagesOptions, 'environment'> = {
  environment: {
    ...NO_SETTINGS,
    npm_config_registry: `https://${HOST}/`,
    NODE_EXTRA_CA_CERTS: AUTHORITY,
  },
}

type NpmLaunch = Extract<ServiceLaunch, { kind: 'npm' }>

/** Installs version 1.0.0 under the slug `it`; `more` overrides the launch. */
export function installFrom(
  { packages }: PackageHouse,
  name: string,
  more: Partial<NpmLaunch> = {},
): Promise<InstalledPackage> {
  const launch = { kind: 'npm', package: name, version: '1.0.0', args: [], ...more } as const
  return packages.install('it', launch, () => undefined, never)
}

/** The install fails with this code and message, and leaves no file behind. */
export async function refuses(
  house: PackageHouse,
  installing: Promise<unknown>,
  code: string,
  message: RegExp,
): Promise<void> {
  await assert.rejects(installing, (error: Error & { code?: string }) => {
    assert.match(error.message, message)
    assert.equal(error.code, code)
    return true
  })
  assert.deepEqual(house.list(), [])
}
