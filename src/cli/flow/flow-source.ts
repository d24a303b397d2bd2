/** Tells how a command gives its flow: as a file, a saved name, one quoted text, or separate words. */
import { isUtf8 } from 'node:buffer'
import { constants, existsSync } from 'node:fs'
import path from 'node:path'
import type { Api } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type { FlowSource } from '../../ports/flow-port.ts'
import type { Json } from '../../text/json.ts'
import { closestNames } from '../../text/closest-names.ts'
import { shellWord } from '../../text/shell-word.ts'

const MOST_BYTES = 512 * 1024
/** One word can be a saved flow or a node; the saved flow wins. */
const ONE_WORD = /^[^\s>|]+$/

export async function sourceFrom(
  api: Api,
  workingFolder: string,
  words: readonly string[],
): Promise<FlowSource> {
  return inProject(await writtenSource(api, workingFolder, words), workingFolder)
}

/** With the folder, where a project may bring servers; the kernel looks whether it is trusted. */
export function inProject(source: FlowSource, workingFolder: string): FlowSource {
  const isProject = existsSync(path.join(workingFolder, '.cordon', 'mcp'))
  const above = path.dirname(workingFolder)
  if (isProject) return { ...source, folder: workingFolder }
  return above === workingFolder ? source : inProject(source, above)
}

async function writtenSource(
  api: Api,
  workingFolder: string,
  words: readonly string[],
): Promise<FlowSource> {
  const [first = '', ...others] = words
  if (others.length > 0) return await wordsSource(api, words)
  if (/\.(?:flow|json)$/.test(first) && ONE_WORD.test(first)) {
    return await readSource(path.resolve(workingFolder, first))
  }
  if (!ONE_WORD.test(first)) return { kind: 'text', text: first }
  const { flows } = await api.call('flows.list', {})
  if (flows.some(({ name }) => name === first)) return { kind: 'saved', name: first }
  const near = closestNames(
    first,
    flows.map(({ name }) => name),
  )
  if (near.length > 0 && !(await isNode(api, first))) throw noSuchFlow(first, near)
  return { kind: 'text', text: first }
}

/** Flags after the name of a saved flow are meant for it; a flow takes its inputs by `--input`. */
async function wordsSource(api: Api, words: readonly string[]): Promise<FlowSource> {
  const [first = '', second = ''] = words
  if (!second.startsWith('--')) return { kind: 'words', words }
  const { flows } = await api.call('flows.list', {})
  const isSaved = flows.some(({ name }) => name === first)
  if (!isSaved || (await isNode(api, first))) return { kind: 'words', words }
  const [, name = '', value = words[2] ?? 'VALUE'] = /^--([^=]+)(?:=(.*))?$/s.exec(second) ?? []
  throw new CordonError(
    'cli.flow-flags',
    { exit: 2, hint: `Write \`cordon run ${first} --input ${shellWord(`${name}=${value}`)}\`` },
    `Cannot give ${second.replace(/=.*/s, '')} to ${JSON.stringify(first)}: a saved flow takes its inputs by \`--input\``,
  )
}

async function isNode(api: Api, name: string): Promise<boolean> {
  try {
    await api.call('flows.node', { name: name.replace(/@.*/, '') })
    return true
  } catch (error) {
    if (error instanceof CordonError && error.exit === 2) return false
    throw error
  }
}

function noSuchFlow(name: string, near: readonly string[]): CordonError {
  return new CordonError(
    'flows.no-such-flow',
    {
      exit: 2,
      hint: `Did you mean ${near.join(' or ')}? \`cordon flow list\` shows the saved flows`,
    },
    `Cannot find a flow or a node ${JSON.stringify(name)}`,
  )
}

/** A `*.json` file holds the flow as JSON, any other file as text. */
export async function readSource(file: string): Promise<FlowSource> {
  const text = await readText(file)
  if (!file.endsWith('.json')) return { kind: 'text', text, isFile: true }
  try {
    return { kind: 'ir', ir: JSON.parse(text) as Json, isFile: true }
  } catch (error) {
    // The parser's message quotes the text; only the position is reported.
    const [, at = ''] = /position (\d+)/.exec(error instanceof Error ? error.message : '') ?? []
    throw new CordonError(
      'cli.flow-file',
      { exit: 2, hint: 'Correct the file, or write the flow as text in a file that ends in .flow' },
      `Cannot read ${JSON.stringify(file)} as JSON${placeIn(text, at)}`,
    )
  }
}

function placeIn(text: string, at: string): string {
  if (at === '') return ''
  const before = text.slice(0, Number(at)).split('\n')
  return ` (line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1})`
}

async function readText(file: string): Promise<string> {
  const bytes = await readBytes(file).catch((error: unknown) => {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new CordonError(
      'cli.flow-file',
      { exit: 2, hint: 'Look at the name of the file; `cordon flow list` shows the saved flows' },
      `Cannot ${isMissing ? 'find' : 'read'} the file ${JSON.stringify(file)}`,
      error,
    )
  })
  if (!bytes) {
    throw new CordonError(
      'cli.flow-file',
      { exit: 2, hint: 'Split the flow, and save its parts with `cordon flow save`' },
      `Cannot read a flow of more than 512 KiB from ${JSON.stringify(file)}`,
    )
  }
  if (isUtf8(bytes)) return bytes.toString()
  throw new CordonError(
    'cli.flow-file',
    { exit: 2, hint: 'Save the file as UTF-8, then try again' },
    `Cannot read ${JSON.stringify(file)} as text`,
  )
}

/** Undefined if the file is too large. */
async function readBytes(file: string): Promise<Buffer | undefined> {
  // Non-blocking: opening a pipe without a writer would block for ever.
  const { open } = await import('node:fs/promises') // takes longer to load than a short command
  await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
  const found = await handle.stat()
  if (!found.isFile()) throw new TypeError('It is not a plain file')
  return found.size > MOST_BYTES ? undefined : await handle.readFile()
}
