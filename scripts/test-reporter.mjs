/**
 * The output of `npm test`: how many files are done, each failure at once and in full at the end, the slowest files,
 * and the counts that node prints. On a terminal progress is one line that is redrawn, elsewhere a line every ten
 * seconds.
 * Never drops a failure: a test that failed, a file that crashed and a test that was cancelled are all listed.
 */
import path from 'node:path'
import { inspect } from 'node:util'

const PROGRESS_EVERY_MS = 10_000
const REDRAW_EVERY_MS = 200
/** With so few files each test is named; with more, only files are counted. */
export const FEW_FILES = 5
const SLOWEST = 10
/** Characters kept of the output of one file; the beginning is dropped. */
const KEPT_OUTPUT = 20_000
const COUNTS = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo']
const AS_NODE_SAYS = { passed: 'pass', failed: 'fail' }
/** The failure type of a suite that failed only because of a test inside; that test is listed itself. */
const FROM_WITHIN = 'subtestsFailed'

/**
 * Writes progress and results to `out`, and returns whether everything passed.
 * @param {AsyncIterable<{ type: string, data: any }>} events of `run()` of node:test
 * @param {{ files: readonly string[], root: string, out: NodeJS.WriteStream }} options
 */
export async function report(events, { files, root, out }) {
  const seen = createRecord(root, files.length)
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
  return seen.failures.length === 0 && seen.counts?.failed + seen.counts?.cancelled === 0
}

const NO_PROGRESS = { clear: () => undefined, end: () => undefined }

/** The results of all files and tests so far. */
function createRecord(root, total) {
  const record = {
    total,
    startedAt: performance.now(),
    running: new Set(),
    done: [],
    passed: 0,
    failures: [],
    skipped: [],
    output: new Map(),
    /** The counts of the whole run, once it is over. */
    counts: undefined,
    place: (file) => path.relative(root, file),
    take(type, data) {
      const isFile = data.file !== undefined && path.resolve(root, data.name ?? '') === data.file
      TAKERS[type]?.(record, data, isFile)
    },
  }
  return record
}

const TAKERS = {
  'test:dequeue': (record, { file }, isFile) => isFile && record.running.add(record.place(file)),
  'test:complete': (record, data, isFile) =>
    isFile ? completeFile(record, data) : completeTest(record, data),
  'test:stdout': keepOutput,
  'test:stderr': keepOutput,
  'test:summary': (record, { file, counts }) => {
    if (file === undefined) record.counts = counts
  },
}

function completeFile(record, { file, details }) {
  const place = record.place(file)
  record.running.delete(place)
  record.done.push({ file: place, ms: details.duration_ms })
  if (hasFailed(details)) {
    record.failures.push({ file: place, error: details.error, ...crashOf(details.error) })
  }
}

function completeTest(record, { file, name, skip, details }) {
  const place = record.place(file)
  if (hasFailed(details)) record.failures.push({ file: place, error: details.error, name })
  if (details.type === 'suite') return
  if (skip !== undefined) record.skipped.push({ file: place, name, skip })
  else if (details.passed) record.passed += 1
}

function hasFailed({ passed, error }) {
  return !passed && error?.failureType !== FROM_WITHIN
}

/** The failure of a file whose process failed outside its tests. */
function crashOf({ exitCode, signal }) {
  const end = signal ? `was ended by ${signal}` : `ended with code ${exitCode}`
  return { name: 'the whole file', why: `The process of the file ${end}` }
}

function keepOutput(record, data) {
  const file = record.place(data.file)
  const before = record.output.get(file) ?? ''
  record.output.set(file, (before + data.message).slice(-KEPT_OUTPUT))
}

/** One line per test as it ends, in the order of the file. */
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
  const failed = [...new Set(seen.failures.map(({ file }) => file))]
  const said = failed.filter((file) => seen.output.has(file))
  const parts = [
    ...seen.failures.map(inFull),
    ...said.map((file) => `${file} wrote:\n${seen.output.get(file).trimEnd()}`),
    seen.skipped.length > 0 ? `Skipped:\n${seen.skipped.map(skippedLine).join('\n')}` : '',
    seen.done.length > 1 ? `Slowest files:\n${times.join('\n')}` : '',
    summary(seen.counts, performance.now() - seen.startedAt),
  ]
  return `\n${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function skippedLine({ file, name, skip }) {
  return `  ${file}: ${name}${typeof skip === 'string' ? ` (${skip})` : ''}`
}

function inFull({ file, name, why, error }) {
  const shown = why ?? inspect(error.cause ?? error, { depth: 8, breakLength: 100 })
  const lines = shown.split('\n').filter((line) => !/^ +at .*\(?node:internal\//.test(line))
  return `FAIL ${file}: ${name}\n${lines.join('\n')}`
}

function summary(counts, ms) {
  if (counts === undefined) return '# the run did not come to its end'
  const lines = COUNTS.map((name) => `# ${AS_NODE_SAYS[name] ?? name} ${counts[name]}`)
  return [...lines, `# duration_ms ${Math.round(ms)}`].join('\n')
}
