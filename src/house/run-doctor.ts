/** All the checks of `cordon doctor`, gathered from the rooms. Works without a home, a lock or a running kernel. */
import { homeChecks } from '../home/home-checks.ts'
import type { DoctorCheck } from '../kernel/doctor-check.ts'
import type { Vault } from '../kernel/ports.ts'
import { sandboxChecks } from '../sandbox/sandbox-checks.ts'
import { createKeychain, type Keychain } from '../vault/keychain.ts'
import { vaultChecks } from '../vault/vault-checks.ts'

interface Patient {
  readonly homePath: string
  /** Present in the running kernel only. */
  readonly vault?: Pick<Vault, 'status'>
  readonly keychain?: Keychain
}

export async function runDoctor(
  { homePath, vault, keychain = createKeychain() }: Patient,
  signal: AbortSignal,
): Promise<readonly DoctorCheck[]> {
  const groups = await Promise.all([
    sandboxChecks(signal),
    homeChecks(homePath),
    vaultChecks(await vault?.status(), keychain),
  ])
  return [nodeCheck(), ...groups.flat()]
}

function nodeCheck(): DoctorCheck {
  // The launcher refuses an older Node, so the version is new enough here.
  return { name: 'node', verdict: 'ok', finding: `version ${process.versions.node}` }
}
