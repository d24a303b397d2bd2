/** What was pasted, as a service. A package or an address that the catalog knows is the known service. */
import type { CredentialNeed, Service } from '../../kernel/service-facts.ts'
import { strangerService, freeSlug, ownWords, plainLine, secretNeed } from '../stranger-service.ts'
import type { NameBook } from '../name-book.ts'
import type { ForeignCommand } from './foreign-command.ts'
import { type NpmCommand, NEWEST } from './npm-command.ts'
import type { PastedSettings } from './pasted-command.ts'

const NO_SETTINGS: PastedSettings = { env: {}, secrets: [], refused: [] }
const DROPPED =
  'The token in the pasted line was not kept; you are asked for it, and it goes to the vault.'
const NO_HOSTS = 'It may reach no host yet: add the ones it needs to its list.'
const UNKNOWN =
  'Cordon does not know this server: look at who published it before you trust it with anything.'

export function npmService(
  book: NameBook,
  command: NpmCommand,
  settings: PastedSettings = NO_SETTINGS,
): Service {
  const known = book.findExact(command.package)
  if (known) return knownAsPasted(known, command, settings)
  const { package: name, version, bin, args } = command
  return strangerService({
    slug: freeSlug(ownWords(name), name),
    title: name,
    about: `The npm package ${name}.`,
    origin: 'pasted',
    source: { kind: 'manual' },
    launch: { kind: 'npm', package: name, version, args, ...(bin === undefined ? {} : { bin }) },
    credentials: needsOf(`npm/${name}`, settings),
    env: settings.env,
    notes: [UNKNOWN, NO_HOSTS, ...notesOf(settings)],
  })
}

/** Known, though perhaps under a name it replaces. What was pasted beside the name is honoured, tokens excepted. */
function knownAsPasted(known: Service, command: NpmCommand, settings: PastedSettings): Service {
  const { launch } = known
  const asked = new Set(known.credentials.map(({ key }) => key))
  const env = Object.fromEntries(Object.entries(settings.env).filter(([name]) => !asked.has(name)))
  const merged = {
    ...known,
    env: { ...known.env, ...env },
    notes: [...known.notes, ...notesOf(settings)],
  }
  if (launch.kind !== 'npm' || launch.package !== command.package) return merged
  const args = command.args.length === 0 ? launch.args : command.args
  if (command.version === NEWEST || command.version === launch.version) {
    return { ...merged, launch: { ...launch, args } }
  }
  const { integrity: _, ...unpinned } = launch
  // Nobody has looked at these bytes, so the catalog does not vouch for them.
  return {
    ...merged,
    origin: 'pasted',
    source: { kind: 'manual' },
    launch: { ...unpinned, args, version: command.version },
    notes: [...merged.notes, `Cordon knows version ${launch.version}; this is another one.`],
  }
}

export function remoteService(services: readonly Service[], url: URL): Service {
  const known = services.find(
    ({ launch }) => launch.kind === 'remote' && new URL(launch.url).href === url.href,
  )
  if (known) return known
  return strangerService({
    slug: freeSlug(siteName(url.hostname), url.hostname),
    title: url.hostname,
    about: `The MCP server at ${url.hostname}.`,
    origin: 'pasted',
    source: { kind: 'manual', url: url.href },
    launch: {
      kind: 'remote',
      url: url.href,
      transport: /\/sse\/?$/.test(url.pathname) ? 'sse' : 'stream-http',
    },
    domains: [url.hostname],
    // Whether it wants a token at all shows only when it answers.
    credentials: [secretNeed(`site/${url.hostname}`, 'bearer', { required: false })],
    oauth: [{ kind: 'mcp', key: 'bearer' }],
    notes: [UNKNOWN],
  })
}

export function siteService(host: string): Service {
  return strangerService({
    slug: freeSlug(siteName(host), host),
    title: host,
    about: `Reads and writes over HTTPS at ${host}, and nowhere else.`,
    origin: 'domain',
    source: { kind: 'manual', url: `https://${host}` },
    launch: { kind: 'http', baseUrl: `https://${host}` },
    domains: [host],
    credentials: [{ ...secretNeed(`site/${host}`, 'token', {}), key: 'CORDON_HTTP_TOKEN' }],
    tools: { http_get: { semantics: 'read' } },
    notes: [`Cordon's own small server; it sends the token to ${host} only.`],
  })
}

export function foreignService(
  { what }: ForeignCommand,
  why: string,
  settings: PastedSettings,
): Service {
  const name = plainLine(what.split(/[:@=]/)[0] ?? '')
  return strangerService({
    slug: freeSlug(ownWords(name), name),
    title: name || 'This server',
    origin: 'pasted',
    source: { kind: 'manual' },
    launch: { kind: 'unsupported', why },
    credentials: needsOf(`image/${name}`, settings),
    env: settings.env,
    notes: notesOf(settings),
  })
}

/** `tracker.mycompany.com` is called `tracker`; `mcp.acme.dev` is called `acme`. */
function siteName(host: string): string {
  const labels = host.split('.').filter((label) => !/^(?:www|api|mcp)$/.test(label))
  return labels[0] ?? host
}

function needsOf(whose: string, { secrets }: PastedSettings): readonly CredentialNeed[] {
  return [...new Set(secrets)].map((name) => secretNeed(whose, name, {}))
}

function notesOf({ secrets, refused }: PastedSettings): readonly string[] {
  const left = refused.length === 0 ? [] : ['Settings that steer the sandbox itself were left out.']
  return [...(secrets.length === 0 ? [] : [DROPPED]), ...left]
}
