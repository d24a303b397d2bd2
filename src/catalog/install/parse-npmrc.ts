/**
 * The lines of an npmrc, as npm reads them: `key = value`, lists as `key[]`, comments, quotes, and `${VARIABLE}` of the
 * environment. Sections are left out, since npm has none. Pure.
 */

export type Npmrc = ReadonlyMap<string, readonly string[]>
type Environment = Readonly<Record<string, string | undefined>>

export function parseNpmrc(text: string, environment: Environment): Npmrc {
  const found = new Map<string, readonly string[]>()
  for (const line of text.split(/[\r\n]+/)) {
    if (/^\s*\[/.test(line)) break
    const [, left, right] = /^\s*([^=;#\s][^=]*?)\s*=\s*(.*)$/.exec(line) ?? []
    if (left === undefined || right === undefined) continue
    const key = expand(unquote(left.replace(/\[\]$/, '')), environment)
    const value = expand(unquote(right), environment)
    const before = left.endsWith('[]') ? (found.get(key) ?? []) : [] // otherwise the last line wins
    found.set(key, [...before, value])
  }
  return found
}

/** The settings in variables: `npm_config_https_proxy` is `https-proxy`; a key of a host is kept as it is. */
export function settingsIn(environment: Environment): Npmrc {
  const found = new Map<string, readonly string[]>()
  for (const [name, value] of Object.entries(environment)) {
    const [, key] = /^npm_config_(.+)$/i.exec(name) ?? []
    if (key === undefined || value === undefined || value === '') continue
    const isOfHost = key.startsWith('//')
    found.set(isOfHost ? key : key.replace(/(?!^)_/g, '-').toLowerCase(), [value])
  }
  return found
}

function unquote(text: string): string {
  const trimmed = text.trim()
  if (/^".*"$/s.test(trimmed)) return fromJson(trimmed)
  if (/^'.*'$/s.test(trimmed)) return trimmed.slice(1, -1)
  return trimmed
    .replace(/(?<!\\)[;#].*$/, '')
    .replace(/\\([;#\\])/g, '$1')
    .trim()
}

function fromJson(quoted: string): string {
  try {
    const value: unknown = JSON.parse(quoted)
    return typeof value === 'string' ? value : quoted
  } catch {
    return quoted
  }
}

const VARIABLE = /(?<!\\)(\\*)\$\{([^${}?]+)(\?)?\}/g

/** An odd number of backslashes keeps the text; `${NAME?}` is empty if there is no such variable. */
function expand(text: string, environment: Environment): string {
  return text.replace(VARIABLE, (whole, escapes: string, name: string, mark?: string) => {
    if (escapes.length % 2 === 1) return whole.slice((escapes.length + 1) / 2)
    const value = environment[name] ?? (mark === '?' ? '' : `\${${name}}`)
    return escapes.slice(escapes.length / 2) + value
  })
}
