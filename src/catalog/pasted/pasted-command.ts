/** A pasted command, split into the settings before it, the program, and its arguments. Holds no value of a secret. */
import { secretInText } from '../catalog-errors.ts'
import { holdsKnownToken, isSecretValue } from '../../text/looks-secret.ts'
import { isSecretName } from '../../text/secret-name.ts'
import type { IsToken } from '../server-address.ts'
import { isSettableName } from '../settable-name.ts'

export interface PastedCommand {
  readonly program: string
  readonly args: readonly string[]
  readonly settings: PastedSettings
}

export interface PastedSettings {
  /** Settings without a secret, as pasted. */
  readonly env: Readonly<Record<string, string>>
  /** Names whose values were dropped: the values are asked for, and go to the vault. */
  readonly secrets: readonly string[]
  /** Names that were left out, because they control the server's runtime. */
  readonly refused: readonly string[]
}

const ASSIGNMENT = /^(?<name>[A-Za-z_]\w*)=(?<value>[^]*)$/
const JOINED = /^-{0,2}(?<name>[A-Za-z][\w.-]*)=(?<value>[^]*)$/
/** `X-API-Key: value`; but `https://…` is an address. */
const HEADER = /^(?<name>[A-Za-z][\w.-]*):(?!\/\/)[^]/
const FLAG = /^-{1,2}[A-Za-z][\w.-]*$/
/** Shell prompts that people copy along from a page or a terminal. */
const PROMPT = /^[$>#%]$/

export function readPastedCommand(words: readonly string[], isToken: IsToken): PastedCommand {
  const rest = PROMPT.test(words[0] ?? '') ? words.slice(1) : words
  const named = rest[0] === 'env' ? rest.slice(1) : rest
  const length = named.findIndex((word) => !ASSIGNMENT.test(word))
  const assignments = named.slice(0, Math.max(length, 0))
  const [program = '', ...args] = named.slice(assignments.length)
  return { program, args, settings: readSettings(assignments, isToken) }
}

function readSettings(words: readonly string[], isToken: IsToken): PastedSettings {
  const env: Record<string, string> = {}
  const secrets: string[] = []
  const refused: string[] = []
  for (const word of words) {
    const { name = '', value = '' } = ASSIGNMENT.exec(word)?.groups ?? {}
    if (!isSettableName(name)) refused.push(name)
    else if (isSecretSetting(name, value, isToken)) secrets.push(name)
    else env[name] = value
  }
  return { env, secrets, refused }
}

/** Every program on this machine can read arguments, so a secret among them is refused, not moved to the vault. */
export function refuseSecretArgs(args: readonly string[], isToken: IsToken): void {
  const isSecret = args.some((arg, index) => isSecretArg(arg, args[index - 1] ?? '', isToken))
  if (isSecret) throw secretInText('a command')
}

function isSecretArg(arg: string, before: string, isToken: IsToken): boolean {
  const { name, value = '' } = JOINED.exec(arg)?.groups ?? {}
  if (name !== undefined) return isSecretSetting(name, value, isToken)
  if (arg.startsWith('-')) return holdsKnownToken(arg) // a private key begins with dashes too
  return isSecretSetting(FLAG.test(before) ? before : '', arg, isToken)
}

function isSecretSetting(name: string, value: string, isToken: IsToken): boolean {
  const header = HEADER.exec(value)?.groups?.['name'] ?? ''
  const isNamed = [name, header].some((one) => isSecretName(one, 'declared'))
  return isNamed || isToken(value) || isSecretValue(value)
}
