/**
 * The options that a person gave along with the name of a service, checked before anything is installed. A secret is never taken
 * this way: options are readable by every program of this machine, so its name is given and its value asked for.
 */
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Service } from '../../ports/service-facts.ts'
import type { ConnectOptions } from '../../ports/setup-port.ts'
import { domainMistake } from '../../text/domain-mistake.ts'
import { looksSecret } from '../../text/looks-secret.ts'
import type { Connection } from '../connection/connection.ts'
import { secretNeed, withNeeds } from '../connection/next-offering.ts'

const VARIABLE = /^[A-Za-z_]\w*$/
const SIZE = /^[1-9]\d{0,6}[kmg]$/i

type Wished = Pick<Connection, 'service' | 'settings' | 'changes' | 'isAgain'>

export function applyWish(service: Service, wish: ConnectOptions): Wished {
  const { changes, secrets = [], again = false } = wish
  const env = changes?.env ?? {}
  refuseNames(service, changes, [...Object.keys(env), ...secrets])
  refuseMistakes(changes)
  return {
    service: withSecrets(wish.allowScripts ? withScripts(service) : service, secrets),
    settings: env,
    ...(changes && { changes }),
    ...(again && { isAgain: true }),
  }
}

function withScripts(service: Service): Service {
  const { launch, title } = service
  if (launch.kind === 'npm' && !launch.isShipped) {
    return { ...service, launch: { ...launch, allowScripts: true } }
  }
  throw new CordonError(
    'setup.wish',
    { exit: 2, hint: 'Leave out --allow-scripts' },
    `Cannot run install scripts of ${JSON.stringify(title)}: only an npm package has any`,
  )
}

/** The service with these secrets among its needs, each required. */
function withSecrets(service: Service, names: readonly string[]): Service {
  const needs = names.map((name) => {
    const known = service.credentials.find(({ key, secret }) => key === name && secret)
    return known ? { ...known, required: true } : secretNeed(service, name)
  })
  return withNeeds(service, needs)
}

function refuseNames(
  service: Service,
  changes: DefinitionChanges | undefined,
  names: readonly string[],
): void {
  if (service.launch.kind === 'remote') refuseForRemote(service, changes, names)
  for (const name of names) if (!VARIABLE.test(name)) throw noName()
  for (const [name, value] of Object.entries(changes?.env ?? {})) refuseSecret(service, name, value)
}

function refuseForRemote(
  { title }: Service,
  { args = [], memoryLimit }: DefinitionChanges = {},
  names: readonly string[],
): void {
  if (args.length === 0 && memoryLimit === undefined && names.length === 0) return
  throw new CordonError(
    'setup.wish',
    { exit: 2, hint: 'Leave out --memory, --env and --arg: only its hosts can be chosen' },
    `Cannot start ${JSON.stringify(title)} in another way: it runs elsewhere`,
  )
}

function refuseSecret({ credentials }: Service, name: string, value: string): void {
  const isSecret = credentials.some(({ key, secret }) => key === name && secret !== undefined)
  if (!isSecret && !looksSecret(name, value)) return
  throw new CordonError(
    'setup.wish',
    { exit: 2, hint: `Write \`--env ${name}\` without a value: it is asked for, and not shown` },
    `Cannot take ${JSON.stringify(name)} from the command line: it looks like a secret, and other programs can read it there`,
  )
}

function refuseMistakes({ allowedDomains = [], memoryLimit }: DefinitionChanges = {}): void {
  for (const host of allowedDomains) {
    const mistake = domainMistake(host)
    if (mistake !== undefined) {
      throw new CordonError(
        'setup.wish',
        { exit: 2, hint: 'Name each host by itself, like `--allow api.example.com`' },
        `Cannot allow that host: ${mistake}`,
      )
    }
  }
  if (memoryLimit === undefined || SIZE.test(memoryLimit)) return
  throw new CordonError(
    'setup.wish',
    { exit: 2, hint: 'Write a size like `--memory 512m` or `--memory 1g`' },
    'Cannot read the memory limit',
  )
}

/** The text is not repeated: it may be a secret. */
function noName(): CordonError {
  return new CordonError(
    'setup.wish',
    { exit: 2, hint: 'Write `--env NAME=VALUE`, or `--env NAME` for a secret, which is asked for' },
    'Cannot read a setting without a name of letters, digits and "_"',
  )
}
