/**
 * The programs of a package, from its `entry_points.txt`: a name, a module and a function in it. Only names of Python are
 * taken, since they are written into the file that starts the program. Pure.
 */
import { Unfit } from '../install/unfit.ts'
import { groupsIn } from './groups-in.ts'

/** A program: a module, started as `python -m` does, or the function `call` in it. */
export interface EntryPoint {
  readonly module: string
  readonly call?: string
}

const SECTION = /^\[(?<name>[^\]]+)\]$/
const DOTTED = String.raw`[A-Za-z_]\w{0,99}(?:\.[A-Za-z_]\w{0,99}){0,15}`
const LINE = new RegExp(
  String.raw`^(?<name>[^=\s][^=]{0,99}?)\s*=\s*(?<module>${DOTTED})\s*:\s*(?<call>${DOTTED})\s*(?:\[[^\]]*\])?$`,
)
const MODULE = new RegExp(`^${DOTTED}$`)

export function isModuleName(text: string): boolean {
  return MODULE.test(text)
}

/** Throws `Unfit` if a program of it is no function of a module. */
export function parsePrograms(text: string): ReadonlyMap<string, EntryPoint> {
  const programs = new Map<string, EntryPoint>()
  let section = ''
  for (const line of text.split(/\r?\n/).map((written) => written.trim())) {
    const named = groupsIn(SECTION, line)
    if (named) section = named('name').trim()
    else if (section === 'console_scripts' && /^[^#;]/.test(line))
      programs.set(...readProgram(line))
  }
  return programs
}

function readProgram(line: string): [string, EntryPoint] {
  const get = groupsIn(LINE, line)
  if (!get) throw new Unfit('one of its programs is no function of a module')
  return [get('name'), { module: get('module'), call: get('call') }]
}

/** The program of this name, or the only one, or the one named like the package. */
export function chooseProgram(
  programs: ReadonlyMap<string, EntryPoint>,
  name: string,
  wanted: string | undefined,
): EntryPoint {
  const names = JSON.stringify([...programs.keys()].slice(0, 20))
  if (programs.size === 0) throw new Unfit('it has no program')
  if (wanted !== undefined) {
    const chosen = programs.get(wanted)
    if (!chosen) throw new Unfit(`it has no program ${JSON.stringify(wanted)} but ${names}`)
    return chosen
  }
  const spelling = (one: string): string => one.replace(/[-_.]+/g, '-').toLowerCase()
  const same = [...programs].find(([one]) => spelling(one) === spelling(name))?.[1]
  const [only] = programs.size === 1 ? programs.values() : [same]
  if (!only) throw new Unfit(`it has several programs: ${names}`)
  return only
}
