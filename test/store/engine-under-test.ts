/** The test interface of a database engine: empty databases, direct access to the tables, and child processes. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { openStore, type Store, type StoreOptions } from '../../src/store/open-store.ts'

export type Place = Pick<StoreOptions, 'databaseUrl' | 'sqlitePath'>

export interface EngineUnderTest {
  readonly kind: Store['kind']
  fresh(): Promise<Place>
  /** Runs a statement directly, not through the store. */
  execute(place: Place, statement: string): Promise<void>
  /** The whole content of the database, as text. */
  dump(place: Place): Promise<string>
}

const log = { info() {}, warn() {}, error() {} }

export function openPlace(place: Place): Promise<Store> {
  return openStore({ ...place, log })
}

type Child = ChildProcessByStdio<Writable, Readable, null>

/** Starts a child process whose script can call `open` and `say`. */
export function startChild(place: Place, body: string): Child {
  const script = `
    import { writeSync } from 'node:fs'
    import { openStore } from ${JSON.stringify(import.meta.resolve('../../src/store/open-store.ts'))}
    const log = { info() {}, warn() {}, error() {} }
    const open = () => openStore({ ...${JSON.stringify(place)}, log })
    const say = (word) => writeSync(1, word + '\\n')
    ${body}`
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}
