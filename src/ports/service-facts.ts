/**
 * A service that can be connected: from the catalog, a registry, or pasted text. Data only: it runs nothing, and no
 * server's claim about itself is believed.
 */
import type { FormatRules } from '../text/content-format.ts'
import type { Json } from '../text/json.ts'
import type { Level } from '../labels/label.ts'
import type { DefinitionSource, ToolOverride } from '../kernel/server-definition.ts'
import type { ServerId } from '../kernel/server-id.ts'

export interface Service {
  readonly slug: ServerId
  readonly title: string
  readonly about: string
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
  /** It is given a folder of its own as `/home/mcp/data`, kept between starts. */
  readonly keepsData?: true
  /** It starts the browser of this machine, whose path replaces `{browser}` in its arguments and variables. */
  readonly startsBrowser?: true
  /** A read without side effects that needs a working credential. */
  readonly verify?: { readonly tool: string; readonly args: Readonly<Record<string, Json>> }
  /** The field of its answer that names the account: `user.email`. */
  readonly accountField?: string
  readonly tools: Readonly<Record<string, ToolOverride>>
  /** Formats of the texts that the service takes, and acts on. */
  readonly formats?: FormatRules
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
      /** The owner lets its install scripts run, in the install sandbox and without network. */
      readonly allowScripts?: true
      /** Comes with Cordon, in its own node_modules: no registry is asked. */
      readonly isShipped?: true
    }
  | {
      readonly kind: 'pypi'
      readonly package: string
      /** One version, or a range (`>=1.2,<2`), or `latest`. */
      readonly version: string
      /** `name[extra]`. */
      readonly extras?: readonly string[]
      /** Integrity of the wheel, `sha256-…`; absent if only the index knows it yet. */
      readonly integrity?: string
      /** The name of the package's program; absent: it has only one, or one of its own name. */
      readonly bin?: string
      /** The module to start instead of a program, as `python -m` does. */
      readonly module?: string
      readonly args: readonly string[]
    }
  | {
      /** A container image, unpacked and run in the same sandbox as every other server. */
      readonly kind: 'image'
      /** With its registry, without tag and digest: `ghcr.io/acme/notes`. */
      readonly package: string
      /** A tag, or `sha256:…`. */
      readonly version: string
      /** The tag beside a digest. */
      readonly tag?: string
      /** The digest of its manifest, `sha256:…`; absent if only the registry knows it yet. */
      readonly integrity?: string
      /** Arguments in place of the image's own. */
      readonly args: readonly string[]
      /** A program in place of the image's own. */
      readonly entrypoint?: string
      readonly workingFolder?: string
      readonly user?: { readonly uid: number; readonly gid: number }
      /** Plain settings. Never a secret. */
      readonly environment?: Readonly<Record<string, string>>
      /** Paths inside of folders of this machine, by their path here. They are shown if the definition declares them. */
      readonly shownAt?: Readonly<Record<string, string>>
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
  /** The answer is no text for the server: folders or a database file that it may use, or whether it may change them. */
  readonly place?: 'folders' | 'file' | 'access'
  /** A token of another service is taken too: a person was told its name. */
  readonly takesAnyToken?: boolean
  readonly required: boolean
}

export type OAuthMethod =
  | (ProviderMethod & { readonly kind: 'device'; readonly deviceUrl: string })
  | (ProviderMethod & {
      readonly kind: 'code'
      readonly authorizeUrl: string
      readonly revokeUrl?: string
    })
  /** MCP's own authorization: every endpoint is discovered from the remote server's URL. */
  | { readonly kind: 'mcp'; readonly key: 'bearer' }

interface ProviderMethod {
  readonly provider: string
  readonly tokenUrl: string
  readonly scopes: readonly string[]
  /** The key of the credential that the token becomes. */
  readonly key: string
  /** The place where the provider tells whose token it is, and the field of its JSON: `user.email`. */
  readonly identity?: { readonly url: string; readonly field: string }
  /** How the owner registers a client there, where signing in is the usual way; asked for if there is none. */
  readonly register?: { readonly where: string; readonly hasSecret: boolean }
}
