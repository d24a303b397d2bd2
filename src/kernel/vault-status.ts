/** The facts about the vault that can be read while it is locked, such as the source of the key that wraps its keys. */
export type KeySource = 'keychain' | 'passphrase' | 'keyfile'

export interface VaultStatus {
  readonly state: 'absent' | 'locked' | 'unlocked'
  readonly keySource?: KeySource
  readonly secrets: number
  /** Warnings for people: a key file that anyone with the disk can read, a record that does not decrypt. */
  readonly warnings: readonly string[]
}

export interface SecretInfo {
  readonly name: string
  readonly createdAt: string
  readonly updatedAt: string
  /** The record on disk is truncated or altered; other records are not affected. */
  readonly damaged: boolean
}
