/** A change to a server's definition, as a person can make it in one command or one form. */
import type { LimitChanges } from '../text/server-limits.ts'
import type { ServerDefinition } from './server-definition.ts'

export interface DefinitionChanges extends LimitChanges {
  readonly name?: string
  readonly description?: string
  readonly label?: string
  readonly allowedDomains?: readonly string[]
  readonly transport?: ServerDefinition['transport']
  readonly command?: string
  readonly args?: readonly string[]
  readonly url?: string
  readonly socketPath?: string
  readonly httpPath?: string
  readonly dangerouslyAllowHttp?: boolean
  readonly enabled?: boolean
  readonly disabledReason?: string
  readonly start?: 'eager' | 'lazy'
  readonly version?: string
  readonly readPaths?: readonly string[]
  readonly writePaths?: readonly string[]
  readonly keepsData?: boolean
  readonly startsBrowser?: boolean
  /** Variable, `bearer` or `header:NAME`, mapped to a secret reference. Merged with the entries there are. */
  readonly auth?: Readonly<Record<string, string>>
  /** Credentials to seal, each with the hosts that are told it; without any: all that the server may reach. */
  readonly seal?: Readonly<Record<string, readonly string[]>>
  readonly unseal?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Set by the catalog or a registry, never typed by a person. */
  readonly source?: NonNullable<ServerDefinition['source']>
  readonly package?: NonNullable<ServerDefinition['package']>
  readonly tools?: ServerDefinition['tools']
  /** The owner's settings for single tools: merged with the existing ones, and win over them. */
  readonly ownTools?: ServerDefinition['tools']
}
