/** The vault and keychain checks of `cordon doctor`. Read-only, except for the keychain's test entry. */
import type { DoctorCheck } from '../text/doctor-check.ts'
import type { VaultStatus } from '../kernel/vault-status.ts'
import type { Keychain } from './keychain.ts'

/** Without a status, because no kernel has the vault open, only the keychain is checked. */
export async function vaultChecks(
  status: VaultStatus | undefined,
  keychain: Keychain,
): Promise<readonly DoctorCheck[]> {
  const ofKeychain = checkKeychain(status, await keychain.probe())
  return status ? [checkVault(status), ofKeychain] : [ofKeychain]
}

function checkVault(status: VaultStatus): DoctorCheck {
  const name = 'vault'
  const [warning] = status.warnings
  if (warning) return { name, verdict: 'warn', finding: warning, remedy: 'cordon vault status' }
  if (status.state === 'absent') {
    return { name, verdict: 'warn', finding: 'Not set up yet', remedy: 'cordon vault init' }
  }
  return { name, verdict: 'ok', finding: `${status.state}, ${status.secrets} secrets` }
}

function checkKeychain(status: VaultStatus | undefined, problem: string | undefined): DoctorCheck {
  const name = 'keychain'
  if (problem === undefined) return { name, verdict: 'ok', finding: 'Keeps a test entry' }
  switch (status?.keySource) {
    case 'passphrase':
      return { name, verdict: 'ok', finding: `${problem}; the vault has a passphrase instead` }
    case 'keychain': {
      const remedy = 'Unlock the keychain of this desktop session, then run `cordon vault unlock`'
      return { name, verdict: 'fail', finding: problem, remedy }
    }
    case 'keyfile': {
      const remedy = 'cordon vault rotate --passphrase'
      return { name, verdict: 'warn', finding: problem, remedy }
    }
    default: {
      const remedy = 'Give the vault a passphrase: `cordon vault init --key passphrase`'
      return { name, verdict: 'warn', finding: problem, remedy }
    }
  }
}
