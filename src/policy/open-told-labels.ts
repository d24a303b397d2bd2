/**
 * The `ToldLabels` port: per server one joined label of everything confidential that it was told of others. It only
 * grows, until the owner says that the server no longer has the data. Held in memory, and written before the call
 * leaves, so that `kill -9` never leaves a server told and the label forgotten.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { KeptLabels, ToldLabels } from '../kernel/kept-labels.ts'
import type { Audit } from '../kernel/ports.ts'
import { isAbove, joinLabels, type Label } from '../labels/label.ts'
import { restoreTree, storeTree } from '../labels/stored-label.ts'
import { toldTo } from '../labels/told-label.ts'
import { createSerialQueue } from '../text/serial-queue.ts'
import { isStoreAway } from './is-store-away.ts'

export interface ToldDeps {
  readonly rows: KeptLabels
  readonly audit: Pick<Audit, 'appendDurable'>
  /** Other processes write these rows too, so the copy in memory is never current. */
  readonly isShared: boolean
}

/** How long a database that is away is asked again. */
const PATIENCE_MS = 60_000
const AGAIN_MS = 250

/** For a row that cannot be read: somebody's confidential data, nobody knows whose. */
const DAMAGED: Label = {
  integrity: 'user',
  level: 'sensitive',
  origins: new Set(['an unknown server']),
}

export async function openToldLabels({ rows, audit, isShared }: ToldDeps): Promise<ToldLabels> {
  const found = await rows.list('server')
  const held = new Map(found.map(({ id, content }) => [id, readLabel(content)]))
  const serially = createSerialQueue()
  const look = async (server: string): Promise<Label | undefined> => {
    const content = await patiently(() => rows.get('server', server))
    return content === undefined ? undefined : readLabel(content)
  }
  const grow = async (server: string, told: Label): Promise<void> => {
    const known = isShared ? await look(server) : held.get(server)
    if (isWithin(told, known)) return
    const label = known ? joinLabels(known, told) : told
    const content = JSON.stringify(storeTree({ label }))
    await rows.put([{ kind: 'server', id: server, content }])
    held.set(server, label)
  }
  return {
    of: (server) => (isShared ? look(server) : held.get(server)),
    raise(server, args) {
      const told = toldTo(server, args)
      if (!told || (!isShared && isWithin(told, held.get(server)))) return undefined
      return serially(() => grow(server, told))
    },
    forget: (server, by) =>
      serially(async () => {
        const known = isShared ? await look(server) : held.get(server)
        if (!known) return false
        const details = { level: known.level, origins: [...known.origins].sort() }
        await audit.appendDurable({
          kind: 'servers.forget-told',
          principal: by,
          subject: server,
          details,
        })
        await rows.remove('server', server)
        held.delete(server)
        return true
      }),
  }
}

/** The answer of a call that was made waits for its label: without one it would be lost. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!isStoreAway(error) || performance.now() > deadline) throw error
    }
    await pause(AGAIN_MS)
  }
}

function isWithin(told: Label, known: Label | undefined): boolean {
  if (!known) return false
  return !isAbove(told.level, known.level) && told.origins.isSubsetOf(known.origins)
}

function readLabel(content: string): Label {
  try {
    return restoreTree(JSON.parse(content)).label
  } catch {
    return DAMAGED
  }
}
