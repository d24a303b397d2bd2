/**
 * The service behind the launch of a definition: `command` and `args` as a client's settings or a hand-written file has
 * them, or a url. Pure: nothing is looked up or installed. A program that Cordon can start as it is gives undefined.
 */
import type { Launch } from '../../ports/catalog-port.ts'
import type { Service } from '../../ports/service-facts.ts'
import { parseRemoteBridge } from '../../text/remote-bridge.ts'
import { parseForeignCommand, whyNot } from './foreign-command.ts'
import { imageCommandIn } from './image-command.ts'
import { parseNpmCommand, runnerLength } from './npm-command.ts'
import { pythonCommandIn } from './python-command.ts'
import { knownBehind, type PasteReader } from './parse-pasted.ts'
import {
  foreignService,
  imageService,
  npmService,
  pythonService,
  remoteService,
} from './pasted-service.ts'

export function parseLaunch(reader: PasteReader, launch: Launch): Service | undefined {
  const { command, args, url } = launch
  if (url !== undefined) return serviceAt(reader, url)
  if (command === undefined) return undefined
  const words = withoutShell([programName(command), ...args])
  const [program = '', ...rest] = words
  const runner = runnerLength(program, rest)
  const bridge = runner > 0 ? parseRemoteBridge(words.slice(runner)) : undefined
  if (bridge && URL.canParse(bridge.url)) return remoteAt(reader, new URL(bridge.url))
  if (runner > 0) return npmService(reader.names, parseNpmCommand(words.slice(runner)))
  return otherService(reader, words)
}

function otherService(reader: PasteReader, words: readonly string[]): Service | undefined {
  const [program = '', ...rest] = words
  // `python -m` in a definition starts a module of this machine: nothing is installed in its place.
  const python = pythonCommandIn(program, rest)
  if (python) return pythonService(python)
  const image = imageCommandIn(program, rest)
  if (image) return imageService(image, reader)
  const foreign = parseForeignCommand(words)
  return foreign && foreignService(foreign, whyNot(knownBehind(reader.names, foreign.what)))
}

/** Undefined for an address of which the catalog knows nothing. */
function serviceAt(reader: PasteReader, url: string): Service | undefined {
  const service = URL.canParse(url) ? remoteAt(reader, new URL(url)) : undefined
  const isKnown = service?.origin === 'catalog' || service?.credentials.some((one) => one.required)
  return isKnown === true ? service : undefined
}

/** Another path on the host of a known server is a stranger, except that it wants a credential just the same. */
function remoteAt({ services }: PasteReader, url: URL): Service {
  const service = remoteService(services, url)
  const isNeighbour = services.some(
    ({ launch }) => launch.kind === 'remote' && new URL(launch.url).hostname === url.hostname,
  )
  if (service.origin === 'catalog' || !isNeighbour) return service
  const credentials = service.credentials.map((need) => ({ ...need, required: true }))
  return { ...service, credentials }
}

/** `/usr/local/bin/npx` and `npx.cmd` are `npx`. */
function programName(command: string): string {
  const name = command.split(/[\\/]/).at(-1) ?? ''
  return name.replace(/\.(?:cmd|exe|ps1)$/i, '')
}

/** `cmd /c npx …`, as settings for Windows have it. */
function withoutShell(words: readonly string[]): readonly string[] {
  const [shell = '', option = '', program = '', ...args] = words
  return /^cmd$/i.test(shell) && /^\/[ck]$/i.test(option) ? [programName(program), ...args] : words
}
