/**
 * The name of a tool for other programs: `server__tool`, at most 64 characters of letters, digits, `_` and `-`, which is
 * what the APIs of models take. A name depends on its tool alone, so that it stays the same whatever else is connected.
 */
import { hash } from 'node:crypto'
import type { ToolId } from '../kernel/tool-id.ts'

const LONGEST = 64
const HASH_LENGTH = 10
const PLAIN = /^[A-Za-z0-9_-]+$/

export function toolName({ server, name }: ToolId): string {
  const plain = `${server}__${name}`
  // The first `__` ends the server's name; a server with `__` in its name could otherwise take another's tool.
  if (plain.length <= LONGEST && PLAIN.test(plain) && !server.includes('__')) return plain
  const digest = hash('sha256', JSON.stringify([server, name])).slice(0, HASH_LENGTH)
  const readable = plain.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, LONGEST - HASH_LENGTH - 1)
  return `${readable}_${digest}`
}
