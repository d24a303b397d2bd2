/** Search over the official registry and Smithery: merging, paging, caching, failures, and refusal to send tokens. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { OWNER } from '../../src/kernel/principal.ts'
import { createRegistries } from '../../src/catalog/create-registries.ts'
import { createEgress } from '../../src/egress/create-egress.ts'
import { createFiles } from '../../src/home/files.ts'
import type { RegistryPage } from '../../src/ports/catalog-port.ts'
import { CordonError } from '../../src/kernel/error.ts'
import type { Audit, Files, Log } from '../../src/kernel/ports.ts'
import { madeUpEntries, openTestRegistries, type TestRegistries } from '../fixtures/registries.ts'

const HOUR = 60 * 60_000
const KEY = 'smithery-canary-0123456789'
const folder = await mkdtemp(path.join(tmpdir(), 'cordon-registries-'))
after(() => rm(folder, { recursive: true }))

const silent: Pick<Audit, 'append'> = { append: () => ({ seq: 0, hash: '' }) }

interface Bench extends AsyncDisposable {
  readonly world: TestRegistries
  readonly logged: string[]
  readonly cacheFolder: string
  clock: number
  key: string | undefined
  search(
    query: string,
    options?: { source?: 'official' | 'smithery'; next?: string },
  ): Promise<RegistryPage>
  refresh(): Promise<void>
}

/** The real search through the real egress, against registries on loopback. */
async function openBench({ files = createFiles(), deadlineMs = 60_000 } = {}): Promise<Bench> {
  const world = await openTestRegistries(madeUpEntries())
  const cacheFolder = await mkdtemp(path.join(folder, 'cache-'))
  const logged: string[] = []
  const note = (message: string, fields?: object): void => {
    logged.push(
      message +
        JSON.stringify(fields, (_, value: unknown) =>
          value instanceof Error ? `${value.stack}` : value,
        ),
    )
  }
  const log: Log = { info: note, warn: note, error: note }
  const fetch = createEgress({ owner: OWNER.id, audit: silent, log }).createFetch({
    allowedDomains: ['127.0.0.1'],
    dangerouslyAllowHttp: true,
  })
  const registries = createRegistries({
    fetch,
    files,
    cacheFolder,
    smitheryKey: async () => bench.key,
    now: () => bench.clock,
    log,
    baseUrls: { official: world.official.url, smithery: world.smithery.url },
    deadlineMs,
  })
  const bench: Bench = {
    world,
    logged,
    cacheFolder,
    clock: Date.parse('2026-11-15T12:00:00Z'),
    key: undefined,
    search: (query, options = {}) =>
      registries.search(query, options, AbortSignal.timeout(120_000)),
    refresh: () => registries.refresh(),
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
  return bench
}

function shown({ found }: RegistryPage): readonly string[] {
  return found.map(({ badge, service }) => `${badge} ${service.title}`)
}

test('search() merges both registries: the closest name first, then verified, then the most used', async () => {
  await using bench = await openBench()
  const page = await bench.search('tracker')
  assert.deepEqual(shown(page), [
    'Official dev.acme/tracker',
    'Official io.github.stranger/tracker',
    'Smithery io.github.stranger/tracker',
    'Smithery io.github.stranger/empty-tracker',
  ])
  assert.deepEqual(
    page.found.map(({ verified }) => verified),
    [true, false, true, true],
  )
  assert.equal(page.next, undefined)
  assert.deepEqual(page.notices, ['The official registry also has 1 that cannot be used.'])
})

test('search() shows the same address once, and a known package as the known service', async () => {
  await using bench = await openBench()
  const { found } = await bench.search('notion')
  assert.equal(found[0]?.service.slug, 'notion')
  assert.equal(found[0]?.badge, 'Catalog')
  const packages = found.flatMap(({ service: { launch } }) =>
    launch.kind === 'npm' ? launch.package : [],
  )
  assert.deepEqual(packages.toSorted(), ['@notionhq/notion-mcp-server', 'notion-mcp-server'])
  const squatter = found.find(
    ({ service: { launch } }) => launch.kind === 'npm' && launch.package === 'notion-mcp-server',
  )
  assert.match(squatter?.service.notes[0] ?? '', /close to that of Notion/)
})

test('search() shows two known services that share a package as two', async () => {
  await using bench = await openBench()
  const { found } = await bench.search('sql')
  assert.deepEqual(
    found.slice(0, 2).map(({ service }) => service.slug),
    ['postgres', 'sqlite'],
  )
})

test('search() asks one registry alone where that is wanted', async () => {
  await using bench = await openBench()
  await bench.search('tracker', { source: 'official' })
  assert.equal(bench.world.smithery.asked.length, 0)
  const page = await bench.search('notion', { source: 'smithery' })
  assert.ok(page.found.every(({ badge }) => badge === 'Smithery'))
})

test('search() goes on where it stopped until both registries have ended', async () => {
  await using bench = await openBench()
  const names = new Set<string>()
  const sizes: number[] = []
  let next: string | undefined
  do {
    const page = await bench.search('many', next === undefined ? {} : { next })
    sizes.push(page.found.length)
    for (const { service } of page.found) names.add(service.slug)
    next = page.next
  } while (next !== undefined)
  assert.deepEqual(sizes, [10, 10, 5])
  assert.equal(names.size, 25)
  for (const bad of ['bm9uc2Vuc2U', 'e30', '%', 'a'.repeat(9999)]) {
    await assert.rejects(
      bench.search('many', { next: bad }),
      (error) => error instanceof CordonError && error.code === 'catalog.bad-cursor',
    )
  }
})

const faults = {
  down: /^The official registry could not be reached\.$/,
  slow: /^The official registry did not answer in time\.$/,
  nonsense: /^The official registry answered with nonsense\.$/,
  'no-list': /^The official registry answered with nonsense\.$/,
  huge: /^The official registry answered with more than 2 MB\.$/,
  unauthorized: /^The official registry refused to answer without a valid key\.$/,
  busy: /^The official registry asks for fewer requests; try again in 30 seconds\.$/,
  broken: /^The official registry is out of order \(it answered 503\)\.$/,
} as const

for (const [fault, notice] of Object.entries(faults)) {
  test(`search() says that a registry is ${fault}, and shows what the other one has`, async () => {
    await using bench = await openBench(fault === 'slow' ? { deadlineMs: 5000 } : {})
    bench.world.official.fault = fault as keyof typeof faults
    const { found, notices } = await bench.search('tracker')
    assert.equal(notices.length, 1)
    assert.match(notices[0] ?? '', notice)
    assert.ok(found.length > 0 && found.every(({ badge }) => badge === 'Smithery'))
    assert.ok(bench.world.sent.bytes < 10 * 1024 * 1024, 'a huge body is not read to its end')
    bench.world.official.fault = undefined
    const again = await bench.search('tracker')
    assert.ok(
      again.found.some(({ badge }) => badge === 'Official'),
      'a failure is not remembered',
    )
  })
}

test('search() survives that both registries are down', async () => {
  await using bench = await openBench()
  bench.world.official.fault = 'down'
  bench.world.smithery.fault = 'down'
  const { found, notices } = await bench.search('github')
  assert.equal(found[0]?.service.slug, 'github')
  assert.equal(notices.length, 2)
})

test('search() asks again after an hour, and uses an old answer with its age where there is no new one', async () => {
  await using bench = await openBench()
  const { official, smithery } = bench.world
  const first = await bench.search('acme')
  const asked = official.asked.length + smithery.asked.length
  bench.clock += HOUR - 1
  assert.deepEqual(await bench.search('acme'), first)
  assert.equal(official.asked.length + smithery.asked.length, asked, 'fresh: nobody was asked')
  bench.clock += 3 * HOUR
  for (const fault of ['down', 'nonsense', 'no-list', 'huge', 'broken'] as const) {
    official.fault = fault
    smithery.fault = 'down'
    const { found, notices } = await bench.search('acme')
    assert.deepEqual(found, first.found, fault)
    assert.match(
      notices.join(' '),
      /^The official registry .*; this is what it said 3 hours ago\. Smithery could not be reached; this is what it said 3 hours ago\.$/,
    )
  }
  bench.clock += 31 * 24 * HOUR
  assert.deepEqual((await bench.search('acme')).found, [], 'too old to be of use')
})

test('refresh() forgets the answers, and a damaged one is none', async () => {
  await using bench = await openBench()
  await bench.search('acme')
  for (const name of await readdir(bench.cacheFolder))
    await writeFile(path.join(bench.cacheFolder, name), '{"at":1e99,')
  bench.world.official.asked.length = 0
  assert.ok((await bench.search('acme')).found.length > 0)
  assert.equal(bench.world.official.asked.length, 1)
  await bench.refresh()
  assert.deepEqual(await readdir(bench.cacheFolder), [])
})

test('search() sends the Smithery key in one header to Smithery, and nowhere else', async () => {
  await using bench = await openBench()
  bench.world.keys.smithery = KEY
  const without = await bench.search('acme')
  assert.deepEqual(without.notices, [
    'Smithery wants a key: store one with `cordon vault set smithery_api_key`, then search again.',
  ])
  assert.ok(without.found.some(({ badge }) => badge === 'Official'))
  bench.key = KEY
  const { found, notices } = await bench.search('acme', { source: 'smithery' })
  assert.deepEqual(notices, [])
  assert.ok(found.length > 0)
  const { official, smithery } = bench.world
  assert.ok(smithery.asked.some(({ headers }) => headers.authorization === `Bearer ${KEY}`))
  const elsewhere = [...official.asked, ...smithery.asked].map(({ path: asked, headers }) => {
    const { authorization: _, ...others } = headers
    return { asked, others }
  })
  assert.ok(official.asked.every(({ headers }) => headers.authorization === undefined))
  const files = await Promise.all(
    (await readdir(bench.cacheFolder)).map((name) =>
      readFile(path.join(bench.cacheFolder, name), 'utf8'),
    ),
  )
  for (const text of [JSON.stringify(elsewhere), files.join(' '), bench.logged.join(' ')])
    assert.ok(!text.includes(KEY))
})

test('search() ends with its caller', async () => {
  await using bench = await openBench()
  const abort = new AbortController()
  const registries = createRegistries({
    fetch: (_, init) =>
      new Promise((__, reject) =>
        init?.signal?.addEventListener('abort', () => reject(new Error('aborted'))),
      ),
    files: createFiles(),
    cacheFolder: bench.cacheFolder,
    smitheryKey: async () => undefined,
    now: () => bench.clock,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
  })
  const search = registries.search('acme', {}, abort.signal)
  abort.abort(new Error('enough'))
  await assert.rejects(search, /enough/)
})

test('search() sends no token to anybody, and does not repeat it', async () => {
  await using bench = await openBench()
  const token = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
  for (const query of [token, `tracker ${token}`, `**${token}**`]) {
    await assert.rejects(
      bench.search(query),
      (error) =>
        error instanceof CordonError &&
        error.code === 'catalog.secret-in-text' &&
        !`${error.message} ${error.hint}`.includes(token),
    )
  }
  assert.equal(bench.world.official.asked.length + bench.world.smithery.asked.length, 0)
})

test('search() shows what one registry has, whatever goes wrong with the other', async () => {
  const files = createFiles()
  let reads = 0
  // The first read of the cache fails, so only the second registry answers.
  const read: Files['read'] = async (file) =>
    (reads += 1) > 1 ? await files.read(file) : assert.fail('no disk')
  await using bench = await openBench({ files: { ...files, read } })
  const { found, notices } = await bench.search('tracker')
  assert.ok(found.length > 0 && found.every(({ badge }) => badge === 'Smithery'))
  assert.deepEqual(notices, ['The official registry gave an answer that Cordon cannot read.'])
})
