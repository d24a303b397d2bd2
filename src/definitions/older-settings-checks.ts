/**
 * The check of `cordon doctor` for settings of the programs that Cordon takes over from: pflow, PFAR, PersonalAgent.
 * They are never used where they lie, since a second list of servers would pass by every question about a definition;
 * the check says what was not moved in yet, and how. Reads only.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { CordonError } from '../kernel/error.ts'
import type { DoctorCheck } from '../text/doctor-check.ts'
import { serverIdFor } from '../kernel/server-id.ts'
import { readImportSource } from './import/import-source.ts'

const PLACES = [
  ['pflow', '.pflow/mcp.json'],
  ['pflow', '.pflow/registry.json'],
  ['PFAR', '.pfar/mcp'],
  ['PersonalAgent', '.config/PersonalAgent/config.json'],
  ['PersonalAgent', 'Library/Application Support/PersonalAgent/config.json'],
] as const

/** `userFolder` holds the definitions of Cordon. Nothing is said where every server was moved in. */
export async function olderSettingsChecks(
  userHome: string,
  userFolder: string,
): Promise<readonly DoctorCheck[]> {
  const there = PLACES.filter(([, place]) => existsSync(join(userHome, place)))
  const found = there.map(async ([program, place]): Promise<readonly DoctorCheck[]> => {
    const names = await serversIn(join(userHome, place))
    const left = names.filter((name) => !existsSync(join(userFolder, `${serverIdFor(name)}.toml`)))
    return left.length === 0 ? [] : [checkFor(program, place, left.length)]
  })
  return (await Promise.all(found)).flat()
}

/** A file that cannot be read has no servers to move in; `mcp migrate` says what is wrong with it. */
async function serversIn(file: string): Promise<readonly string[]> {
  try {
    const { drafts } = await readImportSource(file)
    return drafts.map(({ name }) => name)
  } catch (error) {
    if (error instanceof CordonError) return []
    throw error
  }
}

function checkFor(program: string, place: string, count: number): DoctorCheck {
  const what = count === 1 ? 'a server that is' : `${count} servers that are`
  const shown = place.includes(' ') ? `"$HOME/${place}"` : `~/${place}`
  return {
    name: 'older settings',
    verdict: 'warn',
    finding: `${program} has ${what} not in Cordon, which does not read them where they are`,
    remedy: `Run \`cordon mcp migrate --from ${shown} --dry-run\` to see what would move in`,
  }
}
