/** What may be known about the vault without opening it. */

/** Where the key that wraps the master key comes from. */
export type KeySource = 'keychain' | 'passphrase' | 'keyfile'

export interface VaultStatus {
  readonly state: 'absent' | 'locked' | 'unlocked'
  readonly keySource?: KeySource
  readonly secrets: number
  /** Loud and for people: a key file that anyone with the disk can read, a record that does not decrypt. */
  readonly warnings: readonly string[]
}

export interface SecretInfo {
  readonly name: string
  readonly createdAt: string
  readonly updatedAt: string
  /** The record on disk is cut short or altered; the others are not affected. */
  readonly damaged: boolean
}
