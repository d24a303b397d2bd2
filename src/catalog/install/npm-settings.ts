/**
 * The settings of the owner's own npm, read anew for every install, in npm's order: environment, `~/.npmrc`, the global
 * npmrc, the one that came with npm. Never a project's npmrc: the folder somebody stands in may be a stranger's.
 */
import { readFile, realpath } from 'node:fs/promises'
import path from 'node:path'
import { type Npmrc, parseNpmrc, settingsIn } from './parse-npmrc.ts'

export interface NpmPlace {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly homeFolder: string
}

export interface NpmSettings {
  /** The value of a setting, from the first place that has it. */
  get(key: string): string | undefined
  /** Every value of a setting that may be a list, from the first place that has it. */
  all(key: string): readonly string[]
  readonly keys: ReadonlySet<string>
  /** The value of a variable, whatever its case. */
  variable(name: string): string | undefined
  /** `~/x` and relative paths begin in the home folder. */
  resolve(file: string): string
}

export async function readNpmSettings({ environment, homeFolder }: NpmPlace): Promise<NpmSettings> {
  const resolve = (file: string): string =>
    path.resolve(homeFolder, file.startsWith('~/') ? file.slice(2) : file)
  const read = async (file: string): Promise<Npmrc> =>
    parseNpmrc(await readFile(resolve(file), 'utf8').catch(() => ''), environment)
  const own = settingsIn(environment)
  const user = await read(own.get('userconfig')?.[0] ?? '~/.npmrc')
  const programs = await findNpm(environment)
  const builtIn = programs.npm ? await read(path.join(programs.npm, 'npmrc')) : new Map()
  const layers = [own, user, builtIn]
  const lookUp = (key: string, places: readonly Npmrc[]): readonly string[] =>
    places.find((layer) => layer.has(key))?.get(key) ?? []
  const prefix = lookUp('prefix', layers)[0] ?? environment['PREFIX'] ?? programs.prefix
  const globalFile = lookUp('globalconfig', layers)[0] ?? path.join(prefix, 'etc/npmrc')
  const all = [own, user, await read(globalFile), builtIn]
  return {
    get: (key) => lookUp(key, all).at(-1),
    all: (key) => lookUp(key, all),
    keys: new Set(all.flatMap((layer) => [...layer.keys()])),
    variable(name) {
      const found = Object.keys(environment).find((one) => one.toLowerCase() === name)
      return (found !== undefined && environment[found]) || undefined
    },
    resolve,
  }
}

const PROJECT_PROGRAMS = path.join('node_modules', '.bin')

/**
 * The folder of the npm that a person would start, and the prefix of the Node it runs on. Programs of a project are
 * passed over: `npm start` puts them first, and they are not the ones that the person calls.
 */
async function findNpm(
  environment: NpmPlace['environment'],
): Promise<{ readonly npm: string | undefined; readonly prefix: string }> {
  const folders = (environment['PATH'] ?? '')
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && !folder.endsWith(PROJECT_PROGRAMS))
  const find = async (name: string): Promise<string | undefined> => {
    for (const folder of folders) {
      const found = await realpath(path.join(folder, name)).catch(() => undefined)
      if (found !== undefined) return found
    }
    return undefined
  }
  const [npm, node = process.execPath] = [await find('npm'), await find('node')]
  return {
    npm: npm && path.dirname(path.dirname(npm)),
    prefix: path.dirname(path.dirname(node)),
  }
}
