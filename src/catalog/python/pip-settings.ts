/**
 * The settings of the owner's own pip and uv, read anew for every install: the environment, then pip's files in pip's
 * order, then uv's. Never a project's: the folder somebody stands in may be a stranger's.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parse } from 'smol-toml'
import { z } from 'zod'
import type { NpmPlace } from '../install/npm-settings.ts'

export interface PipSettings {
  /** `index-url`, from the first place that has it. */
  get(key: string): string | undefined
  /** The indexes besides the main one. */
  readonly extraIndexes: readonly string[]
  variable(name: string): string | undefined
  resolve(file: string): string
}

type Layer = ReadonlyMap<string, string>

export async function readPipSettings({ environment, homeFolder }: NpmPlace): Promise<PipSettings> {
  const resolve = (file: string): string =>
    path.resolve(homeFolder, file.startsWith('~/') ? file.slice(2) : file)
  const read = async (file: string): Promise<string> =>
    await readFile(resolve(file), 'utf8').catch(() => '')
  const config = environment['XDG_CONFIG_HOME'] ?? '~/.config'
  const only = environment['PIP_CONFIG_FILE']
  const own = [
    '/etc/xdg/pip/pip.conf',
    '/etc/pip.conf',
    '~/.pip/pip.conf',
    `${config}/pip/pip.conf`,
  ]
  const files = only === '/dev/null' ? [] : [...own, ...(only ? [only] : [])].reverse()
  const pip = await Promise.all(files.map(async (file) => parsePipConfig(await read(file))))
  const uv = only === '/dev/null' ? [] : [readUv(await read(`${config}/uv/uv.toml`))]
  const layers = [variablesOf(environment), ...pip, ...uv]
  const get = (key: string): string | undefined => layers.find((layer) => layer.has(key))?.get(key)
  return {
    get: (key) => get(key) || undefined,
    extraIndexes: (get('extra-index-url') ?? '').split(/\s+/).filter((one) => one !== ''),
    variable(name) {
      const found = Object.keys(environment).find((one) => one.toLowerCase() === name)
      return (found !== undefined && environment[found]) || undefined
    },
    resolve,
  }
}

/** An empty variable counts: it takes a setting of the files back. */
function variablesOf(environment: NpmPlace['environment']): Layer {
  const found = new Map<string, string>()
  const uv = environment['UV_DEFAULT_INDEX'] ?? environment['UV_INDEX_URL']
  if (uv !== undefined) found.set('index-url', uv)
  const extra = environment['UV_INDEX'] ?? environment['UV_EXTRA_INDEX_URL']
  if (extra !== undefined) found.set('extra-index-url', extra)
  for (const [name, value] of Object.entries(environment)) {
    const [, key] = /^PIP_(\w+)$/.exec(name) ?? []
    if (key !== undefined && value !== undefined)
      found.set(key.toLowerCase().replaceAll('_', '-'), value)
  }
  return found
}

const SECTIONS = ['global', 'install', 'download']

/** The lines of a pip.conf: `key = value` in sections; a line that begins with a space continues the one before. */
export function parsePipConfig(text: string): Layer {
  const found = new Map<string, string>()
  let section = ''
  for (const line of text.replace(/\r?\n[ \t]+(?=\S)/g, ' ').split(/\r?\n/)) {
    const [, named] = /^\[([^\]]+)\]\s*$/.exec(line) ?? []
    const [, key, value = ''] = /^([\w-]+)\s*[=:]\s*(.*)$/.exec(line) ?? []
    if (named !== undefined) section = named.trim()
    else if (key !== undefined && SECTIONS.includes(section)) {
      found.set(key.toLowerCase().replaceAll('_', '-'), value.trim())
    }
  }
  return found
}

const text = z.string().optional().catch(undefined)
const Uv = z.object({
  'index-url': text,
  'extra-index-url': z.array(z.string()).optional().catch(undefined),
  index: z
    .array(z.object({ url: z.string(), default: z.boolean().optional() }))
    .optional()
    .catch(undefined),
})

function readUv(written: string): Layer {
  const read = Uv.safeParse(parseToml(written))
  if (!read.success) return new Map()
  const { index = [], 'index-url': plain, 'extra-index-url': extra = [] } = read.data
  const main = index.find((one) => one.default)?.url ?? plain
  const others = [...extra, ...index.filter((one) => !one.default).map(({ url }) => url)]
  return new Map([
    ...(main === undefined ? [] : [['index-url', main] as const]),
    ...(others.length === 0 ? [] : [['extra-index-url', others.join(' ')] as const]),
  ])
}

function parseToml(written: string): unknown {
  try {
    return parse(written)
  } catch {
    return undefined
  }
}
