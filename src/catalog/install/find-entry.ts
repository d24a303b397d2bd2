/** Finds the program file of a package, and the name it claims. The package's own claim is untrusted: the file must lie inside the package. */
import { readFile, realpath, stat } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { Unfit } from './unfit.ts'

interface PackageDescription {
  readonly name: string
  /** One program, or several by name. */
  readonly bin?: string | Readonly<Record<string, string>>
}

const Description: z.ZodType<PackageDescription> = z.object({
  name: z.string(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).exactOptional(),
})

/** Absolute. Throws `Unfit` if the package has no usable program. */
export async function findEntry(folder: string, wanted: string | undefined): Promise<string> {
  const text = await readFile(path.join(folder, 'package.json'), 'utf8')
  const relative = chooseProgram(Description.parse(JSON.parse(text)), wanted)
  const home = await realpath(folder)
  const file = await realpath(path.join(home, relative)).catch((cause: unknown) => {
    throw new Unfit('its program is missing', { cause })
  })
  if (!file.startsWith(`${home}/`)) throw new Unfit('its program lies outside of it')
  if (!(await stat(file)).isFile()) throw new Unfit('its program is not a file')
  return path.join(folder, path.relative(home, file))
}

const McpName = z
  .string()
  .max(200)
  .regex(/^[\w.@-]+(?:\/[\w.@-]+)*$/)
const Claim = z.object({ mcpName: McpName })

/** Undefined for anything that is no name in the official registry. */
export function parseMcpName(value: unknown): string | undefined {
  return McpName.safeParse(value).data
}

/** The name under which the package says it is in the official registry. Undefined if it says none. */
export async function readMcpName(folder: string): Promise<string | undefined> {
  const text = await readFile(path.join(folder, 'package.json'), 'utf8')
  return Claim.safeParse(JSON.parse(text)).data?.mcpName
}

/** The program of this name, or the only one, or the one named like the package. */
export function chooseProgram(
  { name, bin }: PackageDescription,
  wanted: string | undefined,
): string {
  const short = name.slice(name.indexOf('/') + 1)
  const programs = new Map(Object.entries(typeof bin === 'string' ? { [short]: bin } : (bin ?? {})))
  const names = JSON.stringify([...programs.keys()])
  if (programs.size === 0) throw new Unfit('it has no program')
  if (wanted !== undefined) {
    const chosen = programs.get(wanted)
    if (chosen === undefined) throw new Unfit(`it has no program "${wanted}" but ${names}`)
    return chosen
  }
  const distinct = new Set(programs.values())
  const [only] = distinct.size === 1 ? distinct : [programs.get(short)]
  if (only === undefined) throw new Unfit(`it has several programs: ${names}`)
  return only
}
