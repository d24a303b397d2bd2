/**
 * Looks through everything that scripted models were sent during a run of the tests: no credential, no words of others in
 * the prompt of a planner, nothing above the clearance of a profile. A run in which nothing was recorded proves nothing, and
 * fails if all tests were to run.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { canariesIn } from '../test/fixtures/prompts/spellings.ts'

const LEVELS = ['public', 'internal', 'sensitive', 'regulated']
const MARK = /\b(EXTERNAL|LEVEL)-(public|internal|sensitive|regulated)-\d{5}\b/g
/** Prompts that may hold words of others. One of no known role may not. */
const READERS = new Set(['synthesizer', 'llm', 'extract'])
const SHOWN = 20
const AROUND = 60

/**
 * @param {string} folder with the lines that `test/fixtures/prompts/record-prompt.ts` wrote
 * @param {boolean} isWhole all tests ran, so there have to be prompts to look at
 * @returns {{ isGood: boolean, text: string }} `text` is empty if there is nothing to tell
 */
export function checkPrompts(folder, isWhole) {
  const lines = readdirSync(folder).flatMap((file) => linesOf(path.join(folder, file)))
  const prompts = lines.filter(({ kind }) => kind === 'prompt')
  const canaries = new Set(lines.filter(({ kind }) => kind === 'canary').map(({ value }) => value))
  const problems = [
    ...prompts.flatMap((prompt) => [...credentials(prompt, canaries), ...misplaced(prompt)]),
    ...(isWhole ? gaps(prompts, canaries) : []),
  ]
  const planned = prompts.filter(({ role }) => role === 'planner').length
  const counts = `prompts: ${prompts.length} recorded, ${planned} of a planner`
  if (problems.length > 0) return { isGood: false, text: failure(counts, problems) }
  if (prompts.length === 0) return { isGood: true, text: '' }
  const found = 'no credential, no external content, nothing above clearance'
  return { isGood: true, text: `${counts}: ${found}\n` }
}

function linesOf(file) {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line))
}

/** The problem names the beginning of the credential only. */
function credentials(prompt, canaries) {
  const sent = `${prompt.url}\n${prompt.body}`
  return canariesIn(sent, canaries).map((canary) =>
    say(prompt, `holds the credential ${canary.slice(0, 8)}…`),
  )
}

function misplaced(prompt) {
  const { role, profile, clearance, body } = prompt
  const marks = [...body.matchAll(MARK)]
  return marks.flatMap(({ 0: mark, 1: kind, 2: level, index }) => {
    const where = body.slice(Math.max(0, index - AROUND), index + mark.length + AROUND)
    const isForeign = kind === 'EXTERNAL' && !READERS.has(role)
    const isAbove = LEVELS.indexOf(level) > LEVELS.indexOf(clearance)
    return [
      ...(isForeign ? [say(prompt, `holds external content: …${where}…`)] : []),
      ...(isAbove ? [say(prompt, `is ${level}, for a ${profile} profile: …${where}…`)] : []),
    ]
  })
}

/** Each of these would make the check pass although it saw nothing. */
function gaps(prompts, canaries) {
  const hasMark = ({ role, body }) => READERS.has(role) && body.includes('EXTERNAL-')
  const missing = [
    [prompts.length === 0, 'no prompt was recorded'],
    [!prompts.some(({ role }) => role === 'planner'), 'no prompt of a planner was recorded'],
    [
      !prompts.some(({ profile }) => profile === 'cloud'),
      'no prompt to a cloud profile was recorded',
    ],
    [!prompts.some(hasMark), 'no prompt held external content, not even where it may'],
    [canaries.size === 0, 'no credential was named to look for'],
  ]
  return missing.flatMap(([isMissing, problem]) => (isMissing ? [problem] : []))
}

function say({ role, test }, problem) {
  return `the prompt of ${role === 'unknown' ? 'an unknown role' : `a ${role}`} in ${test} ${problem}`
}

function failure(counts, problems) {
  const shown = [...new Set(problems)]
  const more = shown.length > SHOWN ? [`and ${shown.length - SHOWN} more`] : []
  const lines = [...shown.slice(0, SHOWN), ...more].map((problem) => `  ${problem}`)
  return [`FAIL ${counts}`, ...lines, ''].join('\n')
}
