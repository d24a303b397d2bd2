/** The last lines about one server: what it wrote, what was refused to it. Bounded, and every line is redacted. */
import type { Redactor } from '../../kernel/ports.ts'
import { seenText } from '../../text/untrusted-text.ts'
import type { LogLine } from '../../kernel/server-state.ts'
import { cleanText } from './clean-text.ts'

const MAX_SIZE = 64 * 1024
const MAX_LINE = 4096
/** What keeping a line costs besides its text, so that many short ones are bounded too. */
const LINE_COST = 64

export interface LogRing {
  add(from: LogLine['from'], text: string): void
  /** Takes a stream in pieces; a secret that is split between them is still hidden. */
  follow(from: 'stderr'): { push(chunk: Uint8Array): void; end(): void }
  lines(): readonly LogLine[]
  /** A new process begins to write. */
  begin(): void
  /** What the process last wrote to standard error, oldest first. */
  last(count: number): readonly string[]
}

export function createLogRing(redactor: Redactor, now: () => number): LogRing {
  const lines: LogLine[] = []
  let size = 0
  let begun = 0
  let seq = 0
  const keep = (from: LogLine['from'], text: string): void => {
    const plain = cleanText(text, (whole) => redactor.redact(whole), MAX_LINE)
    seq += 1
    lines.push({ seq, at: new Date(now()).toISOString(), from, text: plain })
    size += plain.length + LINE_COST
    while (size > MAX_SIZE) {
      size -= (lines.shift()?.text.length ?? 0) + LINE_COST
      begun = Math.max(0, begun - 1)
    }
  }
  return {
    add: keep,
    follow: (from) => followLines(redactor, (line) => keep(from, line)),
    lines: () => [...lines],
    begin: () => void (begun = lines.length),
    last: (count) =>
      lines
        .slice(begun)
        .filter(({ from, text }) => from === 'stderr' && isTelling(text))
        .slice(-count)
        .map(({ text }) => text),
  }
}

/** Where in the code something happened, and what else an error carries, tells people nothing; there is a lot of both. */
function isTelling(line: string): boolean {
  const isDump = /^\s+at |^\s+\w+: |^Node\.js v|^node:internal|^file:\/\//
  return /[a-z0-9]{2}/i.test(line) && !isDump.test(line)
}

function followLines(
  redactor: Redactor,
  keep: (line: string) => void,
): { push(chunk: Uint8Array): void; end(): void } {
  const stream = redactor.stream()
  const decoder = new TextDecoder()
  let open = ''
  const take = (shown: Buffer): void => {
    const parts = (open + decoder.decode(shown, { stream: true })).split('\n')
    // Longer than what is kept: a secret that is cut here is not recognised, but it is cut off as well.
    open = seenText(parts.pop() ?? '').slice(0, 2 * MAX_LINE)
    for (const line of parts) if (line.trim() !== '') keep(line)
  }
  return {
    push: (chunk) => take(stream.push(chunk)),
    end() {
      take(stream.end())
      if (open.trim() !== '') keep(open)
      open = ''
    },
  }
}
