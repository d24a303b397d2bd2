/**
 * Substitutes the settings of `[config]` for `${config.NAME}` in arguments and under `[env]`, and the folders that the
 * sandbox shows for the argument `${folders}`. A list that is a whole argument becomes several. A secret is never
 * substituted: secrets go through `[auth]`.
 */
import { CordonError } from '../../kernel/error.ts'
import type { Json } from '../../text/json.ts'
import { isSecretRef } from '../../kernel/secret-ref.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { isJsonObject } from './json-bounds.ts'

/** Bundles for other programs spell `config` as `user_config`. */
const NAMED = /\$\{(?:user_)?config\.([\w.-]+)\}/g
/** As an argument: the folders under `read_paths` and `write_paths`, so that each is named in one place only. */
const FOLDERS = '${folders}'
const NAMED_ALONE = /^\$\{(?:user_)?config\.([\w.-]+)\}$/

export interface LaunchSettings {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Settings that no argument or variable names, so that the server never gets them. */
  readonly unused: readonly string[]
}

export function fillInSettings(definition: ServerDefinition): LaunchSettings {
  const used = new Set<string>()
  const find = (path: string): Json => {
    used.add(path.split('.')[0] ?? '')
    return settingAt(definition, path)
  }
  const fill = (text: string): string => text.replace(NAMED, (_, path: string) => show(find(path)))
  const args = definition.args.flatMap((arg) => {
    if (arg === FOLDERS) return foldersOf(definition)
    const alone = NAMED_ALONE.exec(arg)?.[1]
    const value = alone === undefined ? undefined : find(alone)
    return Array.isArray(value) ? value.map(show) : fill(arg)
  })
  const env = Object.entries(definition.env).map(([name, value]) => [name, fill(value)])
  const unused = Object.keys(definition.config).filter((name) => !used.has(name))
  return { args, env: Object.fromEntries(env) as Record<string, string>, unused }
}

function foldersOf({
  id,
  sandbox: { readPaths, writePaths },
}: ServerDefinition): readonly string[] {
  const folders = [...new Set([...writePaths, ...readPaths])]
  if (folders.length > 0) return folders
  throw new CordonError(
    'servers.no-folder',
    { exit: 2, hint: `Run \`cordon mcp edit ${id} --read FOLDER\`, or \`--write FOLDER\`` },
    `Cannot start server ${JSON.stringify(id)}: it has no folder to work in`,
  )
}

function settingAt({ id, config }: ServerDefinition, path: string): Json {
  let value: Json | undefined = config
  for (const name of path.split('.')) {
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  }
  if (value === undefined) throw refused(id, path, 'it is not under [config]')
  const texts = [value].flat().filter((item) => typeof item === 'string')
  if (texts.some(isSecretRef)) throw refused(id, path, 'a secret goes under [auth]')
  if (texts.some((text) => text.includes('\0')))
    throw refused(id, path, 'it holds the character NUL')
  return value
}

function show(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function refused(server: string, path: string, why: string): CordonError {
  return new CordonError(
    'servers.config',
    { exit: 2, hint: `Run \`cordon mcp show ${server}\` to see its file, and change it there` },
    `Cannot fill in the setting ${JSON.stringify(path)} of server ${JSON.stringify(server)}: ${why}`,
  )
}
