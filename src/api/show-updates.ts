/** Newer and withdrawn versions as lines for people, in a terminal or a chat. Pure; the caller prints them safely. */
import type { PackageUpdate } from './updates.ts'

export function showUpdates(servers: readonly PackageUpdate[]): readonly string[] {
  return servers.length === 0
    ? ['No server runs a package of a registry.']
    : servers.flatMap(showUpdate)
}

function showUpdate(update: PackageUpdate): readonly string[] {
  const { server, package: name, version, newer, withdrawn, isCordons, problem } = update
  const used = `${server}: ${name} ${version}`
  if (problem !== undefined) return [`${used}: not known: ${problem}`]
  const take = isCordons
    ? 'offered, not needed: a later Cordon brings it'
    : `\`cordon mcp upgrade ${server}\` shows what changes, and takes it`
  const lines = [
    ...(withdrawn === undefined ? [] : [`${used} was withdrawn: ${withdrawn}`]),
    ...(newer === undefined ? [] : [`${used}: ${newer} is there (${take})`]),
  ]
  return lines.length === 0 ? [`${used}: the newest`] : lines
}
