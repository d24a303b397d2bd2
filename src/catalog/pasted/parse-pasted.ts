/**
 * Parses the text pasted after "connect": a command, an address, a package, a domain, or a whole server.json.
 *
 * A token in the text is never kept. If a line sets a variable (`NOTION_TOKEN=… npx …`), its name becomes a credential
 * to ask for and its value is dropped: the value was on a screen and perhaps in a shell's history, and the vault should
 * hold one that came through a hidden prompt. A token among arguments or in an address has no name to keep, so the
 * whole text is refused, without quoting it. Nothing is looked up, run or installed here.
 */
import type { Service } from '../../ports/service-facts.ts'
import { secretInText, unreadable } from '../catalog-errors.ts'
import type { NameIndex } from '../name-index.ts'
import { parseRemoteBridge, type RemoteBridge } from '../../text/remote-bridge.ts'
import { parseServerEntry } from '../registry/server-entry.ts'
import { type IsToken, isUrl, parseDomain, parseServerUrl } from '../server-address.ts'
import { isPackageSpec, parseNpmCommand, parsePackageSpec, runnerLength } from './npm-command.ts'
import { parseForeignCommand, whyNot } from './foreign-command.ts'
import { imageCommandIn, runsImage } from './image-command.ts'
import { parseModuleCommand, pythonCommandIn } from './python-command.ts'
import { type PastedCommand, readPastedCommand, refuseSecretArgs } from './pasted-command.ts'
import {
  foreignService,
  imageService,
  npmService,
  pythonService,
  remoteService,
  siteService,
  withHeaders,
} from './pasted-service.ts'
import { splitCommand } from './split-command.ts'

const MAX_TEXT = 64 * 1024
const COMMAND =
  /^(?:[$>#%] )?(?:env )?(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|[^\s"'])* )*(?:npx|npm|pnpx|pnpm|yarn|bunx?|uvx?|pipx|python3?|docker|podman|nerdctl)\s/

export interface PasteReader {
  readonly names: NameIndex
  readonly services: readonly Service[]
  readonly isToken: IsToken
}

export function parsePasted(reader: PasteReader, pasted: string): Service | undefined {
  const text = pasted.trim()
  if (text.length > MAX_TEXT) throw unreadable('so long a text', 'Paste only the line or the entry')
  if (text.startsWith('{')) return parseServerJson(text)
  if (COMMAND.test(text)) return parseCommand(reader, splitCommand(text))
  const service = /\s/.test(text) ? undefined : parseWord(reader, text)
  if (!service) refuseToken(reader, text)
  return service
}

/** Refused, because the error about an unknown name would show the name. */
function refuseToken({ isToken }: PasteReader, text: string): void {
  if (isToken(text)) throw secretInText('a name')
}

function parseWord(reader: PasteReader, word: string): Service | undefined {
  if (reader.isToken(word)) return undefined
  const known = reader.names.findExact(word)
  if (known) return known
  if (isUrl(word)) return remoteService(reader.services, parseServerUrl(word, reader.isToken))
  if (isPackageSpec(word)) return npmService(reader.names, { ...parsePackageSpec(word), args: [] })
  const host = parseDomain(word)
  if (host !== undefined) return siteService(host)
  const [domain = '', ...path] = word.split('/')
  if (path.length === 0 || parseDomain(domain) === undefined) return undefined
  return remoteService(reader.services, parseServerUrl(`https://${word}`, reader.isToken))
}

function parseCommand(reader: PasteReader, words: readonly string[]): Service | undefined {
  const { program, args, settings } = readPastedCommand(words, reader.isToken)
  const runner = runnerLength(program, args)
  const bridge = runner > 0 ? parseRemoteBridge([program, ...args].slice(runner)) : undefined
  if (bridge) return bridgedService(reader, bridge)
  if (runner > 0) {
    const command = parseNpmCommand([program, ...args].slice(runner))
    refuseSecretArgs(command.args, reader.isToken)
    return npmService(reader.names, command, settings)
  }
  const python = pythonCommandIn(program, args) ?? parseModuleCommand(program, args)
  if (python) {
    refuseSecretArgs(python.args, reader.isToken)
    return pythonService(python, settings)
  }
  if (runsImage(program, args)) return parseImage(reader, { program, args, settings })
  const foreign = parseForeignCommand([program, ...args])
  if (!foreign) return undefined
  refuseSecretArgs([foreign.what], reader.isToken)
  return foreignService(foreign, whyNot(knownBehind(reader.names, foreign.what)))
}

/** The value of `-e NAME=value` is dropped like that of a variable before a command; a token anywhere else is refused. */
function parseImage(
  reader: PasteReader,
  { program, args, settings }: PastedCommand,
): Service | undefined {
  const isSetting = (arg: string, before = ''): boolean =>
    /^(?:-e|--env)$/.test(before) || arg.startsWith('--env=')
  const others = args.filter((arg, at) => !isSetting(arg, args[at - 1]))
  // A digest is as long and as random as a token.
  refuseSecretArgs(
    others.map((arg) => arg.replace(/@sha256:[0-9a-f]{64}$/, '')),
    reader.isToken,
  )
  const image = imageCommandIn(program, args)
  const service = image && imageService(image, reader, settings)
  const known = image && knownBehind(reader.names, image.package)
  if (!service || !known) return service
  const note = `Cordon knows ${known.title} itself: \`cordon connect ${known.slug}\` needs no image.`
  return { ...service, notes: [...service.notes, note] }
}

/** `npx mcp-remote URL` is the remote server itself; its headers are asked for, as variables before a command are. */
function bridgedService({ services, isToken }: PasteReader, bridge: RemoteBridge): Service {
  const service = remoteService(services, parseServerUrl(bridge.url, isToken))
  const headers = Object.keys(bridge.headers)
  return headers.length === 0 ? service : withHeaders(service, headers)
}

/** The known service behind an image or package: GitHub for `ghcr.io/github/github-mcp-server:1.0`. */
export function knownBehind(names: NameIndex, what: string): Service | undefined {
  const name = what.split('/').at(-1)?.split(/[:@=]/)[0] ?? ''
  return (
    names.findExact(name) ??
    names.find(name.replace(/\b(?:mcp|server)\b/gi, '').replace(/[^a-z0-9]+/gi, ' '))
  )
}

function parseServerJson(text: string): Service {
  const hint =
    "Paste one server.json as it is published; for a client's settings use `cordon mcp migrate --from PATH`"
  const entry = parseServerEntry(readJson(text, hint), 'pasted')
  if (entry.kind === 'service') return entry.service
  throw unreadable(`this server.json: ${entry.reason}`, hint)
}

function readJson(text: string, hint: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Without the cause: it quotes the text, which may hold a token.
    throw unreadable('what was pasted as JSON', hint)
  }
}
