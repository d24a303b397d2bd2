/**
 * Reads and writes files within the folder that a run was given. Only regular files of UTF-8 text, at most 10 MB. A
 * write is atomic: it replaces the whole file or changes nothing. The label of the content is on disk before the file
 * is, and joined when it is read again.
 */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, rename, unlink } from 'node:fs/promises'
import { callFailed } from '../../kernel/call-failure.ts'
import type { Json } from '../../text/json.ts'
import type { Label } from '../../labels/label.ts'
import type { ToolResult } from '../../kernel/tool-call.ts'
import { type Args, asText, type BuiltIn, given, textOf } from './built-in.ts'
import { FileProblem } from './file-problem.ts'
import { type MarkedFolders, placeLabel } from './file-labels.ts'
import type { FileLedger } from './file-ledger.ts'
import { type GuardedFile, openGuarded, type Places } from './guarded-folder.ts'

const MAX_BYTES = 10 * 2 ** 20
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = constants

/** Files stay on this machine, so every level except a secret is allowed. */
const CLEARANCE = { own: 'regulated', others: 'regulated' } as const
const FOLDER = { role: 'target', is: 'text' } as const
const PATH = { role: 'target', is: 'text', isRequired: true } as const

export interface FileMemory {
  readonly ledger: FileLedger
  readonly marked: () => Promise<MarkedFolders>
}

export function fileTools(places: Places, memory: FileMemory): ReadonlyMap<string, BuiltIn> {
  const guarded = async (
    args: Args,
    work: (file: GuardedFile) => Promise<ToolResult>,
  ): Promise<ToolResult> => {
    try {
      await using file = await openGuarded(
        places,
        textOf(args, 'folder'),
        textOf(args, 'path') ?? '',
      )
      return await work(file)
    } catch (error) {
      const known = FileProblem.from(error, JSON.stringify(textOf(args, 'path')))
      if (known instanceof FileProblem) return callFailed(known.code, known.message)
      throw error
    }
  }
  return new Map<string, BuiltIn>([
    [
      'read-file',
      {
        effect: 'local-read',
        clearance: CLEARANCE,
        args: { folder: FOLDER, path: PATH },
        run: (args) => guarded(args, (file) => readText(file, memory)),
      },
    ],
    [
      'write-file',
      {
        effect: 'write',
        clearance: CLEARANCE,
        isLocal: true,
        args: {
          folder: FOLDER,
          path: PATH,
          content: { role: 'content', is: 'any', isRequired: true, formats: ['ci'] },
        },
        run: (args, _signal, label) =>
          guarded(args, (file) => writeText(file, given(args, 'content') ?? '', label, memory)),
      },
    ],
  ])
}

async function readText(file: GuardedFile, memory: FileMemory): Promise<ToolResult> {
  // O_NONBLOCK: opening a named pipe without a writer would block the run for ever.
  await using handle = await open(file.path(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const found = await handle.stat()
  const name = JSON.stringify(file.shown)
  if (!found.isFile()) throw new FileProblem('error', `${name} is not a plain file`)
  const bytes = await readBounded(handle)
  if (!bytes) throw new FileProblem('error', `${name} is larger than 10 MB`)
  const content = decoded(bytes)
  if (content === undefined) throw new FileProblem('error', `${name} is not text in UTF-8`)
  const from = { kind: 'host', what: `the file ${name}` } as const
  const place = await placeLabel(file.real, await memory.marked())
  const label = await memory.ledger.labelOf(file.real, bytes, place)
  return { kind: 'ok', value: { content }, label, labels: { label, from } }
}

/** Bounded while reading, since the file may grow meanwhile. Undefined if it is too large. */
async function readBounded(handle: FileHandle): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for (;;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(2 ** 18), 0, 2 ** 18)
    if (bytesRead === 0) return Buffer.concat(chunks)
    size += bytesRead
    if (size > MAX_BYTES) return undefined
    chunks.push(buffer.subarray(0, bytesRead))
  }
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

async function writeText(
  file: GuardedFile,
  content: Json,
  label: Label,
  { ledger }: FileMemory,
): Promise<ToolResult> {
  const bytes = Buffer.from(asText(content))
  if (bytes.length > MAX_BYTES) {
    throw new FileProblem('error', 'the content is larger than 10 MB')
  }
  await ledger.keep({ path: file.real, bytes, label }, () => writeBytes(file, bytes))
  return { kind: 'ok', value: { path: file.shown }, label }
}

async function writeBytes(file: GuardedFile, bytes: Buffer): Promise<void> {
  const mode = await modeOf(file)
  const beside = file.path(`.cordon-${randomUUID()}.tmp`)
  const handle = await open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
  try {
    await handle.writeFile(bytes)
    if (mode !== undefined) await handle.chmod(mode)
    await handle.sync()
    await handle.close()
    await rename(beside, file.path())
    await file.sync()
  } catch (error) {
    await handle.close().catch(() => undefined)
    await unlink(beside).catch(() => undefined)
    throw error
  }
}

/** The mode of the file that is replaced; undefined for a new file, which stays private to its owner (0600). */
async function modeOf(file: GuardedFile): Promise<number | undefined> {
  const found = await lstat(file.path()).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  })
  if (!found) return undefined
  const name = JSON.stringify(file.shown)
  if (found.isSymbolicLink()) throw new FileProblem('forbidden', `${name} is a link`)
  if (!found.isFile()) throw new FileProblem('error', `${name} is not a plain file`)
  return found.mode & 0o777
}
