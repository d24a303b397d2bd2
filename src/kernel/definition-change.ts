/** The words of a change to a server's definition: what a person may say about it in one command or one form. */
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
  /** Variable, or `bearer` or `header:NAME`, to secret reference. Joins those that are there. */
  readonly auth?: Readonly<Record<string, string>>
  readonly env?: Readonly<Record<string, string>>
  /** Said by the catalog or a registry, never typed. */
  readonly source?: DefinitionSource
  readonly package?: ServerPackage
  readonly tools?: Readonly<Record<string, ToolOverride>>
  /** The owner's word about single tools: it joins what is there, and wins over it. */
  readonly ownTools?: Readonly<Record<string, ToolOverride>>
}
