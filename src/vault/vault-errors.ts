/** The refusals that several files of the vault share. None of them ever repeats a value or a passphrase. */
import { CordonError } from '../kernel/error.ts'

export function vaultLocked(action: string): CordonError {
  return new CordonError(
    'vault.locked',
    { exit: 4, hint: 'Run `cordon vault unlock`, then try again' },
    `Cannot ${action}`,
  )
}

export function vaultAbsent(action: string): CordonError {
  return new CordonError(
    'vault.absent',
    { exit: 4, hint: 'Run `cordon vault init`, then try again' },
    `Cannot ${action}: there is no vault yet`,
  )
}

/** The header file is gone, cut short or not ours. It is never taken for an empty vault. */
export function headerDamaged(path: string): CordonError {
  return new CordonError(
    'vault.header',
    { exit: 5, hint: `Restore ${JSON.stringify(path)} from a backup, then try again` },
    'Cannot read the keys of the vault: its header is missing, cut short or altered',
  )
}

export function keyDoesNotFit(): CordonError {
  return new CordonError(
    'vault.key',
    { exit: 5, hint: 'Restore the vault folder and its key from the same backup, then try again' },
    'Cannot unlock the vault: its key is missing or does not fit',
  )
}

export function secretMissing(name: string): CordonError {
  return new CordonError(
    'vault.missing',
    { exit: 5, hint: missingHint(name) },
    `Cannot lend secret ${JSON.stringify(name)}`,
  )
}

export function secretDamaged(name: string): CordonError {
  return new CordonError(
    'vault.damaged',
    {
      exit: 5,
      hint: `Restore the vault folder from a backup, or run \`cordon vault set ${name}\` to store it anew`,
    },
    `Cannot lend secret ${JSON.stringify(name)}: its record is cut short or altered`,
  )
}

/** `oauth/NAME` is a token that only signing in can give. */
function missingHint(name: string): string {
  const [, token] = /^oauth\/(.+)$/.exec(name) ?? []
  return token === undefined
    ? `Run \`cordon vault set ${name}\`, then try again`
    : `Sign in again with \`cordon connect ${token}\``
}
