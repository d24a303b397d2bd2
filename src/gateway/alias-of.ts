/**
 * The URIs of resources for other programs. A URI stays as its server wrote it while one server alone claims it, by
 * listing it or by a template. Claimed by several, or by none, it has a name of its own: `cordon://SERVER/URI`. The
 * scheme `ui` stays first, since programs look for it: `ui://cordon.SERVER/…`, always. Pure.
 */
import { parseServerId, type ServerId } from '../kernel/server-id.ts'

export interface Located {
  readonly server: ServerId
  /** As the server wrote it. */
  readonly uri: string
}

const UI = 'ui://'
const ALIAS = /^(?:cordon:\/\/|ui:\/\/cordon\.)([a-z0-9][a-z0-9_-]*)\/(.*)$/s

export function aliasOf({ server, uri }: Located): string {
  return uri.startsWith(UI)
    ? `${UI}cordon.${server}/${uri.slice(UI.length)}`
    : `cordon://${server}/${uri}`
}

/** Undefined for a URI of a server's own. */
export function locatedBy(alias: string): Located | undefined {
  const [, server, rest] = ALIAS.exec(alias) ?? []
  if (server === undefined || rest === undefined || rest === '') return undefined
  const uri = alias.startsWith(UI) ? `${UI}${rest}` : rest
  try {
    return { server: parseServerId(server), uri }
  } catch {
    return undefined
  }
}

export function isAlwaysAliased(uri: string): boolean {
  return uri.startsWith(UI) || ALIAS.test(uri)
}

/** The texts around the expressions of a template (RFC 6570): `notes://{id}/x` gives `notes://` and `/x`. */
function literalsOf(template: string): readonly string[] {
  return template.split(/\{[^{}]*\}/)
}

/** A template without a literal scheme would claim every URI there is, so it claims none. */
export function claimsBy(template: string): (uri: string) => boolean {
  const [first = '', ...rest] = literalsOf(template)
  const last = rest.pop()
  if (!/^[a-z][a-z0-9+.-]*:/i.test(first)) return () => false
  if (last === undefined) return (uri) => uri === first
  return (uri) => {
    if (!uri.startsWith(first) || uri.length < first.length + last.length) return false
    if (!uri.endsWith(last)) return false
    return inOrder(uri.slice(first.length, uri.length - last.length), rest)
  }
}

/** Each search begins where the last ended, so the time is linear whatever the template is. */
function inOrder(text: string, parts: readonly string[]): boolean {
  let from = 0
  return parts.every((part) => {
    const at = text.indexOf(part, from)
    from = at + part.length
    return at >= 0
  })
}

/** Whether one URI could fit both, by what stands before their first expressions. */
export function mayOverlap(template: string, other: string): boolean {
  const [a = ''] = literalsOf(template)
  const [b = ''] = literalsOf(other)
  return a.startsWith(b) || b.startsWith(a)
}
