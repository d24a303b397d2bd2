/**
 * A program in a real pseudo-terminal, driven key by key and read as a person reads it: off the screen. The terminal is
 * a tmux server of its own, which ends with the test and never uses the developer's tmux settings or sessions.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Shorter than the limit of the runner, whose error would not show the screen. */
const LONGEST_MS = 300_000
const LOOK_MS = 30

/**
 * Starts the program once its output is recorded, and prints a line on the same terminal when it has ended: a test that
 * reads this line has read all output. Then the terminal stays open.
 */
const LAUNCH = 'tmux wait-for start; env TERM="$0" "$@"; echo "[ended $?]"; exec tail -f /dev/null'
const ENDED = /^\[ended (\d+)\]/m

interface TerminalOptions {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly columns?: number
  readonly rows?: number
  /** The program's `TERM` variable. */
  readonly term?: string
}

export interface Terminal extends AsyncDisposable {
  /** Types the characters literally. */
  type(text: string): Promise<void>
  /** Keys by their names in tmux: `Enter`, `Up`, `C-c`. */
  press(...keys: readonly string[]): Promise<void>
  /** `marked`: a bracketed paste, if the program asked for it; `plain`: a paste of a terminal without that feature. */
  paste(text: string, how: 'marked' | 'plain'): Promise<void>
  resize(columns: number, rows: number): Promise<void>
  /** The text on the screen, without spaces at the ends of rows and empty rows at the bottom. */
  screen(): Promise<string>
  /** The screen with all rows that have scrolled away; a wrapped line is one line. */
  scrollback(): Promise<string>
  /** Every byte the program wrote. */
  written(): string
  /** Waits until the screen matches the pattern, and returns the screen. */
  until(pattern: RegExp): Promise<string>
  /** Waits until the program has ended, and returns its exit code. */
  ended(): Promise<number>
}

export async function openTerminal(options: TerminalOptions): Promise<Terminal> {
  const { command, env, cwd = tmpdir(), columns = 100, rows = 40, term = 'screen' } = options
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-terminal-'))
  const [buffer, record] = [path.join(folder, 'pasted'), path.join(folder, 'written')]
  const tmux = async (...args: readonly string[]): Promise<string> => {
    const socket = path.join(folder, 'tmux')
    const words = ['-u', '-f', '/dev/null', '-S', socket, ...args]
    return (await run('tmux', words, { env: { LC_ALL: 'C.UTF-8', ...env }, cwd })).stdout
  }
  const size = ['-x', String(columns), '-y', String(rows)]
  await tmux('new-session', '-d', ...size, '--', 'sh', '-c', LAUNCH, term, ...command)
  writeFileSync(record, '') // tmux does not wait until the program that records has opened it
  await tmux('pipe-pane', `exec cat >> '${record}'`)
  const leader = Number(await tmux('display-message', '-p', '#{pane_pid}'))
  await tmux('wait-for', '-S', 'start')
  const screen = async (): Promise<string> => tidy(await tmux('capture-pane', '-p'))
  return {
    // A semicolon at the end would end the tmux command.
    type: async (text) => void (await tmux('send-keys', '-l', '--', text.replace(/;$/, '\\;'))),
    press: async (...keys) => void (await tmux('send-keys', ...keys)),
    async paste(text, how) {
      writeFileSync(buffer, text)
      await tmux('load-buffer', buffer)
      await tmux('paste-buffer', '-d', ...(how === 'marked' ? ['-p'] : []))
    },
    resize: async (x, y) => void (await tmux('resize-window', '-x', String(x), '-y', String(y))),
    screen,
    scrollback: async () => tidy(await tmux('capture-pane', '-p', '-J', '-S', '-')),
    written: () => readFileSync(record, 'utf8'),
    until: (pattern) => untilSeen(screen, pattern),
    async ended() {
      const last = await untilSeen(async () => readFileSync(record, 'utf8'), ENDED)
      return Number(ENDED.exec(last)?.[1])
    },
    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => undefined)
      endGroup(leader)
      rmSync(folder, { recursive: true })
    },
  }
}

async function untilSeen(look: () => Promise<string>, pattern: RegExp): Promise<string> {
  const end = performance.now() + LONGEST_MS
  for (;;) {
    const seen = await look()
    if (pattern.test(seen)) return seen
    if (ENDED.test(seen) || performance.now() > end)
      throw new Error(`${pattern} never appeared:\n${seen}`)
    await pause(LOOK_MS)
  }
}

function tidy(text: string): string {
  return text.replace(/ +$/gm, '').trimEnd()
}

/** Kills the process group: a program that ignores the hang-up of tmux must not outlive its test. */
function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // the group has ended already
  }
}
