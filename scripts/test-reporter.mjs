/**
 * The output of `npm test`: how many files are done, each failure at once, the slowest files, and at the very end, where a
 * log that is cut still shows it, each failure with its whole message, and the counts that node prints. On a terminal
 * progress is one line that is redrawn, elsewhere a line every ten seconds.
 * Never drops a failure: a test that failed, a file that crashed and a test that was cancelled are all listed.
 */
import path from 'node:path'
import { inspect, stripVTControlCharacters } from 'node:util'

const PROGRESS_EVERY_MS = 10_000
const REDRAW_EVERY_MS = 200
/** With so few files each test is named; with more, only files are counted. */
export const FEW_FILES = 5
const SLOWEST = 10
/** Of the output of one file; the beginning is dropped. */
const KEPT_OUTPUT = 20_000
/** Of one error: the places of the test and of the code that it tries. */
const MOST_FRAMES = 6
const COUNTS = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo']
const AS_NODE_SAYS = { passed: 'pass', failed: 'fail' }
/** The type of failure of a suite or file whose subtests failed; those subtests are listed. */
const FROM_WITHIN = 'subtestsFailed'

/**
 * Writes what happens to `out`, and returns the files with a failure; undefined for a run that did not come to its end.
 * @param {AsyncIterable<{ type: string, data: any }>} events of `run()` of node:test
 * @param {{ files: readonly string[], groups?: ReadonlyMap<string, readonly string[]>, root: string,
 *   out: NodeJS.WriteStream }} options `groups` by the module that loads the files of one process
 */
export async function report(events, { files, groups = new Map(), root, out }) {
  const seen = createRecord(root, files, groups)
  const namesTests = files.length <= FEW_FILES
  const progress = namesTests ? NO_PROGRESS : openProgress(seen, out)
  for await (const { type, data } of events) {
    seen.take(type, data)
    const line = namesTests ? nameOf(type, data) : failureLine(seen, type, data)
    if (line === undefined) continue
    progress.clear()
    out.write(line)
  }
  progress.end()
  out.write(closing(seen))
  if (seen.counts === undefined) return undefined
  const failed = [...new Set(seen.failures.flatMap(({ file }) => file.split(', ')))]
  const isRed = seen.counts.failed + seen.counts.cancelled > 0
  return isRed === failed.length > 0 ? failed : undefined
}

const NO_PROGRESS = { clear: () => undefined, end: () => undefined }

/** The state of each file and test so far. A file is a process of its own, or a suite in the process of its group. */
function createRecord(root, files, groups) {
  const place = (file) => path.relative(root, path.resolve(root, file))
  const places = new Set(files.map(place))
  const record = {
    root,
    total: files.length,
    startedAt: performance.now(),
    running: new Set(),
    done: [],
    passed: 0,
    failures: [],
    skipped: [],
    /** Attacks on the door by the rule they are for, `S1` to `S9`: how many were tried, and how many were stopped. */
    attacks: new Map(),
    /** By process. */
    output: new Map(),
    /** Of the whole run, once it is over. */
    counts: undefined,
    place,
    filesOf: (module) => groups.get(module)?.map(place),
    processOf: new Map(
      [...groups].flatMap(([module, members]) => members.map((file) => [place(file), module])),
    ),
    take(type, data) {
      const isFile = data.nesting === 0 && places.has(place(data.name ?? ''))
      const isGroup = data.nesting === 0 && groups.has(data.name)
      TAKERS[type]?.(record, data, { isFile, isGroup })
    },
  }
  return record
}

const TAKERS = {
  'test:dequeue': (record, { name }, { isFile }) => {
    if (isFile) record.running.add(record.place(name))
  },
  'test:complete': (record, data, { isFile, isGroup }) => {
    if (isFile) completeFile(record, data)
    else if (isGroup) completeGroup(record, data)
    else completeTest(record, data)
  },
  'test:stdout': keepOutput,
  'test:stderr': keepOutput,
  'test:summary': (record, { file, counts }) => {
    if (file === undefined) record.counts = counts
  },
}

function completeFile(record, { name, details }) {
  const file = record.place(name)
  record.running.delete(file)
  record.done.push({ file, ms: details.duration_ms })
  if (hasFailed(details)) record.failures.push({ file, ...crashOf(details.error) })
}

/** A process that ends before all its files have: the failure names those that were not done. */
function completeGroup(record, { name, details }) {
  const done = new Set(record.done.map(({ file }) => file))
  const undone = record.filesOf(name).filter((file) => !done.has(file))
  for (const file of undone) record.running.delete(file)
  if (!hasFailed(details)) return
  record.failures.push({ file: undone.join(', ') || name, ...crashOf(details.error) })
}

function completeTest(record, { file, name, skip, details }) {
  const place = record.place(file)
  if (hasFailed(details)) record.failures.push({ file: place, error: details.error, name })
  if (details.type === 'suite') return
  countAttack(record, place, name, details.passed && skip === undefined)
  if (skip !== undefined) record.skipped.push({ file: place, name, skip })
  else if (details.passed) record.passed += 1
}

/** A skipped attack counts as one that was not stopped. */
function countAttack({ attacks }, place, name, isStopped) {
  const [, rule] = /^(S\d+): /.exec(name) ?? []
  if (rule === undefined || !place.startsWith(path.join('test', 'attacks', 'door'))) return
  const { tried = 0, stopped = 0 } = attacks.get(rule) ?? {}
  attacks.set(rule, { tried: tried + 1, stopped: stopped + Number(isStopped) })
}

function hasFailed({ passed, error }) {
  return !passed && error?.failureType !== FROM_WITHIN
}

/** Of a file that ended in another way than by its tests: its process ended, or it could not be loaded. */
function crashOf(error) {
  const { exitCode, signal } = error
  if (exitCode === undefined) return { name: 'the whole file', error }
  const end = signal ? `was ended by ${signal}` : `ended with code ${exitCode}`
  return { name: 'the whole file', error, why: `The process of the file ${end}` }
}

function keepOutput(record, data) {
  const file = path.resolve(record.root, data.file)
  const before = record.output.get(file) ?? ''
  record.output.set(file, (before + data.message).slice(-KEPT_OUTPUT))
}

/** The test itself, as it ends, in the order of the file. */
function nameOf(type, data) {
  const indent = '  '.repeat(data.nesting ?? 0)
  if (type === 'test:stdout' || type === 'test:stderr') return data.message
  if (type === 'test:diagnostic' && data.file !== undefined) return `${indent}# ${data.message}\n`
  if (type !== 'test:pass' && type !== 'test:fail') return undefined
  const took = `(${Math.round(data.details.duration_ms)} ms)`
  const word = data.skip !== undefined ? 'skip' : type === 'test:pass' ? 'ok  ' : 'FAIL'
  return `${indent}${word} ${data.name} ${took}\n`
}

function failureLine(seen, type, data) {
  const last = seen.failures.at(-1)
  if (type !== 'test:complete' || last === undefined || last.error !== data.details.error) {
    return undefined
  }
  return `FAIL ${last.file}: ${last.name}\n     ${last.why ?? firstLine(last.error.cause)}\n`
}

function firstLine(cause) {
  return String(cause?.message ?? cause).split('\n')[0]
}

function openProgress(seen, out) {
  const write = () => {
    const line = progressLine(seen)
    out.write(out.isTTY ? `\r\u001b[K${line.slice(0, out.columns - 1)}` : `${line}\n`)
  }
  const clear = () => void (out.isTTY && out.write('\r\u001b[K'))
  const ticking = setInterval(write, out.isTTY ? REDRAW_EVERY_MS : PROGRESS_EVERY_MS)
  return {
    clear,
    end() {
      clearInterval(ticking)
      clear()
    },
  }
}

function progressLine({ total, startedAt, running, done, passed, failures }) {
  const counts = `${done.length}/${total} files, ${passed} passed, ${failures.length} failed`
  const names = [...running].map((file) => path.basename(file, '.test.ts'))
  return `${clock(performance.now() - startedAt)}  ${counts}  … ${names.join(', ')}`
}

function clock(ms) {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

function closing(seen) {
  const slowest = seen.done.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST)
  const times = slowest.map(({ file, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`)
  const failed = seen.failures.map(
    ({ file }) => seen.processOf.get(file) ?? path.resolve(seen.root, file),
  )
  const said = [...new Set(failed)].filter((file) => seen.output.has(file))
  const parts = [
    ...said.map((file) => `${seen.place(file)} wrote:\n${seen.output.get(file).trimEnd()}`),
    seen.skipped.length > 0 ? `Skipped:\n${seen.skipped.map(skippedLine).join('\n')}` : '',
    seen.done.length > 1 ? `Slowest files:\n${times.join('\n')}` : '',
    attackLine(seen.attacks),
    countLines(seen.output),
    ...seen.failures.map((failure) => inFull(failure, seen.root)),
    summary(seen.counts, performance.now() - seen.startedAt),
  ]
  return `\n${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function attackLine(attacks) {
  if (attacks.size === 0) return ''
  const rules = [...attacks].sort(([a], [b]) => (a < b ? -1 : 1))
  const all = rules.map(([, one]) => one)
  const sum = (key) => all.reduce((total, one) => total + one[key], 0)
  const each = rules.map(([rule, { tried, stopped }]) => `${rule} ${stopped}/${tried}`)
  return `stopped ${sum('stopped')}/${sum('tried')} (${each.join(', ')})`
}

/** The counts that tests write: attempts to break out for each user, and hostile packages of each kind. */
function countLines(output) {
  return [...output.values()]
    .flatMap((text) => text.match(/^(?:blocked|refused) \d+\/\d+ \([\w, ]+\)$/gm) ?? [])
    .join('\n')
}

function skippedLine({ file, name, skip }) {
  return `  ${file}: ${name}${typeof skip === 'string' ? ` (${skip})` : ''}`
}

/** The message is whole; the values of an assertion stand in it, so they are not printed again. */
function inFull({ file, name, why, error }, root) {
  return `FAIL ${file}: ${name}\n${why ?? describe(error.cause ?? error, root)}`
}

function describe(error, root) {
  if (typeof error?.message !== 'string') return inspect(error, { depth: 8, breakLength: 100 })
  const code = error.code === undefined ? '' : ` [${error.code}]`
  const frames = `${error.stack}`.split('\n').filter(isOurs).slice(0, MOST_FRAMES)
  const within = [...(error.errors ?? []), ...(error.cause === undefined ? [] : [error.cause])]
  return [
    `${error.name}${code}: ${stripVTControlCharacters(error.message).trimEnd()}`,
    ...frames.map((frame) => frame.replaceAll(`file://${root}${path.sep}`, '')),
    ...within.map((one) => `because of ${describe(one, root)}`),
  ].join('\n')
}

function isOurs(line) {
  return /^ +at /.test(line) && !/\bnode:|node_modules|\(<anonymous>\)$/.test(line)
}

function summary(counts, ms) {
  if (counts === undefined) return '# the run did not come to its end'
  const lines = COUNTS.map((name) => `# ${AS_NODE_SAYS[name] ?? name} ${counts[name]}`)
  return [...lines, `# duration_ms ${Math.round(ms)}`].join('\n')
}
