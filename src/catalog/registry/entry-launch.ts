/** The launch of an entry: the first of its packages, addresses or images that Cordon can run, else the reason why not. */
import { CordonError } from '../../kernel/error.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import type { Service, ServiceLaunch } from '../../ports/service-facts.ts'
import { isSecretName } from '../../text/secret-name.ts'
import { secretNeed } from '../stranger-service.ts'
import { parseImageCommand } from '../pasted/image-command.ts'
import { parsePackageSpec, NEWEST } from '../pasted/npm-command.ts'
import { parsePythonSpec } from '../pasted/python-command.ts'
import { parseServerUrl } from '../server-address.ts'
import { fillIn, holdsVariable, readInput } from './entry-input.ts'
import { readHeaders, readVariables } from './entry-settings.ts'
import { field, type Loose, recordOf, recordsOf, textOf } from './loose.ts'

export type EntryLaunch = Pick<
  Service,
  'launch' | 'domains' | 'credentials' | 'env' | 'notes' | 'oauth'
>

const NO_HOSTS = 'It may reach no host yet: add the ones it needs to its list.'
/** The part of its host's name by which a public registry is known. */
const PUBLIC = { npm: 'npmjs', pypi: 'pypi' } as const
const OTHER_KINDS: Readonly<Record<string, string>> = {
  nuget: 'a .NET package',
  mcpb: 'a bundle',
}

/** Undefined if the entry names no package and no address. */
export function readLaunch(whose: string, server: Loose): EntryLaunch | undefined {
  const packages = recordsOf(field(server, 'packages')).map((one) => readPackage(whose, one))
  const remotes = recordsOf(field(server, 'remotes')).map((one) => readRemote(whose, one))
  // A Python package needs a Python on this machine, and an image is large: an address comes before them.
  const { last = [], others = [], python = [] } = Object.groupBy(packages, rankOf)
  const all = [...others, ...preferStreams(remotes), ...python, ...last]
  return all.find(({ launch }) => launch.kind !== 'unsupported') ?? all[0]
}

function rankOf({ launch }: EntryLaunch): 'others' | 'python' | 'last' {
  if (launch.kind === 'image') return 'last'
  return launch.kind === 'pypi' ? 'python' : 'others'
}

function readPackage(whose: string, entry: Loose): EntryLaunch {
  const kind = textOf(field(entry, 'registryType')) ?? textOf(field(entry, 'registryName')) ?? ''
  if (kind !== 'npm' && kind !== 'pypi' && kind !== 'oci') {
    const what = OTHER_KINDS[kind] ?? 'a package of a kind Cordon does not know'
    return unsupported(
      `It comes only as ${what}, which Cordon does not run yet; look for one on npm or PyPI, as an image or with an https address.`,
    )
  }
  const transport = textOf(field(recordOf(field(entry, 'transport')), 'type')) ?? 'stdio'
  if (transport !== 'stdio') {
    return unsupported(
      'It would listen on this machine instead of being talked to directly, which Cordon does not do.',
    )
  }
  return kind === 'oci' ? imageLaunch(whose, entry) : readPublished(whose, kind, entry)
}

function readPublished(whose: string, kind: 'npm' | 'pypi', entry: Loose): EntryLaunch {
  if (!isOf(PUBLIC[kind], textOf(field(entry, 'registryBaseUrl')))) {
    return unsupported(
      `Its package is not in the public ${kind} registry, and Cordon installs from no other.`,
    )
  }
  const args = readArguments(recordsOf(field(entry, 'packageArguments')))
  if (typeof args === 'string') return unsupported(args)
  return packageLaunch(whose, kind, entry, args)
}

function packageLaunch(
  whose: string,
  kind: 'npm' | 'pypi',
  entry: Loose,
  args: readonly string[],
): EntryLaunch {
  const name = textOf(field(entry, 'identifier')) ?? textOf(field(entry, 'name')) ?? ''
  const version = textOf(field(entry, 'version')) ?? NEWEST
  return orWhy(() => {
    const launch: ServiceLaunch =
      kind === 'npm'
        ? { kind, ...parsePackageSpec(`${name}@${version}`), args }
        : { kind, ...parsePythonSpec(`${name}@${version}`), args }
    const { env, credentials, notes } = readVariables(whose, field(entry, 'environmentVariables'))
    return { launch, domains: [], env, credentials, oauth: [], notes: [NO_HOSTS, ...notes] }
  })
}

/** `identifier` is the whole name since the schema of 2025-10; before, registry and version stand beside it. */
function imageLaunch(whose: string, entry: Loose): EntryLaunch {
  const options = readArguments(recordsOf(field(entry, 'runtimeArguments')))
  const args = readArguments(recordsOf(field(entry, 'packageArguments')))
  if (typeof options === 'string') return unsupported(options)
  if (typeof args === 'string') return unsupported(args)
  return orWhy(() => {
    const { variables, ...command } = parseImageCommand([...options, imageOf(entry), ...args])
    const inputs = recordsOf(field(entry, 'environmentVariables'))
    const { env, credentials, notes } = readVariables(whose, inputs)
    const named = new Set(inputs.map((one) => textOf(field(one, 'name'))))
    const plain = variables.flatMap(([name, value]): [string, string][] =>
      value === undefined || named.has(name) || isSecretName(name, 'declared')
        ? []
        : [[name, value]],
    )
    const environment = Object.fromEntries(plain)
    const launch = { kind: 'image', ...command, ...(plain.length > 0 && { environment }) } as const
    return { launch, domains: [], env, credentials, oauth: [], notes: [NO_HOSTS, ...notes] }
  })
}

function imageOf(entry: Loose): string {
  const identifier = textOf(field(entry, 'identifier')) ?? textOf(field(entry, 'name')) ?? ''
  const base = textOf(field(entry, 'registryBaseUrl')) ?? ''
  const version = textOf(field(entry, 'version')) ?? ''
  const hasRegistry = /^[^/]*[.:][^/]*\//.test(identifier) || !URL.canParse(base)
  const whole = hasRegistry ? identifier : `${new URL(base).host}/${identifier}`
  const hasVersion = version === '' || /[:@][^/]+$/.test(whole)
  if (hasVersion) return whole
  return version.startsWith('sha256:') ? `${whole}@${version}` : `${whole}:${version}`
}

function readRemote(whose: string, entry: Loose): EntryLaunch {
  const template = fillIn(textOf(field(entry, 'url')), entry) ?? ''
  if (holdsVariable(template)) {
    return unsupported(
      'Its address has parts that only you know; paste the whole https address instead.',
    )
  }
  return orWhy(() => {
    const url = parseServerUrl(template, () => false)
    const type = textOf(field(entry, 'type')) ?? textOf(field(entry, 'transportType'))
    const { env, credentials, notes } = readHeaders(whose, field(entry, 'headers'))
    // Whether an address without declared headers wants a token is known only once it answers.
    const needs =
      credentials.length > 0 ? credentials : [secretNeed(whose, 'bearer', { required: false })]
    return {
      launch: { kind: 'remote', url: url.href, transport: type === 'sse' ? 'sse' : 'stream-http' },
      domains: [url.hostname],
      env,
      credentials: needs,
      oauth: credentials.length > 0 ? [] : [{ kind: 'mcp', key: 'bearer' }],
      notes,
    }
  })
}

/** The arguments, or a sentence about the first one that Cordon cannot provide. */
function readArguments(inputs: readonly Loose[]): readonly string[] | string {
  const read = inputs.map(readArgument)
  return read.find((one) => typeof one === 'string') ?? read.flat()
}

function readArgument(input: Loose): readonly string[] | string {
  const name = textOf(field(input, 'name')) ?? ''
  const read = readInput(name, input)
  if (read.kind === 'fixed')
    return field(input, 'type') === 'named' ? [name, read.value] : [read.value]
  if (read.kind === 'skip' || !read.required) return []
  if (read.isSecret) return SECRET_ARGUMENT
  const what = seenLine(name, 40) || 'a word'
  return `It needs ${what} on its command line; add it by hand with \`cordon mcp add\`.`
}

const SECRET_ARGUMENT =
  'It takes a secret on its command line, where every program on this machine could read it.'

/** Cordon installs from one registry only; a package from elsewhere would be another package there. */
function isOf(label: string, base: string | undefined): boolean {
  if (base === undefined) return true
  return URL.canParse(base) && new URL(base).hostname.split('.').includes(label)
}

function preferStreams(remotes: readonly EntryLaunch[]): readonly EntryLaunch[] {
  const isStream = ({ launch }: EntryLaunch): boolean =>
    launch.kind === 'remote' && launch.transport === 'stream-http'
  return [...remotes.filter(isStream), ...remotes.filter((one) => !isStream(one))]
}

/** Turns an error about a name or an address into a reason. */
export function orWhy(read: () => EntryLaunch): EntryLaunch {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    return unsupported(`${error.message}.`)
  }
}

export function unsupported(why: string): EntryLaunch {
  return {
    launch: { kind: 'unsupported', why },
    domains: [],
    credentials: [],
    env: {},
    oauth: [],
    notes: [],
  }
}
