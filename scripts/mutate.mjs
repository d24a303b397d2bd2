/**
 * A mutation run: takes one rule at a time out of a copy of the tree, and looks whether the narrow tests turn red, and
 * with `--bench` the quick measurement too. Exits 1 if a mutant survives without a reason, if a mutant is not found, or
 * if the measurement misses more than half of those that change a decision. Never touches the checkout.
 */
import { spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = process.cwd()
/**
 * Lists of mutants. `find` is searched in the files of `folder` and has to occur exactly once there, so that a mutant
 * survives a move, and is missed when its text is gone. `decides`: some call is decided otherwise, so the measurement
 * should notice. `reason`: why no test can kill it; only such a survivor is accepted.
 */
const LISTS = new Map([['policy', new URL('mutants/policy.json', import.meta.url)]])
const COPIED = [
  'src',
  'test',
  'bench',
  'docs',
  'scripts',
  'package.json',
  'SECURITY.md',
  'tsconfig.base.json',
]
const AT_ONCE = 2
/** The tests that hold the policy, in stages: a mutant that the quick ones kill needs no other. */
const NARROW = [
  [
    'src/policy/',
    'src/labels/',
    'src/kernel/call-tool.test.ts',
    'src/servers/tools/output-labels.test.ts',
    'src/servers/tools/level-said.test.ts',
    'src/servers/tools/argument-roles.test.ts',
  ],
  [
    'src/servers/life/judge-effect.test.ts',
    'src/flows/operators/',
    'src/flows/engine/control-in.test.ts',
    'src/flows/built-in/built-in-labels.test.ts',
    'src/flows/check/label-flow.test.ts',
    'src/flows/check/output-tree.test.ts',
    'test/attacks/door/',
  ],
  ['test/policy/', 'test/flows/engine-labels.test.ts'],
]
const BENCH = ['bench/run.ts', 'agentdojo', '--quick']
/** The measurement has its own column; a file of whole rounds belongs to `test:full`. */
const LEFT_OUT = /agentdojo|\.full\.|-kill/

const { names, flags, only } = readWords(process.argv.slice(2))
const [name] = names
const list = LISTS.get(name)
if (list === undefined) {
  process.stderr.write(`cordon: error: Cannot mutate ${JSON.stringify(name ?? '')}\n`)
  process.stderr.write(`cordon: hint: Choose from ${[...LISTS.keys()].join(', ')}\n`)
  process.exitCode = 2
} else {
  const mutants = JSON.parse(readFileSync(list, 'utf8'))
  process.exitCode = await mutate(
    mutants.filter(({ id }) => only.length === 0 || only.includes(id)),
  )
}

function readWords(words) {
  const at = words.indexOf('--only')
  const only = at < 0 ? [] : (words[at + 1] ?? '').split(',')
  const rest = at < 0 ? words : words.toSpliced(at, 2)
  const isFlag = (word) => word.startsWith('--')
  return { names: rest.filter((word) => !isFlag(word)), flags: new Set(rest.filter(isFlag)), only }
}

async function mutate(mutants) {
  const lost = mutants.filter((mutant) => placesOf(mutant).length !== 1)
  for (const { id, folder, find } of lost) {
    const found = placesOf({ folder, find }).length
    process.stderr.write(
      `cordon: error: Cannot find ${id} once in ${folder}: ${found} places have ${JSON.stringify(find)}\n`,
    )
  }
  if (lost.length > 0) return 1
  using copies = new DisposableStack()
  const started = Date.now()
  const trees = Array.from({ length: AT_ONCE }, () => openCopy(copies))
  if (!(await isGreen(trees[0]))) return 1
  const results = await inTurns(mutants, trees)
  return report(results, started)
}

/** A copy beside which the shared data lies as it does beside the checkout. */
function openCopy(copies) {
  const top = mkdtempSync(path.join(tmpdir(), 'cordon-mutants-'))
  copies.defer(() => rmSync(top, { recursive: true, force: true }))
  const tree = path.join(top, 'tree')
  for (const one of COPIED.filter((name) => existsSync(path.join(root, name)))) {
    cpSync(path.join(root, one), path.join(tree, one), { recursive: true })
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'))
  const data = path.join(root, '..', 'shared')
  if (existsSync(data)) symlinkSync(data, path.join(top, 'shared'))
  return tree
}

/** Without a mutant everything has to be green: else a red test proves nothing. */
async function isGreen(tree) {
  const red = await firstRed(tree)
  if (red !== undefined) process.stderr.write(`cordon: error: Cannot mutate: already red: ${red}\n`)
  if (red !== undefined || !flags.has('--bench')) return red === undefined
  const isMeasured = await passes(tree, BENCH)
  if (!isMeasured)
    process.stderr.write('cordon: error: Cannot mutate: the measurement is already red\n')
  return isMeasured
}

async function inTurns(mutants, trees) {
  const left = [...mutants]
  const results = new Map()
  const work = async (tree) => {
    for (let mutant = left.shift(); mutant; mutant = left.shift()) {
      const result = await tryOne(tree, mutant)
      results.set(mutant, result)
      process.stdout.write(`${rowOf(mutant, result)}\n`)
    }
  }
  process.stdout.write('| mutant | tests | bench |\n|---|---|---|\n')
  await Promise.all(trees.map(work))
  return mutants.map((mutant) => ({ mutant, ...results.get(mutant) }))
}

async function tryOne(tree, mutant) {
  const [place] = placesOf(mutant, tree)
  const file = path.join(tree, place)
  const text = readFileSync(file, 'utf8')
  writeFileSync(
    file,
    text.replace(mutant.find, () => mutant.replace),
  )
  try {
    const red = await firstRed(tree)
    const isMeasured = flags.has('--bench') && mutant.decides
    const bench = isMeasured ? ((await passes(tree, BENCH)) ? 'green' : 'RED') : '-'
    return { red, bench }
  } finally {
    writeFileSync(file, text)
  }
}

function rowOf({ id, what }, { red, bench }) {
  return `| ${id} ${what} | ${red === undefined ? 'green' : `RED: ${red}`} | ${bench} |`
}

function report(results, started) {
  const killed = results.filter(({ red }) => red !== undefined)
  const survivors = results.filter(({ red }) => red === undefined)
  const measured = results.filter(({ bench }) => bench !== '-')
  const noticed = measured.filter(({ bench }) => bench === 'RED')
  const say = (text) => void process.stdout.write(`${text}\n`)
  say(
    `\nkilled ${killed.length}/${results.length} in ${Math.round((Date.now() - started) / 1000)} s`,
  )
  for (const { mutant } of survivors) {
    say(`survives: ${mutant.id} ${mutant.what}: ${mutant.reason ?? 'no test notices'}`)
  }
  if (measured.length > 0) say(`the measurement notices ${noticed.length} of ${measured.length}`)
  const isHeld = survivors.every(({ mutant }) => mutant.reason !== undefined)
  return isHeld && noticed.length * 2 >= measured.length ? 0 : 1
}

function filesIn(folder, ending, top = root) {
  const start = path.join(top, folder)
  if (folder.endsWith('.ts')) return existsSync(start) ? [folder] : []
  return readdirSync(start, { recursive: true })
    .filter((file) => file.endsWith(ending))
    .map((file) => path.join(folder, file))
    .sort()
}

/** The files of the folder, but for tests, in which the text occurs; twice for a file that has it twice. */
function placesOf({ folder, find }, top = root) {
  return filesIn(folder, '.ts', top)
    .filter((file) => !file.endsWith('.test.ts') && !path.basename(file).startsWith('test-'))
    .flatMap((file) => {
      const times = readFileSync(path.join(top, file), 'utf8').split(find).length - 1
      return Array.from({ length: times }, () => file)
    })
}

/** The name of the first test that fails; undefined if none does. */
async function firstRed(tree) {
  for (const places of NARROW) {
    const files = places.flatMap((place) => filesIn(place, '.test.ts'))
    const red = await firstRedOf(
      tree,
      files.filter((file) => !LEFT_OUT.test(file)),
    )
    if (red !== undefined) return red
  }
  return undefined
}

/** All files run in one process, which ends with the first red test. */
async function firstRedOf(tree, files) {
  const seed = './scripts/mutants/fixed-seed.mjs'
  const runner = [
    '--import',
    seed,
    '--test',
    '--test-isolation=none',
    '--test-reporter=tap',
    ...files,
  ]
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: path.join(tree, '..', '..', 'cordon-mutants-compiled'),
  }
  const child = spawn(process.execPath, runner, {
    cwd: tree,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let output = ''
  let red
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (chunk) => {
    output += chunk
    red ??= /^ *not ok \d+ - (.+)$/m.exec(output)?.[1]
    if (red !== undefined) child.kill('SIGKILL')
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (red === undefined && code !== 0) return 'the tests do not run'
  return red
}

async function passes(tree, words) {
  const child = spawn(process.execPath, words, { cwd: tree, stdio: 'ignore' })
  return (await new Promise((resolve) => child.once('close', resolve))) === 0
}
