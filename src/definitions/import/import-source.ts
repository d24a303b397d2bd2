/**
 * Reads the file or folder that the owner wants to import and detects its format by content. Changes nothing. A message
 * about a bad file gives the position and the expected form, never the file's text.
 */
import { constants } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { extname, isAbsolute, join } from 'node:path'
import { CordonError } from '../../kernel/error.ts'
import type { DefinitionProblem } from '../../kernel/server-definition.ts'
import { wholeSettings } from '../../text/client-settings.ts'
import { readBareEntries, readMcpJson } from './read-mcp-json.ts'
import { readPersonalAgent } from './read-personal-agent.ts'
import { readRegistry } from './read-registry.ts'
import { readTomlText } from './read-toml-text.ts'
import { JsonMistake, parseLenientJson } from './lenient-json.ts'
import type { ServerDraft, SourceFile } from './server-draft.ts'

const MAX_BYTES = 32 * 1024 * 1024
const MAX_SERVERS = 1000

export interface ImportSource {
  /** The name of the format, for display. */
  readonly format: string
  readonly drafts: readonly ServerDraft[]
  readonly problems: readonly DefinitionProblem[]
  /** Every file that was read. */
  readonly files: readonly SourceFile[]
  /** About the file as a whole. */
  readonly notes?: readonly string[]
}

/** Pasted text is read like a file of its own, of which no path and no copy is kept. */
export async function readPastedSource(path: string, text: string): Promise<ImportSource> {
  const bytes = Buffer.from(wholeSettings(text))
  const source = await readJson({ path, bytes })
  if (source.drafts.length > MAX_SERVERS) throw tooMany(path)
  return { ...source, files: [] }
}

export async function readImportSource(path: string): Promise<ImportSource> {
  if (!isAbsolute(path)) throw cannotRead(path, 'Give the whole path, from "/"')
  const isFolder = await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
  const paths = isFolder ? (await namesIn(path)).map((name) => join(path, name)) : [path]
  const files = await Promise.all(
    paths.map(async (file) => ({ path: file, bytes: await readWhole(file) })),
  )
  const [first] = files
  if (first === undefined) throw unknownFormat(path)
  const source = formatOf(first) === 'toml' ? readTomlFiles(files) : await readJson(first)
  if (source.drafts.length > MAX_SERVERS) throw tooMany(path)
  return source
}

function tooMany(path: string): CordonError {
  return cannotRead(path, `Name a file with at most ${MAX_SERVERS} servers`)
}

/** In a folder, the definition files count; if it has none, the configuration file of another program. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder)).sort()
  const definitions = names.filter((name) => name.endsWith('.toml') && !name.startsWith('.'))
  if (definitions.length > 0) return definitions
  const config = ['mcp.json', '.mcp.json', 'config.json'].find((name) => names.includes(name))
  return config === undefined ? [] : [config]
}

async function readWhole(path: string): Promise<Buffer> {
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = await file.stat()
    if (stats.isFile() && stats.size <= MAX_BYTES) return await file.readFile()
  } catch (cause) {
    throw cannotRead(path, 'Check the path, and that you may read it', cause)
  }
  throw cannotRead(path, `Name a plain file of at most ${MAX_BYTES / 1024 / 1024} MiB`)
}

const SKIPPED = /(?:\s+|\uFEFF|#[^\n]*)*/y

/** Detected by the file extension, else by the first characters after comments. */
function formatOf({ path, bytes }: SourceFile): 'toml' | 'json' {
  const extension = extname(path)
  if (extension === '.toml' || extension === '.json') return extension === '.toml' ? 'toml' : 'json'
  const text = bytes.toString()
  SKIPPED.lastIndex = 0
  const start = SKIPPED.exec(text)?.[0].length ?? 0
  return /^(?:\{|\[(?![A-Za-z[])|\/[/*])/.test(text.slice(start, start + 2)) ? 'json' : 'toml'
}

function readTomlFiles(files: readonly SourceFile[]): ImportSource {
  const read = files.map(({ path, bytes }) => readTomlText(path, bytes.toString()))
  return {
    format: 'TOML',
    drafts: read.flatMap(({ drafts }) => drafts),
    problems: read.flatMap(({ problems }) => problems),
    files,
  }
}

async function readJson(file: SourceFile): Promise<ImportSource> {
  const root = parseJson(file)
  const found = { problems: [], files: [file] }
  const agent = await readPersonalAgent(root, file.path)
  if (agent) {
    return {
      ...found,
      format: 'PersonalAgent',
      drafts: agent.drafts,
      notes: agent.notes,
      files: [file, ...agent.files],
    }
  }
  const registry = readRegistry(root)
  if (registry) return { ...found, format: 'pflow registry', drafts: registry }
  const clients = readMcpJson(root) ?? readBareEntries(root)
  if (clients) return { ...found, format: 'mcp.json', drafts: clients }
  throw unknownFormat(file.path)
}

function parseJson({ path, bytes }: SourceFile): unknown {
  try {
    return parseLenientJson(bytes.toString())
  } catch (error) {
    if (!(error instanceof JsonMistake)) throw error
    throw new CordonError(
      'servers.import-json',
      { exit: 2, hint: 'Correct the file at that place, then try again' },
      `Cannot read ${JSON.stringify(path)}: line ${error.line}, column ${error.column}: ${error.message}`,
    )
  }
}

function cannotRead(path: string, hint: string, cause?: unknown): CordonError {
  return new CordonError(
    'servers.import-read',
    { exit: 2, hint },
    `Cannot read ${JSON.stringify(path)}`,
    cause,
  )
}

function unknownFormat(path: string): CordonError {
  return new CordonError(
    'servers.import-format',
    {
      exit: 2,
      hint: 'Name an mcp.json, a config.json with "mcps", a pflow registry, a definition in TOML, or a folder of those',
    },
    `Cannot find servers in ${JSON.stringify(path)}`,
  )
}
