/**
 * Takes the secrets out of a draft's arguments and url: every user of the machine can read a command line, and urls end
 * up in logs.
 */
import { looksSecret } from '../../text/looks-secret.ts'
import { findSecretArgs } from './secret-args.ts'
import type { ImportedSecrets } from './imported-secrets.ts'
import { showText } from '../show-text.ts'
import { joinParts, type SettledPart, settleSecret } from './settle-values.ts'
import { readForeignValue } from './foreign-value.ts'

export interface SettledArgs extends SettledPart {
  readonly args: readonly string[]
  /** Of each secret taken out of the arguments: the server stays disabled until the owner passes it another way. */
  readonly blocked: readonly string[]
}

const CONTAINER_COMMAND = /(?:^|[\\/])(?:docker|podman)(?:\.exe)?$/
const CONTAINER_ENV = /^(?<name>[A-Za-z_]\w*)=(?<value>[^]+)$/

export function settleArgs(
  command: string,
  given: readonly string[],
  imported: ImportedSecrets,
): SettledArgs {
  const container = CONTAINER_COMMAND.test(command) ? settleContainerEnv(given, imported) : []
  const args = given.map((arg, index) => container[index]?.arg ?? arg)
  const found = findSecretArgs(args)
  const taken = new Map(
    found.map(({ index, name, before, value }) => {
      const reference = imported.keep(name || `arg-${index + 1}`, value)
      return [index, { text: `${before}\${${reference}}`, reference }]
    }),
  )
  const blocked = [...taken.values()].map(
    ({ reference }) =>
      `disabled: an argument held a secret, and everyone on this machine can read a command line. It is now ${reference}; give it to the server as an environment variable under [auth], take the placeholder out of args, then set enabled = true`,
  )
  const part = joinParts(container.flatMap((entry) => (entry ? [entry.part] : [])))
  return {
    ...part,
    args: args.map((arg, index) => taken.get(index)?.text ?? arg),
    blocked,
  }
}

interface ContainerEnv {
  /** `NAME` alone: the container reads the value from the environment. */
  readonly arg: string
  readonly part: SettledPart
}

/** `docker run -e NAME=secret` becomes `-e NAME`, with the value under [auth]. */
function settleContainerEnv(
  args: readonly string[],
  imported: ImportedSecrets,
): readonly (ContainerEnv | undefined)[] {
  return args.map((arg, index) => {
    const { name, value } = CONTAINER_ENV.exec(arg)?.groups ?? {}
    if (!/^(?:-e|--env)$/.test(args[index - 1] ?? '') || name === undefined) return undefined
    if (value === undefined || !isSecretOrReference(name, value)) return undefined
    return { arg: name, part: settleSecret(name, value, imported) }
  })
}

export interface SettledUrl extends SettledPart {
  readonly url: string
}

/** Takes user, password and token-like query values out of a url. Cordon sends them as a header instead. */
export function settleUrl(text: string, hasBearer: boolean, imported: ImportedSecrets): SettledUrl {
  if (!URL.canParse(text)) return { url: text, ...joinParts([]) }
  const url = new URL(text)
  const parts = [...settleLogin(url, imported), ...settleQuery(url, hasBearer, imported)]
  return { url: parts.length === 0 ? text : url.href, ...joinParts(parts) }
}

function settleLogin(url: URL, imported: ImportedSecrets): readonly SettledPart[] {
  if (!url.username && !url.password) return []
  const login = [url.username, url.password].map(decodePercent).join(':')
  url.username = ''
  url.password = ''
  const basic = `Basic ${Buffer.from(login).toString('base64')}`
  const auth = { 'header:Authorization': imported.keep('authorization', basic) }
  return [{ auth, env: {}, notes: ['the login in its address is now sent as a header'] }]
}

function settleQuery(
  url: URL,
  hasBearer: boolean,
  imported: ImportedSecrets,
): readonly SettledPart[] {
  const secrets = [...url.searchParams].filter(([key, value]) => isSecretOrReference(key, value))
  return secrets.map(([key, value], index) => {
    url.searchParams.delete(key)
    const part = settleSecret('bearer', value, imported)
    const isSent = index === 0 && !hasBearer
    const note = isSent
      ? `${showText(key)} is no longer part of its address but sent as bearer; if the server wants another header, write "header:NAME" under [auth] instead`
      : `${showText(key)} is no longer part of its address and not sent; name it as "header:NAME" under [auth] if the server needs it`
    return { auth: isSent ? part.auth : {}, env: {}, notes: [...part.notes, note] }
  })
}

function isSecretOrReference(name: string, value: string): boolean {
  const { kind } = readForeignValue(value)
  return kind === 'env' || kind === 'input' || looksSecret(name, value)
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
