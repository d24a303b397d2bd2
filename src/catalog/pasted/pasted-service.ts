/** The service that a pasted text describes. A package or an address of the catalog gives the known service. */
import { seenLine } from '../../text/untrusted-text.ts'
import type { CredentialNeed, Service } from '../../ports/service-facts.ts'
import { freeSlug, ownWords, secretNeed, strangerService, UNKNOWN } from '../stranger-service.ts'
import type { NameIndex } from '../name-index.ts'
import type { ForeignCommand } from './foreign-command.ts'
import { type NpmCommand, NEWEST } from './npm-command.ts'
import { isSecretValue } from '../../text/looks-secret.ts'
import { isSecretName } from '../../text/secret-name.ts'
import type { IsToken } from '../server-address.ts'
import type { ImageCommand } from './image-command.ts'
import type { PastedSettings } from './pasted-command.ts'
import type { PythonCommand } from './python-command.ts'

const NO_SETTINGS: PastedSettings = { env: {}, secrets: [], refused: [] }
const DROPPED =
  'The token in the pasted line was not kept; you are asked for it, and it goes to the vault.'
const NO_HOSTS = 'It may reach no host yet: add the ones it needs to its list.'

export function npmService(
  names: NameIndex,
  command: NpmCommand,
  settings: PastedSettings = NO_SETTINGS,
): Service {
  const known = names.findExact(command.package)
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

export function pythonService(
  { package: name, ...command }: PythonCommand,
  settings: PastedSettings = NO_SETTINGS,
): Service {
  return strangerService({
    slug: freeSlug(ownWords(name), name),
    title: name,
    about: `The Python package ${name}.`,
    origin: 'pasted',
    source: { kind: 'manual' },
    launch: { kind: 'pypi', package: name, ...command },
    credentials: needsOf(`pypi/${name}`, settings),
    env: settings.env,
    notes: [UNKNOWN, NO_HOSTS, ...notesOf(settings)],
  })
}

/** Settings of the line: a value that may be secret is dropped and asked for, and so is a name without a value. */
export function imageService(
  { variables, ...command }: ImageCommand,
  { isToken }: { readonly isToken: IsToken },
  settings: PastedSettings = NO_SETTINGS,
): Service {
  const { package: name } = command
  const isSecret = (key: string, value: string): boolean =>
    isSecretName(key, 'declared') || isToken(value) || isSecretValue(value)
  const plain = variables.flatMap(([key, value]): [string, string][] =>
    value === undefined || isSecret(key, value) ? [] : [[key, value]],
  )
  const asked = variables.filter(([key]) => !plain.some(([one]) => one === key))
  const needs = asked.map(([key, value]) => {
    const required = isSecretName(key, 'declared') || value !== undefined
    return secretNeed(`image/${name}`, key, { required })
  })
  const dropped = asked.some(([, value]) => value !== undefined)
  const environment = Object.fromEntries([...Object.entries(settings.env), ...plain])
  const owner = name.split('/').slice(-2).join('-')
  return strangerService({
    slug: freeSlug(ownWords(name), owner, name),
    title: name,
    about: `The container image ${name}.`,
    origin: 'pasted',
    source: { kind: 'manual' },
    launch: {
      kind: 'image',
      ...command,
      ...(Object.keys(environment).length > 0 && { environment }),
    },
    credentials: [...needs, ...needsOf(`image/${name}`, settings)],
    notes: [
      UNKNOWN,
      NO_HOSTS,
      ...(dropped && settings.secrets.length === 0 ? [DROPPED] : []),
      ...notesOf(settings),
    ],
  })
}

/** A known service, perhaps by a former name. Pasted settings and arguments count; tokens and version do not. */
function knownAsPasted(known: Service, command: NpmCommand, settings: PastedSettings): Service {
  const { launch } = known
  const asked = new Set(known.credentials.map(({ key }) => key))
  const env = Object.fromEntries(Object.entries(settings.env).filter(([name]) => !asked.has(name)))
  const isSame = launch.kind === 'npm' && launch.package === command.package
  const args = isSame && command.args.length > 0 ? { args: command.args } : {}
  return {
    ...known,
    launch: { ...launch, ...args },
    env: { ...known.env, ...env },
    notes: [...known.notes, ...versionNote(known, command), ...notesOf(settings)],
  }
}

/** The catalog has reviewed only the pinned version, so another pasted version is not used. */
function versionNote(
  { launch }: Service,
  { package: name, version }: NpmCommand,
): readonly string[] {
  if (launch.kind !== 'npm' || launch.package !== name) return []
  if (version === NEWEST || version === launch.version) return []
  return [`Cordon uses version ${launch.version}, the one it knows.`]
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
    // Whether the server wants a token is known only once it answers.
    credentials: [secretNeed(`site/${url.hostname}`, 'bearer', { required: false })],
    oauth: [{ kind: 'mcp', key: 'bearer' }],
    notes: [UNKNOWN],
  })
}

/** A header whose value was in the pasted text; that was dropped, and is asked for. */
export function withHeaders(service: Service, names: readonly string[]): Service {
  const needs = names.map((name) => {
    const key = name.toLowerCase() === 'authorization' ? 'bearer' : `header:${name}`
    return secretNeed(`site/${service.title}`, key, {})
  })
  const keys = new Set(needs.map(({ key }) => key))
  const others = service.credentials.filter(({ key }) => !keys.has(key))
  return { ...service, credentials: [...needs, ...others], notes: [...service.notes, DROPPED] }
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

export function foreignService({ what }: ForeignCommand, why: string): Service {
  const name = seenLine(what.split(/[:@=]/)[0] ?? '', 200)
  return strangerService({
    slug: freeSlug(ownWords(name), name),
    title: name || 'This server',
    origin: 'pasted',
    source: { kind: 'manual' },
    launch: { kind: 'unsupported', why },
  })
}

/** The name of a site: `tracker` for `tracker.mycompany.com`, `acme` for `mcp.acme.dev`. */
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
