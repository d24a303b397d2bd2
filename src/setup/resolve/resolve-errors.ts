/** Errors for a name that led to no service, each with a way forward. Never repeats a text that may be a token. */
import { CordonError } from '../../kernel/error.ts'
import type { Service } from '../../ports/service-facts.ts'

export function unsupported(title: string, why: string): CordonError {
  return new CordonError(
    'setup.unsupported',
    { exit: 5, hint: why },
    `Cannot connect ${JSON.stringify(title)}`,
  )
}

/** Does not repeat the name. */
export function tokenForName(): CordonError {
  return new CordonError(
    'setup.unusable',
    { exit: 2, hint: 'Say only the name of the service: Cordon asks for the token separately' },
    'Cannot look for that name: it holds a token',
  )
}

export function ambiguous(name: string, { launch }: Service): CordonError {
  const runners = {
    npm: 'npx',
    pypi: 'uvx',
    image: 'docker run -i',
    remote: '',
    http: '',
    unsupported: '',
  }
  const runner = runners[launch.kind]
  const otherwise = runner === '' ? `https://${name}` : `"${runner} ${name}"`
  return new CordonError(
    'setup.ambiguous',
    {
      exit: 2,
      hint: `Run \`cordon connect registry:${name}\` for the one that is listed, or \`cordon connect ${otherwise}\``,
    },
    `Cannot tell which ${JSON.stringify(name)} is meant: a registry lists another server of that name`,
  )
}

export function imitation(name: string, real: Service): CordonError {
  return new CordonError(
    'setup.imitation',
    { exit: 3, hint: `Run \`cordon connect ${real.slug}\` if you mean ${real.title}` },
    `Cannot connect ${JSON.stringify(name)}: it passes for ${real.title} and is not it`,
  )
}

export function noAccountName({ slug }: Service): CordonError {
  return new CordonError(
    'setup.unusable',
    {
      exit: 2,
      hint: `Use a short name of letters, digits, "-" and "_", like \`cordon connect ${slug} as work\``,
    },
    'Cannot use that name for an account',
  )
}

export function accountTaken({ slug }: Service, other: Service): CordonError {
  return new CordonError(
    'setup.taken',
    { exit: 2, hint: `Choose another name, like \`cordon connect ${slug} as work\`` },
    `Cannot use that name for an account: ${JSON.stringify(other.slug)} is ${other.title}, another service`,
  )
}

/** For the owner's own definition, of which only the launch is known. */
export function notCopied({ slug, title }: Service): CordonError {
  return new CordonError(
    'setup.unsupported',
    {
      exit: 5,
      hint: `Run \`cordon connect\` with the line that ${slug} came from and \`as NAME\` at its end, or \`cordon mcp add --help\``,
    },
    `Cannot connect another account of ${JSON.stringify(title)}: it is started as its file says`,
  )
}

const WAY_FORWARD =
  'Is there an MCP server package for it on npm? If not, I can use a generic HTTP server.'

interface Instead {
  /** Known names with a similar spelling. */
  readonly close?: readonly string[]
  /** Names that the registries have. */
  readonly listed?: readonly string[]
  /** The word of a sentence that could be a site for the generic server. */
  readonly pasted?: string
}

/** For a name with more words behind it, such as the folder or the token that the service asks for. */
export function moreThanName({ slug, title }: Service): CordonError {
  return new CordonError(
    'setup.more-than-name',
    { exit: 2, hint: `Run \`cordon connect ${slug}\`: it asks for what it needs` },
    `Cannot find a service of that name; its first word names ${title}`,
  )
}

/** Lists similar names, and the command for each way to go on. */
export function unknownService(name: string, instead: Instead): CordonError {
  const { close = [], listed = [], pasted = 'DOMAIN' } = instead
  const meant = close.length > 0 ? `; did you mean ${close.join(' or ')}?` : ''
  const names = listed.slice(0, 5)
  const known = names.length > 0 ? ` The registries have ${names.join(', ')}.` : ''
  const pick =
    names.length > 0 ? `, or \`cordon connect registry:${names[0]}\` for one of those` : ''
  const how = `Run \`cordon connect "npx PACKAGE"\` for a package, \`cordon connect ${pasted}\` for the generic server${pick}`
  return new CordonError(
    'setup.unknown-service',
    { exit: 2, hint: `${WAY_FORWARD}${known} ${how}` },
    `Cannot find a service called ${JSON.stringify(name)}${meant}`,
  )
}
