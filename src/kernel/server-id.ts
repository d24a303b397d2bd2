/** The slug of a server: unique in a home, safe as a file name, never re-parsed out of another string. */
import { CordonError } from './error.ts'

declare const serverId: unique symbol
export type ServerId = string & { readonly [serverId]: true }

const SHAPE = /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/

export function isServerId(input: unknown): input is ServerId {
  return typeof input === 'string' && SHAPE.test(input)
}

export function parseServerId(input: unknown): ServerId {
  if (isServerId(input)) return input
  throw new CordonError(
    'kernel.server-id',
    { exit: 2, hint: 'Use lower-case letters, digits, "-" and "_", at most 63 characters' },
    `Cannot use ${JSON.stringify(input)} as a server name`,
  )
}

/** The slug for a display name: `GitHub Enterprise` becomes `github-enterprise`. */
export function serverIdFor(displayName: string): ServerId {
  const slug = displayName
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^[-_]+/, '')
    .slice(0, 63)
    .replace(/[-_]+$/, '')
  return parseServerId(slug)
}
