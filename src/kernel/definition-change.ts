/** A change to a server's definition, as a person can make it in one command or one form. */
import type {
  DefinitionSource,
  ServerPackage,
  ToolOverride,
  TransportKind,
} from './server-definition.ts'

export interface DefinitionChanges {
  readonly name?: string
  readonly description?: string
  readonly label?: string
  readonly allowedDomains?: readonly string[]
  readonly transport?: TransportKind
  readonly command?: string
  readonly args?: readonly string[]
  readonly url?: string
  readonly socketPath?: string
  readonly httpPath?: string
  readonly dangerouslyAllowHttp?: boolean
  readonly enabled?: boolean
  readonly start?: 'eager' | 'lazy'
  readonly version?: string
  readonly memoryLimit?: string
  /** Variable, `bearer` or `header:NAME`, mapped to a secret reference. Merged with the entries there are. */
  readonly auth?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Set by the catalog or a registry, never typed by a person. */
  readonly source?: DefinitionSource
  readonly package?: ServerPackage
  readonly tools?: Readonly<Record<string, ToolOverride>>
  /** The owner's settings for single tools: merged with the existing ones, and win over them. */
  readonly ownTools?: Readonly<Record<string, ToolOverride>>
}
