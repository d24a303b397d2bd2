/** One requirement of a package: `name[extra]>=1.2 ; python_version < "3.12"`, as in PEP 508. Pure. */
import { Unfit } from '../install/unfit.ts'
import { groupsIn } from './groups-in.ts'
import { isPythonName, normalName } from './normal-name.ts'
import { parseSpecifiers, type Specifier } from './specifier.ts'

export interface Requirement {
  readonly name: string
  readonly extras: readonly string[]
  readonly specifiers: readonly Specifier[]
  readonly marker?: string
  /** `name @ https://…`: not a package of the index. */
  readonly isDirect: boolean
}

const SHAPE =
  /^(?<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[(?<extras>[^\]]*)\])?\s*(?<rest>[^;]*?)\s*(?:;(?<marker>.*))?$/s
const DIRECT =
  /^(?<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*@\s*\S+(?:\s+;(?<marker>.*))?\s*$/s
const LONGEST = 4000

/** Throws `Unfit` if it is none. */
export function parseRequirement(text: string): Requirement {
  const line = text.trim()
  if (line.length > LONGEST) throw unreadable(line)
  const direct = groupsIn(DIRECT, line)
  const get = direct ?? groupsIn(SHAPE, line)
  const specifiers = get && parseSpecifiers(direct ? '' : get('rest').replace(/^\((.*)\)$/s, '$1'))
  if (!specifiers || !isPythonName(get('name'))) throw unreadable(line)
  const wanted = get('extras')
    .split(',')
    .map((extra) => extra.trim())
  const marker = get('marker').trim()
  return {
    name: normalName(get('name')),
    extras: wanted.filter(isPythonName).map(normalName),
    specifiers,
    ...(marker !== '' && { marker }),
    isDirect: direct !== undefined,
  }
}

function unreadable(line: string): Unfit {
  return new Unfit(`its requirement ${JSON.stringify(line.slice(0, 80))} cannot be read`)
}
