/** The cost of the query layer over bare SQLite, and of a durable write over a bare fdatasync on the same disk. */
import { closeSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { DefinitionHashes } from '../src/kernel/ports.ts'
import { OWNER } from '../src/kernel/principal.ts'
import { openStore } from '../src/store/open-store.ts'
import { type BenchReport, quantile } from './report.ts'

const ROUNDS = 30
const GETS = 500
const PUTS = 15
const ROWS = 100

export async function run(): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-bench-store-'))
  try {
    return await measure(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function measure(folder: string): Promise<BenchReport> {
  const options = {
    sqlitePath: join(folder, 'state.db'),
    log: { info() {}, warn() {}, error() {} },
  }
  const opened = await openStore(options)
  const first = opened.forOwner(OWNER.id).definitionHashes
  for (let row = 0; row < ROWS; row++) await put(first, row, 'first')
  await opened[Symbol.asyncDispose]()

  const began = performance.now()
  await using store = await openStore(options)
  const openMs = performance.now() - began
  const { definitionHashes } = store.forOwner(OWNER.id)
  using database = new DatabaseSync(options.sqlitePath)
  const bareGet = database.prepare(
    'select hash from definition_hash where principal = ? and path = ?',
  )
  const file = openSync(join(folder, 'bare'), 'w')
  const page = Buffer.alloc(4096)

  // The four measurements take turns, so that a slow moment of the machine hits them all alike.
  const get: number[] = []
  const getBare: number[] = []
  const putDurably: number[] = []
  const sync: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    get.push(await time(GETS, (n) => definitionHashes.get(`/${n % ROWS}.toml`)))
    getBare.push(await time(GETS, (n) => bareGet.get(OWNER.id, `/${n % ROWS}.toml`)))
    // A new value in each round: SQLite writes nothing for an unchanged value.
    putDurably.push(await time(PUTS, (n) => put(definitionHashes, n, `${round}-${n}`)))
    sync.push(
      await time(PUTS, () => {
        writeSync(file, page)
        fdatasyncSync(file)
      }),
    )
  }
  closeSync(file)
  const [getUs, getBareUs, putUs, syncUs] = [get, getBare, putDurably, sync].map((times) =>
    quantile(times, 0.5),
  ) as [number, number, number, number]
  return {
    figures: [
      { name: 'open an existing store', value: openMs, unit: 'ms' },
      { name: 'read one hash', value: getUs, unit: 'µs' },
      { name: 'read one hash, bare SQLite', value: getBareUs, unit: 'µs' },
      { name: 'store one hash, durably', value: putUs, unit: 'µs' },
      { name: 'write and fdatasync one page', value: syncUs, unit: 'µs' },
    ],
    bars: [
      {
        name: 'read: store over bare SQLite',
        value: getUs / getBareUs,
        unit: '×',
        limit: 15,
        kind: 'most',
      },
      {
        name: 'durable write: store over fdatasync',
        value: putUs / syncUs,
        unit: '×',
        limit: 5,
        kind: 'most',
      },
    ],
  }
}

function put(hashes: DefinitionHashes, row: number, hash: string): Promise<void> {
  return hashes.put(`/${row}.toml`, hash)
}

/** Microseconds for one repetition of `work`, averaged over `count`. */
async function time(count: number, work: (n: number) => unknown): Promise<number> {
  const began = performance.now()
  for (let n = 0; n < count; n++) await work(n)
  return ((performance.now() - began) * 1000) / count
}
