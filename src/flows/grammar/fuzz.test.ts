/** Random texts into the grammar: a flow or a clear problem each, never a crash, never a surprise in time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { argvTokens } from './argv-tokens.ts'
import { completeFlow } from './complete-flow.ts'
import type { FlowText } from './flow-text.ts'
import { parseFlow } from './parse-flow.ts'
import { printFlow } from './print-flow.ts'
import { parseIr } from '../language/ir.ts'
import type { GrammarProblem } from './problem.ts'
import { flagNames } from './node-shape.ts'
import { describeNode, NODES } from './test-nodes.ts'
import { toIr } from './to-ir.ts'
import { rounds } from '../../kernel/test-rounds.ts'

const TEXTS = rounds(100_000, 3000)

/** Small, quick and the same every time (mulberry32). */
function createDice(seed: number): Dice {
  let state = seed
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

const SIGNS = `>> |> then as mcp for in when retry input continue max - -- # \\ ' " | > = @ / ; && a x.y ns/n@1 0 é 😀 “ — \${a.b} $\${x} \${ }`
const FLAGS = `--query --k=v --max-results --no-archived --labels --filter= --= -x -5 --prompt=" --text='`
const TRAPS = `{"a": [1, 1e999 null __proto__ --__proto__=1 constructor stdin`
const HIDDEN = ['\n', '\r\n', '\t', '\u0000', '\u001b[2J', '\u202e', '\uFEFF', '\u2028', '\ud800']
const WORDS = [SIGNS, FLAGS, TRAPS].flatMap((words) => words.split(' '))
const PIECES: readonly string[] = [...Object.keys(NODES), ...WORDS, ...HIDDEN]

type Dice = (sides: number) => number

/** Anything at all. */
function randomText(roll: Dice): string {
  let text = ''
  for (let left = roll(24); left >= 0; left -= 1) {
    const kind = roll(10)
    if (kind === 0) text += String.fromCharCode(roll(0x10000))
    else if (kind === 1) text += String.fromCharCode(32 + roll(95))
    else text += PIECES[roll(PIECES.length)]
    if (roll(3) > 0) text += ' '
  }
  return text
}

/** A flow as a person might write it, with up to three slips. */
function randomFlow(roll: Dice): string {
  const names = Object.keys(NODES)
  const steps = Array.from({ length: 1 + roll(5) }, () => {
    const name = names[roll(names.length)] ?? ''
    const flags = flagNames(NODES[name] ?? { inputs: [], params: {}, types: {} })
    const given = Array.from({ length: roll(4) }, () => {
      return `--${flags[roll(flags.length)]}${VALUES[roll(VALUES.length)]}`
    })
    return [name, ...given].join(' ')
  })
  let text = steps.join(JOINS[roll(JOINS.length)])
  for (let slips = roll(4); slips > 0; slips -= 1) {
    const at = roll(text.length + 1)
    text = text.slice(0, at) + PIECES[roll(PIECES.length)] + text.slice(at + roll(3))
  }
  return text
}

const VALUES = [
  '',
  ' x',
  '=5',
  ' "a b"',
  " '[1]'",
  '=true',
  ' ${a.b}',
  '="\\n\\"q\\""',
  '=-1',
  ' -2',
  '={}',
]
const JOINS = [' >> ', '>>', ' then ', '\n>> ', ' |> \n# c\n', ' - "timeout" >> ', '\n']

function assertClear(problem: GrammarProblem, text: string): void {
  const where = JSON.stringify(text)
  assert.match(problem.code, /^flows\.[a-z-]+$/, where)
  assert.match(problem.message, /^Cannot [^\n]{5,400}$/, where)
  assert.match(problem.hint, /^[A-Z"][^\n]{5,600}$/, where)
  assert.ok(problem.line >= 1 && problem.line <= text.split('\n').length, where)
  assert.ok(problem.column >= 1 && problem.column <= text.length + 1, where)
  // oxlint-disable-next-line no-control-regex -- nothing in it may move a cursor
  assert.match(problem.excerpt, /^ {2}[^\n\u0000-\u001f\u007f-\u009f]*\n {2} *\^$/, where)
}

function shownText(source: string | readonly string[]): string {
  if (typeof source === 'string') return source
  const [only = ''] = source
  return source.length === 1 ? only : argvTokens(source).shown
}

/** A flow that was read can be printed, and reads the same again. */
function assertStable(flow: FlowText, text: string): void {
  const printed = printFlow(flow)
  const again = parseFlow(printed)
  assert.equal(again.kind === 'flow' && printFlow(again.flow), printed, JSON.stringify(text))
}

test(`each of ${TEXTS} random texts gives a flow or a clear problem`, () => {
  const seed = 20_260_715
  const roll = createDice(seed)
  const count = { flows: 0, problems: 0, irs: 0 }
  for (let index = 0; index < TEXTS; index += 1) {
    const text = index % 2 === 0 ? randomText(roll) : randomFlow(roll)
    const source = index % 3 === 0 ? text.split(' ') : text
    const read = parseFlow(source)
    completeFlow(text, { names: Object.keys(NODES), describe: describeNode })
    if (read.kind === 'problem') {
      count.problems += 1
      assertClear(read.problem, shownText(source))
      continue
    }
    count.flows += 1
    assertStable(read.flow, text)
    const result = toIr(read.flow, describeNode, { stdin: true })
    if (result.kind === 'problems') {
      for (const problem of result.problems) assertClear(problem, read.flow.shown)
      continue
    }
    count.irs += 1
    parseIr(result.reading.ir)
  }
  // Random texts that are all refused, or all accepted, would show nothing.
  assert.ok(count.flows > TEXTS / 10, JSON.stringify(count))
  assert.ok(count.irs > TEXTS / 50, JSON.stringify(count))
  assert.ok(count.problems > TEXTS / 4, JSON.stringify(count))
})

/** Texts that could make a parser take more than linear time. */
const GROWING: Readonly<Record<string, (size: number) => string>> = {
  'many steps': (size) => 'wait >> '.repeat(size) + 'wait',
  'many statements': (size) => 'wait - "timeout" >> llm\n'.repeat(size),
  'many flags': (size) => `wait ${'--labels x '.repeat(size)}`,
  'many switches': (size) => `wait ${'--labels '.repeat(size)}`,
  'many new nodes': (size) =>
    Array.from({ length: size }, (_, at) => `llm --prompt p${at}`).join(' >> '),
  'one long word': (size) => `wait --k ${'x'.repeat(size)}`,
  'one long quote': (size) => `wait --k "${String.raw`a\n`.repeat(size)}"`,
  'many quotes': (size) => `wait --k ${`'a'"b"`.repeat(size)}`,
  'an open quote': (size) => `wait --k "${'a '.repeat(size)}`,
  'many escapes': (size) => `wait --k ${'\\ '.repeat(size)}`,
  'many line ends': (size) => `wait${'\n'.repeat(size)}`,
  'many line ends with a backslash': (size) => `wait${' \\\n'.repeat(size)}`,
  'many comments': (size) => '# x\n'.repeat(size) + 'wait',
  'many dashes': (size) => 'wait' + ' -'.repeat(size),
  'half signs': (size) => `wait --k=${'>|'.repeat(size)}`,
  'a problem at the end': (size) => `${'wait >> '.repeat(size)}|`,
  'a long name': (size) => 'a'.repeat(size),
  'a long path': (size) => 'a/'.repeat(size),
  'deep JSON': (size) => `mcp-github-search-code --query x --filter '${'['.repeat(size)}'`,
  'many references': (size) => `llm --prompt ${'${'.repeat(size)}`,
}

test('the work grows with the length of a text and not with its square', () => {
  const small = 400
  const factor = 32
  for (const [name, grow] of Object.entries(GROWING)) {
    const [short, long] = [grow(small), grow(small * factor)]
    const inParts = workFor(() => {
      for (let part = 0; part < factor; part += 1) readAll(short)
    })
    const atOnce = workFor(() => readAll(long))
    const ratio = atOnce / Math.max(inParts, 1)
    // A square would make it 32.
    assert.ok(ratio < 10, `${name}: at once it was ${ratio.toFixed(1)} times the work of its parts`)
  }
})

function readAll(text: string): void {
  const read = parseFlow(text)
  completeFlow(text, { names: [], describe: describeNode })
  if (read.kind === 'problem') return
  toIr(read.flow, describeNode)
  printFlow(read.flow)
}

/** In milliseconds of the processor's time: what else the machine does, and how fast it is, makes no difference. */
function workFor(read: () => void): number {
  const times = [0, 1].map(() => {
    const before = process.cpuUsage()
    read()
    return process.cpuUsage(before).user / 1000
  })
  return Math.min(...times)
}
