/**
 * `cordon connect 'npx -y …'` in a pseudo-terminal, as a stranger types it: the pasted line, and an answer to each question
 * that is asked. No file is edited. A question for which there is no answer ends the try.
 */
import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { type Cordon, environmentFor } from '../../fixtures/cordon.ts'
import { commandLine } from '../../terminal/open-command.ts'
import { openTerminal, type Terminal } from '../../terminal/terminal.ts'

/** Questions with their answers: text, or a single key where a question takes one. */
export type Answers = readonly (readonly [RegExp, string])[]

export interface Tried {
  /** Questions in their order, without those that every stranger's tools lead to. */
  readonly asked: readonly string[]
  readonly ended: 'connected' | 'failed' | 'unanswered'
  /** The name that the server got. */
  readonly server: string
  readonly tools: number
  readonly version: string
  /** The last sentence, if it did not connect. */
  readonly reason: string
  readonly screen: string
}

/** A question, open or answered; one for a secret is the last line of the screen as long as it is open. */
const QUESTION = /^(?:[◆◇] {2}(?<what>.+)|(?<secret>.+) \(hidden\):.*)$/gm
const OPEN = /^◆ {2}|\(hidden\):$/
/** Asked of everybody about tools that nobody vouches for: no, so that nothing is taken on trust. */
const TRUST = /^Take them so\?/
const LOOK_MS = 100
const LONGEST_MS = 900_000

export async function connectByLine(
  cordon: Cordon,
  line: string,
  answers: Answers = [],
): Promise<Tried> {
  const command = commandLine(['connect', line])
  const env = environmentFor(cordon.home, ownNpm())
  await using terminal = await openTerminal({ command, env, columns: 240 })
  const asked: string[] = []
  const end = performance.now() + LONGEST_MS
  let answered = 0
  while (!/^\[ended \d+\]/m.test(terminal.written()) && performance.now() < end) {
    await pause(LOOK_MS)
    const questions = questionsOn(await terminal.scrollback())
    const last = questions.at(-1)
    if (!last?.isOpen || questions.length <= answered) continue
    answered = questions.length
    if (!TRUST.test(last.text)) asked.push(last.text)
    if (!(await answer(terminal, last.text, answers))) break
  }
  return read(await terminal.scrollback(), asked)
}

function questionsOn(
  screen: string,
): readonly { readonly text: string; readonly isOpen: boolean }[] {
  return Array.from(screen.matchAll(QUESTION), ({ 0: line, groups }) => {
    return { text: groups?.['what'] ?? groups?.['secret'] ?? '', isOpen: OPEN.test(line) }
  })
}

/** The npm settings of the person who runs this; the home folder of a test has none. */
export function ownNpm(): Readonly<Record<string, string>> {
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim()
  const authorities = process.env['NODE_EXTRA_CA_CERTS']
  return {
    npm_config_registry: registry,
    ...(authorities !== undefined && { NODE_EXTRA_CA_CERTS: authorities }),
  }
}

async function answer(terminal: Terminal, question: string, answers: Answers): Promise<boolean> {
  if (TRUST.test(question)) {
    await terminal.press('n')
    return true
  }
  const [, text] = answers.find(([pattern]) => pattern.test(question)) ?? []
  if (text === undefined) return false
  await terminal.type(text)
  // A question with single keys for answers has taken the first one.
  if (text.length > 1) await terminal.press('Enter')
  return true
}

function read(screen: string, asked: readonly string[]): Tried {
  const found = (pattern: RegExp): string => pattern.exec(screen)?.[1] ?? ''
  const title = found(/^✓ (.+) connected\. \d+ tools? available\.$/m)
  const reason = found(/^(?:Failed to start |cordon: error: )(.+)$/m)
  return {
    asked,
    ended: title !== '' ? 'connected' : reason !== '' ? 'failed' : 'unanswered',
    server: found(/^Connected as `([^`]+)`\.$/m) || title.toLowerCase(),
    tools: Number(found(/ connected\. (\d+) tools? available\.$/m)),
    version: found(/^Installed \S+ (\S+) by /m),
    reason,
    screen,
  }
}
