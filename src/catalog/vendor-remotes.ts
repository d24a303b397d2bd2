/**
 * Servers that vendors host themselves, next to the local ones: `notion-remote` beside `notion`. They need no install,
 * and most offer sign-in instead of a pasted token. Only servers that accept an unregistered client, or the token of
 * the local server.
 */
import { parseServerId } from '../kernel/server-id.ts'
import type { CredentialNeed, OAuthMethod, Service } from '../ports/service-facts.ts'
import { GITHUB_REMOTE_TOOLS } from './known/github-remote-tools.ts'
import {
  AIRTABLE_REMOTE_TOOLS,
  ATLASSIAN_REMOTE_TOOLS,
  GITLAB_REMOTE_TOOLS,
  LINEAR_REMOTE_TOOLS,
  NOTION_REMOTE_TOOLS,
} from './known/vendor-remote-tools.ts'
import { knownService, remote, token } from './known-service.ts'

interface VendorRemote {
  readonly of: string
  readonly url: string
  /** Sign-in, the token of the local server, or either. */
  readonly by: 'sign-in' | 'token' | 'both'
  /** Tool overrides; `local` means those of the local server, if the vendor builds both from one source. */
  readonly tools: 'local' | Service['tools']
}

const REMOTES: readonly VendorRemote[] = [
  { of: 'notion', url: 'https://mcp.notion.com/mcp', by: 'sign-in', tools: NOTION_REMOTE_TOOLS },
  {
    of: 'github',
    url: 'https://api.githubcopilot.com/mcp/',
    by: 'token',
    tools: GITHUB_REMOTE_TOOLS,
  },
  { of: 'gitlab', url: 'https://gitlab.com/api/v4/mcp', by: 'sign-in', tools: GITLAB_REMOTE_TOOLS },
  { of: 'linear', url: 'https://mcp.linear.app/mcp', by: 'both', tools: LINEAR_REMOTE_TOOLS },
  {
    of: 'atlassian',
    url: 'https://mcp.atlassian.com/v1/mcp/authv2',
    by: 'sign-in',
    tools: ATLASSIAN_REMOTE_TOOLS,
  },
  { of: 'sentry', url: 'https://mcp.sentry.dev/mcp', by: 'sign-in', tools: 'local' },
  { of: 'supabase', url: 'https://mcp.supabase.com/mcp', by: 'both', tools: 'local' },
  { of: 'airtable', url: 'https://mcp.airtable.com/mcp', by: 'both', tools: AIRTABLE_REMOTE_TOOLS },
  { of: 'resend', url: 'https://mcp.resend.com/mcp', by: 'both', tools: 'local' },
  { of: 'todoist', url: 'https://ai.todoist.net/mcp', by: 'sign-in', tools: 'local' },
  { of: 'tavily', url: 'https://mcp.tavily.com/mcp/', by: 'both', tools: 'local' },
  { of: 'perplexity', url: 'https://api.perplexity.ai/mcp', by: 'token', tools: 'local' },
  { of: 'postman', url: 'https://mcp.postman.com/mcp', by: 'both', tools: 'local' },
]

export function vendorRemotes(local: readonly Service[]): readonly Service[] {
  return REMOTES.flatMap((vendor) => {
    const service = local.find((one) => one.slug === vendor.of)
    return service ? [remoteOf(service, vendor)] : []
  })
}

function remoteOf(local: Service, { url, by, tools }: VendorRemote): Service {
  const slug = parseServerId(`${local.slug}-remote`)
  return knownService({
    slug,
    title: `${local.title} (remote)`,
    about: local.about,
    aliases: local.aliases
      .filter((alias) => /^[a-z ]+$/.test(alias))
      .map((name) => `${name} remote`),
    label: local.label,
    launch: remote(url),
    domains: [new URL(url).hostname],
    ...(local.formats && { formats: local.formats }),
    credentials: [by === 'sign-in' ? accessToken(slug) : localToken(local)],
    oauth: signIns(local, by),
    tools: tools === 'local' ? local.tools : tools,
    notes: ['Run by the vendor: nothing is installed, and what it does happens on their machines.'],
  })
}

function accessToken(slug: string): CredentialNeed {
  return token('bearer', `${slug.replaceAll('-', '_')}_token`, { title: 'access token' })
}

/** The same secret under the same name, so that the token of the local server is used here too. */
function localToken(local: Service): CredentialNeed {
  const need = local.credentials.find(({ secret }) => secret !== undefined)
  return need ? { ...need, key: 'bearer' } : accessToken(local.slug)
}

function signIns(local: Service, by: VendorRemote['by']): readonly OAuthMethod[] {
  if (by !== 'token') return [{ kind: 'mcp', key: 'bearer' }]
  return local.oauth.map((method) => ({ ...method, key: 'bearer' }))
}
