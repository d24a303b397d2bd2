/**
 * The name of a home among the kernels of a shared database: where it is, for people, and its id, by which homes are told
 * apart. Two machines may have the same name, and a machine may get another one. Pure.
 */
const NAME = /^(?<place>.*)#(?<id>[0-9a-f-]{36})$/s

/** `place`: the machine and the path. */
export function nameHome(place: string, id: string): string {
  return `${place}#${id}`
}

/** An older Cordon stored names without an id: those are compared by their place. */
export function isSameHome(one: string, other: string): boolean {
  const [first, second] = [partsOf(one), partsOf(other)]
  if (first.id === undefined || second.id === undefined) return first.place === second.place
  return first.id === second.id
}

/** Without the id. */
export function shownHome(name: string): string {
  return partsOf(name).place
}

interface Parts {
  readonly place: string
  readonly id?: string
}

function partsOf(name: string): Parts {
  const { place = name, id } = NAME.exec(name)?.groups ?? {}
  return id === undefined ? { place } : { place, id }
}
