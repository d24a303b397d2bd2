/**
 * A service as it can be connected: from the catalog, a registry, or what somebody pasted. Data only: nothing in it
 * runs, and nothing in it is believed because a server says so.
 */
import type { Json } from '../text/json.ts'
import type { Level } from '../labels/label.ts'
import type { DefinitionSource, ToolOverride } from './server-definition.ts'
import type { ServerId } from './server-id.ts'

export interface Service {
  readonly slug: ServerId
  /** As shown to people: `Google Drive`. */
  readonly title: string
  readonly about: string
  /** Other names people use for it, lower case. */
  readonly aliases: readonly string[]
  readonly origin: 'catalog' | 'official' | 'smithery' | 'pasted' | 'domain'
  readonly source: DefinitionSource
  readonly label: Level
  readonly launch: ServiceLaunch
  /** The hosts it may reach; exact names or `*.x.y`. */
  readonly domains: readonly string[]
  /** Where it is known to report to; never on the list, and not worth an alarm. */
  readonly telemetryDomains: readonly string[]
  /** In the order in which they are asked for. */
  readonly credentials: readonly CredentialNeed[]
  /** Ways to get a token without typing it, best first. */
  readonly oauth: readonly OAuthMethod[]
  /** Fixed settings, such as `DO_NOT_TRACK=1`. Never a secret. */
  readonly env: Readonly<Record<string, string>>
  /** Where the usual 256m is not enough to start: `512m`. */
  readonly memoryLimit?: string
  /** A read without side effects that needs a working credential. */
  readonly verify?: { readonly tool: string; readonly args: Readonly<Record<string, Json>> }
  readonly tools: Readonly<Record<string, ToolOverride>>
  /** What a person should know before connecting it. */
  readonly notes: readonly string[]
}

export type ServiceLaunch =
  | {
      readonly kind: 'npm'
      readonly package: string
      readonly version: string
      /** Of the tarball, `sha512-…`; absent where only the registry knows it yet. */
      readonly integrity?: string
      /** Which of its programs; absent: the only one. */
      readonly bin?: string
      readonly args: readonly string[]
    }
  | { readonly kind: 'remote'; readonly url: string; readonly transport: 'stream-http' | 'sse' }
  /** Cordon's own small server that fetches from the hosts on its list. */
  | { readonly kind: 'http'; readonly baseUrl: string }
  /** Understood, but not something Cordon runs today; `why` is a whole sentence with the way forward. */
  | { readonly kind: 'unsupported'; readonly why: string }

export interface CredentialNeed {
  /** Environment name, or `bearer` or `header:NAME` for a remote server. Not shown to people. */
  readonly key: string
  /** The name in the vault: `notion_token`. Absent for a plain setting, which goes into the definition. */
  readonly secret?: string
  /** What it is called in front of people: `token`, `team id`. */
  readonly title: string
  /** Where to get it: `notion.so/profile/integrations → Create → Copy secret`. */
  readonly where?: string
  readonly url?: string
  /** What it is known to begin with; longest first. */
  readonly prefixes: readonly string[]
  /** RE2 syntax, anchored. */
  readonly pattern?: string
  /** It is an address too: the hosts in it are what the server has to reach. */
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
      /** Which credential the token becomes. */
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
  /** The authorization of MCP itself: everything is discovered from the remote server's URL. */
  | { readonly kind: 'mcp'; readonly key: 'bearer' }
