/** All the checks of `cordon doctor`, gathered from the rooms. Works without a home, a lock or a running kernel. */
import { homedir } from 'node:os'
import path from 'node:path'
import type { OwnedPackages } from '../catalog/install/open-packages.ts'
import { clientConfigChecks } from '../definitions/clients/client-config-checks.ts'
import { configFolders } from '../definitions/clients/client-configs.ts'
import { olderSettingsChecks } from '../definitions/older-settings-checks.ts'
import { homeChecks } from '../home/home-checks.ts'
import type { DoctorCheck } from '../text/doctor-check.ts'
import type { Vault } from '../kernel/ports.ts'
import { sandboxChecks } from '../sandbox/sandbox-checks.ts'
import { createKeychain, type Keychain } from '../vault/keychain.ts'
import { vaultChecks } from '../vault/vault-checks.ts'

interface Patient {
  readonly homePath: string
  /** Present in the running kernel only. */
  readonly vault?: Pick<Vault, 'status'>
  readonly keychain?: Keychain
  readonly packages: Pick<OwnedPackages, 'tryRegistry'>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The folder that the owner works in, whose project may bring servers along. */
  readonly folder?: string
}

export async function runDoctor(
  { homePath, vault, keychain = createKeychain(), packages, environment, folder }: Patient,
  signal: AbortSignal,
): Promise<readonly DoctorCheck[]> {
  const project = folder !== undefined && { project: folder }
  const groups = await Promise.all([
    sandboxChecks(signal),
    packages.tryRegistry(signal).then((check) => [check]),
    homeChecks(homePath),
    olderSettingsChecks(homedir(), path.join(homePath, 'mcp')),
    clientConfigChecks({ ...configFolders(process.platform, homedir(), environment), ...project }),
    vaultChecks(await vault?.status(), keychain),
  ])
  return [nodeCheck(), ...groups.flat()]
}

function nodeCheck(): DoctorCheck {
  // The launcher refuses an older Node, so the version is new enough here.
  return { name: 'node', verdict: 'ok', finding: `version ${process.versions.node}` }
}
