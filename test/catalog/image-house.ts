/** Installs of container images from the stand-in registry, in the real sandbox, for tests. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { commandOf, readFacts, rootOf } from '../../src/catalog/images/image-facts.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import type { InstalledPackage } from '../../src/ports/catalog-port.ts'
import type { ServiceLaunch } from '../../src/ports/service-facts.ts'
import { never } from '../../src/kernel/test-never.ts'
import type { LayerEntry } from '../fixtures/image-layer.ts'
import type { ImageRegistryServer } from '../fixtures/image-registry.ts'
import { egressTo, openPackageHouse, type PackageHouse } from './package-house.ts'

const AUTHORITY = fileURLToPath(new URL('../attacks/proxy/fixtures/ca.pem', import.meta.url))
export const REGISTRY = 'allowed.example'

export function openImageHouse(
  registry: ImageRegistryServer,
  changes: Parameters<typeof openPackageHouse>[1] = {},
): Promise<PackageHouse> {
  const environment = { NODE_EXTRA_CA_CERTS: AUTHORITY, SSL_CERT_FILE: '/dev/null' }
  return openPackageHouse(egressTo(registry.port), { environment, ...changes })
}

type ImageLaunch = Extract<ServiceLaunch, { kind: 'image' }>

/** Installs `acme/it:1.0` under the slug `it`; `more` overrides the launch. */
export function installImage(
  { packages }: PackageHouse,
  more: Partial<ImageLaunch> = {},
): Promise<InstalledPackage> {
  const launch = {
    kind: 'image',
    package: `${REGISTRY}/acme/it`,
    version: '1.0',
    args: [],
    ...more,
  } as const
  return packages.install('it', launch, () => undefined, never)
}

/** A shell of 2 MB without libraries, as an image would bring it. */
export function busybox(): LayerEntry {
  return { name: 'bin/busybox', mode: 0o755, content: readFileSync('/bin/busybox') }
}

interface ImageRun {
  readonly environment?: Readonly<Record<string, string>>
  /** Folders to read, each with its path inside. */
  readonly shownAt?: Readonly<Record<string, string>>
  readonly workingFolder?: string
}

/** The output of the program of an installed image. */
export async function runImage(
  { sandbox }: PackageHouse,
  { entry }: InstalledPackage,
  { environment = {}, shownAt = {}, ...more }: ImageRun = {},
): Promise<string> {
  const facts = readFacts(entry)
  const named = { package: facts.image, version: facts.digest, args: [] }
  const launch = { kind: 'image', ...named, shownAt, ...more } as const
  const [command = '', ...args] = commandOf(facts, launch)
  await using running = await sandbox.launch(
    {
      server: parseServerId('it'),
      command,
      args,
      environment,
      networked: true,
      settings: {
        mode: 'bwrap',
        memoryLimitBytes: 2 ** 28,
        readOnlyFs: true,
        allowTmp: true,
        readPaths: Object.keys(shownAt),
        writePaths: [],
        image: rootOf(entry, facts, launch),
      },
    },
    never,
  )
  const [out, errors] = await Promise.all([running.stdout.toArray(), running.stderr.toArray()])
  return Buffer.concat([...out, ...errors]).toString()
}
