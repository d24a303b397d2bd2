/**
 * An entry of a server's list as other programs may read it: texts that look like words to a model are left out, as in
 * tool descriptions. A resource whose name holds such words gets a name by the host; a prompt, which is called by its name,
 * is left out. Pure.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import { seenText } from '../../text/untrusted-text.ts'
import { isJsonObject } from '../session/json-bounds.ts'
import { flagsOfText, type Neighbours } from './poison-flags.ts'

const NOBODY: Neighbours = {
  tools: new Set(),
  alike: new Map(),
  siblings: new Set(),
  servers: new Set(),
}

export function plainItem(item: JsonObject): readonly JsonObject[] {
  const { name, title, description, arguments: args, ...rest } = item
  const isPrompt = Array.isArray(args)
  if (isPrompt && !isPlain(name)) return []
  const plain = {
    ...rest,
    name: isPlain(name) ? seenText(name) : 'unnamed',
    ...(isPlain(title) && { title: seenText(title) }),
    ...(isPlain(description) && { description: seenText(description) }),
  }
  return [isPrompt ? { ...plain, arguments: (args as readonly Json[]).map(plainArgument) } : plain]
}

function plainArgument(argument: Json): Json {
  if (!isJsonObject(argument)) return argument
  const { title, description, ...rest } = argument
  return {
    ...rest,
    ...(isPlain(title) && { title: seenText(title) }),
    ...(isPlain(description) && { description: seenText(description) }),
  }
}

function isPlain(text: Json | undefined): text is string {
  return typeof text === 'string' && flagsOfText(text, 'description', NOBODY).length === 0
}
