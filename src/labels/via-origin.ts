/**
 * Names of origins. Data that a server was given and may give back is `mail via notes`: to the server that holds it such
 * data is its own, and may return there; to every other server it is still the data of `mail`.
 */
const VIA = ' via '

/** One `via` at most, so that there are never more origins than pairs of servers. */
export function viaOrigin(origin: string, server: string): string {
  return `${firstOrigin(origin)}${VIA}${server}`
}

/** The server that the data came from first: `mail` for `mail via notes`. */
export function firstOrigin(origin: string): string {
  return origin.split(VIA)[0] ?? origin
}

/** Whether data of this origin is already with the server. */
export function isHeldBy(origin: string, server: string): boolean {
  return origin === server || origin.endsWith(`${VIA}${server}`)
}

/** The one server that holds data of all these origins; undefined if there is none. */
export function soleHolder(origins: ReadonlySet<string>): string | undefined {
  if (origins.size === 1) return [...origins][0]
  const all = [...origins]
  return all.find((one) => all.every((other) => isHeldBy(other, one)))
}
