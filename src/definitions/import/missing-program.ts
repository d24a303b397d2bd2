/** Whether the program of a definition is on this machine, and its folders are shown to it, as far as that can be seen without starting it. Only looks. */
import { existsSync, statSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { showText } from '../show-text.ts'

/** The folders in which a sandbox looks for a program by name. */
const FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin']
/** Run as Cordon's own Node. */
const NODE = /^node(?:js)?$/
const INTERPRETERS = /(?:^|\/)(?:node(?:js)?|deno|bun|tsx|python[\d.]*|ruby|perl|bash|sh)$/

/** A sentence; undefined if nothing is missing. */
export function missingProgram({ command, args }: ServerDefinition): string | undefined {
  if (command === undefined) return undefined
  const isThere = isAbsolute(command)
    ? existsSync(command)
    : NODE.test(command) || FOLDERS.some((folder) => existsSync(join(folder, command)))
  if (!isThere) return `There is no program ${showText(command)} on this machine.`
  const script = INTERPRETERS.test(command) ? args.find((arg) => !arg.startsWith('-')) : undefined
  if (script === undefined || !isAbsolute(script) || existsSync(script)) return undefined
  return `There is no file ${showText(script)}.`
}

/** A folder among the arguments that the sandbox does not show: the server would not find it. A sentence. */
export function unseenFolder({ id, args, sandbox }: ServerDefinition): string | undefined {
  const seen = [...sandbox.readPaths, ...sandbox.writePaths]
  const words = args.map((arg) => arg.slice(arg.indexOf('=') + 1))
  const unseen = words.filter((word) => isFolder(word) && !seen.some((one) => holds(one, word)))
  if (unseen.length === 0) return undefined
  const paths = [...new Set(unseen)].map((one) => `--read ${quoted(one)}`).join(' ')
  return `It may not see the folders that it is given: run \`cordon mcp edit ${id} ${paths}\`, with --write where it may change them.`
}

function isFolder(word: string): boolean {
  try {
    return isAbsolute(word) && statSync(word).isDirectory()
  } catch {
    return false
  }
}

function holds(folder: string, inner: string): boolean {
  return inner === folder || inner.startsWith(`${folder.replace(/\/$/, '')}/`)
}

/** Whole, unless it needs quotes: the command is there to be typed. */
function quoted(place: string): string {
  return /^[\w.@/-]+$/.test(place) ? place : showText(place)
}
