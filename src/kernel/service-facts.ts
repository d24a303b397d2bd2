/**
 * A service that can be connected: from the catalog, a registry, or pasted text. Data only: it runs nothing, and no
 * server's claim about itself is believed.
 */
import type { FormatRules } from '../text/content-format.ts'
import type { Json } from '../text/json.ts'
import type { Level } from '../labels/label.ts'
import type { DefinitionSource, ToolOverride } from './server-definition.ts'
import type { ServerId } from './server-id.ts'

export interface Service {
  readonly slug: ServerId
  /** As shown to people: `Google Drive`. */
  readonly title: string
  readonly about: string
  /** Other names for the service, lower case. */
  readonly aliases: readonly string[]
  readonly origin: 'catalog' | 'official' | 'smithery' | 'pasted' | 'domain'
  readonly source: DefinitionSource
  readonly label: Level
  readonly launch: ServiceLaunch
  /** The hosts that the server may reach; exact names or `*.x.y`. */
  readonly domains: readonly string[]
  /** Hosts to which the service is known to send telemetry: never allowed, and not worth an alarm. */
  readonly telemetryDomains: readonly string[]
  /** In the order in which the person is asked for them. */
  readonly credentials: readonly CredentialNeed[]
  /** Ways to get a token without typing it, best first. */
  readonly oauth: readonly OAuthMethod[]
  /** Fixed settings, such as `DO_NOT_TRACK=1`. Never a secret. */
  readonly env: Readonly<Record<string, string>>
  /** Set if the default of 256m is too little to start: `512m`. */
  readonly memoryLimit?: string
  /** A read without side effects that needs a working credential. */
  readonly verify?: { readonly tool: string; readonly args: Readonly<Record<string, Json>> }
  readonly tools: Readonly<Record<string, ToolOverride>>
  /** Formats of the texts that the service takes, and acts on. */
  readonly formats?: FormatRules
  /** Things to know before connecting the service. */
  readonly notes: readonly string[]
}

export type ServiceLaunch =
  | {
      readonly kind: 'npm'
      readonly package: string
      readonly version: string
      /** Integrity of the tarball, `sha512-…`; absent if only the registry knows it yet. */
      readonly integrity?: string
      /** The name of the package's program; absent: it has only one. */
      readonly bin?: string
      readonly args: readonly string[]
    }
  | { readonly kind: 'remote'; readonly url: string; readonly transport: 'stream-http' | 'sse' }
  /** Cordon's own small server, which fetches from the allowed hosts. */
  | { readonly kind: 'http'; readonly baseUrl: string }
  /** Recognised, but Cordon cannot run it; `why` is a whole sentence with the way forward. */
  | { readonly kind: 'unsupported'; readonly why: string }

export interface CredentialNeed {
  /** Environment name, or `bearer` or `header:NAME` for a remote server. Not shown to people. */
  readonly key: string
  /** The name in the vault: `notion_token`. Absent for a plain setting, which goes into the definition. */
  readonly secret?: string
  /** The name shown to people: `token`, `team id`. */
  readonly title: string
  /** Instructions for getting the credential: `notion.so/profile/integrations → Create → Copy secret`. */
  readonly where?: string
  readonly url?: string
  /** Known beginnings of the credential, longest first. */
  readonly prefixes: readonly string[]
  /** RE2 syntax, anchored. */
  readonly pattern?: string
  /** The credential is also a URL: its hosts are the ones the server has to reach. */
  readonly isAddress?: boolean
  readonly required: boolean
}

export type OAuthMethod =
  | {
      readonly kind: 'device'
      readonly provider: string
      readonly deviceUrl: string
      readonly tokenUrl: string
      readonly scopes: readonly string[]
      /** The key of the credential that the token becomes. */
      readonly key: string
    }
  | {
      readonly kind: 'code'
      readonly provider: string
      readonly authorizeUrl: string
      readonly tokenUrl: string
      readonly revokeUrl?: string
      readonly scopes: readonly string[]
      readonly key: string
    }
  /** MCP's own authorization: every endpoint is discovered from the remote server's URL. */
  | { readonly kind: 'mcp'; readonly key: 'bearer' }
