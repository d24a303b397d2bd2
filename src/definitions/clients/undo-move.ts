/**
 * Takes one move of a client back: its file first, in one step, then the definitions, the registration, the backup and
 * the note. Each step can be repeated, so that an undo that was killed is finished by the next one. A file that
 * somebody has changed since is never overwritten.
 */
import { dirname } from 'node:path'
import { CordonError } from '../../kernel/error.ts'
import type { ClientUndo } from '../../ports/client-import-port.ts'
import type { JsonObject } from '../../text/json.ts'
import { isObject } from '../import/server-draft.ts'
import { backupRefs, unpackBackup } from '../import/source-backup.ts'
import type { ClientConfig } from './client-configs.ts'
import {
  changedMeanwhile,
  clientNamed,
  type ConfigFile,
  NO_FILE,
  placeOf,
  readConfigFile,
  removeConfigFile,
  replaceConfigFile,
} from './config-file.ts'
import { editConfig, entriesIn, parseConfig, valueAt } from './edit-config.ts'
import { isCordonEntry } from './cordon-entry.ts'
import type { ClientImportDeps } from './create-client-imports.ts'
import { lastMove, MOVE_KIND, type MoveRecord, parseMoves } from './move-record.ts'

export interface UndoOptions {
  /** Keeps what was changed in the file since, and takes back only Cordon's part. */
  readonly merge: boolean
  /** The move has not come to the file. */
  readonly isUnwritten?: boolean
}

export async function undoMove(
  deps: ClientImportDeps,
  client: string,
  options: UndoOptions,
): Promise<ClientUndo> {
  const config = clientNamed(client, deps.folders)
  const moves = parseMoves(await deps.notes.list(MOVE_KIND))
  const here = await readConfigFile(config, placeOf(config, deps.folders), deps.files)
  const record = lastMove(moves, config, here.path)
  if (!record) throw nothingToUndo(config)
  const { id, path } = record
  await deps.sweep(dirname(path))
  const now = await readConfigFile(config, path, deps.files)
  const isRefused = stateOf(record, now) === 'changed' && !options.merge && !options.isUnwritten
  if (isRefused) throw changedSince(record, config)
  await deps.audit.appendDurable({
    kind: 'clients.restored',
    principal: deps.owner,
    subject: client,
    details: { id, path, merge: options.merge },
  })
  const file = options.isUnwritten ? 'untouched' : await restoreFile(deps, record, now)
  const { servers, notes } = await undoServers(deps, id)
  if (record.registers) await unregister(deps, record, moves)
  for (const name of record.backup) await deps.vault.remove(deps.owner, name)
  await deps.notes.remove(MOVE_KIND, id)
  return { client, path, file, told: `${path} ${FILES[file]}`, servers, notes }
}

const FILES: Readonly<Record<ClientUndo['file'], string>> = {
  restored: 'is as it was, byte for byte',
  removed: 'is removed: there was none before',
  untouched: 'had not been changed',
  merged: 'has its servers back; your later changes are kept',
}

/** Another project may use the same registration: the next move of it to be undone ends it. */
async function unregister(
  { clients, notes }: ClientImportDeps,
  { id, client }: MoveRecord,
  moves: readonly MoveRecord[],
): Promise<void> {
  const other = moves.findLast((one) => one.client === client && one.id !== id)
  if (other) await notes.put(MOVE_KIND, other.id, JSON.stringify({ ...other, registers: true }))
  else if ((await clients.list()).some(({ name }) => name === client)) await clients.remove(client)
}

type State = 'before' | 'after' | 'gone' | 'changed'

export function stateOf(record: MoveRecord, file: ConfigFile): State {
  const { before, after } = record
  const { hash } = file
  if (hash === before) return 'before'
  if (hash === after) return 'after'
  if (hash === NO_FILE) return 'gone'
  return hasCome(record, file) ? 'changed' : 'before'
}

/** Whether anything of the move is in the file: its program may have rewritten it after the move was killed. */
function hasCome({ put, removed }: MoveRecord, { config, text }: ConfigFile): boolean {
  const present = entriesIn(config, text)
  if (put && present.some(isCordonEntry)) return true
  const places = new Set(present.map(({ place }) => place.join('\0')))
  return removed.some((place) => !places.has(place.join('\0')))
}

async function restoreFile(
  deps: ClientImportDeps,
  record: MoveRecord,
  now: ConfigFile,
): Promise<ClientUndo['file']> {
  const { before, mode } = record
  const state = stateOf(record, now)
  if (state === 'before') return 'untouched'
  if (state === 'changed') {
    const text = await mergedText(deps, record, now)
    return orRefused(now, 'merged', await replaceConfigFile(now, text, now.mode, deps.files))
  }
  if (before === NO_FILE) {
    return orRefused(now, 'removed', await removeConfigFile(now, deps.files))
  }
  const bytes = await original(deps, record)
  return orRefused(now, 'restored', await replaceConfigFile(now, bytes, mode, deps.files))
}

function orRefused<T>(file: ConfigFile, done: T, isDone: boolean): T {
  if (isDone) return done
  throw changedMeanwhile(file)
}

async function original(deps: ClientImportDeps, { backup }: MoveRecord): Promise<Buffer> {
  const { signal } = new AbortController()
  await using lease = await deps.vault.lease(deps.owner, backupRefs(backup), signal)
  const [file] = unpackBackup(backup, lease)
  return file?.bytes ?? Buffer.alloc(0)
}

/** The file as it is now, with the entries that the move took out, and without the one that it put in. */
async function mergedText(
  deps: ClientImportDeps,
  record: MoveRecord,
  { config, text }: ConfigFile,
): Promise<string> {
  const root = parseConfig(config, (await original(deps, record)).toString())
  const present = entriesIn(config, text)
  const isPresent = (place: readonly string[]): boolean =>
    present.some((one) => one.place.join('\0') === place.join('\0'))
  const put = record.removed
    .filter((place) => !isPresent(place))
    .map((place) => ({ place, entry: valueAt(root, place) }))
    .filter((one): one is { place: readonly string[]; entry: JsonObject } => isObject(one.entry))
  const ours = present.filter((one) => isCordonEntry(one)).map(({ place }) => place)
  return editConfig(config, text, { remove: record.put ? ours : [], put })
}

async function undoServers(
  deps: ClientImportDeps,
  id: string,
): Promise<Pick<ClientUndo, 'servers' | 'notes'>> {
  try {
    const { servers, notes } = await deps.definitions.undo(id)
    const shown = servers.map(({ server, action }) => ({ server, action }))
    const about = servers.flatMap(({ server, notes: said }) =>
      said.map((note) => `${server} ${note}`),
    )
    return { servers: shown, notes: [...notes, ...about] }
  } catch (error) {
    // A move of no servers has no import; one that was killed may not have come to it.
    if (error instanceof CordonError && error.code === 'servers.no-import') {
      return { servers: [], notes: [] }
    }
    throw error
  }
}

function nothingToUndo({ name }: ClientConfig): CordonError {
  return new CordonError(
    'clients.no-import',
    { exit: 2, hint: 'Run `cordon import --dry-run` to see the clients and their state' },
    `Cannot undo an import of ${name}: there is none`,
  )
}

function changedSince({ client, path }: MoveRecord, { name }: ClientConfig): CordonError {
  return new CordonError(
    'clients.changed-since',
    {
      exit: 2,
      hint: `Run \`cordon import ${client} --undo --keep-changes\`: it puts the servers of ${name} back and leaves the rest of the file as it is now`,
    },
    `Cannot restore ${JSON.stringify(path)}: it was changed after the import, and the change would be lost`,
  )
}
