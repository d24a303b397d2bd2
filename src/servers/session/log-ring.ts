/**
 * The last log lines of one server: its own output and Cordon's refusals. Bounded, and every line is redacted.
 * Standard error is redacted once per chunk, not once per line: a flood of short lines costs no more than its bytes.
 */
import type { Redactor } from '../../kernel/ports.ts'
import type { ReachedHost } from '../../text/reached-host.ts'
import { cutText, seenText } from '../../text/untrusted-text.ts'
import type { LogLine } from '../../kernel/server-state.ts'
import { cleanText } from './clean-text.ts'
import { createMessageLog, type MessageLog } from './message-log.ts'

const MAX_SIZE = 64 * 1024
const MAX_LINE = 4096
/** Overhead of a line besides its text, so that the number of short lines is bounded too. */
const LINE_COST = 64
/** The ring never holds more lines than this, so no more lines of one chunk are processed. */
const MOST_LINES = MAX_SIZE / LINE_COST
const MOST_HOSTS = 20
const DROPPED = 'More lines came at once than this log holds: the oldest of them were dropped'

export interface LogRing {
  readonly protocol: MessageLog
  add(from: LogLine['from'], text: string): void
  /** Takes a stream in chunks; a secret that is split between chunks or between lines is still redacted. */
  follow(from: 'stderr' | 'stdout'): LineFollower
  lines(): readonly LogLine[]
  /** Marks the start of a new process; `last`, `blockedHosts`, `unreached` and `reached` look no further back. */
  begin(): void
  /** A host was refused that the owner could allow. */
  block(host: string): void
  readonly blockedHosts: readonly string[]
  /** The number of refusals so far, to ask with `blockedAfter` for the hosts of later ones. */
  readonly blocks: number
  blockedAfter(blocks: number): readonly string[]
  /** A place could not be reached that the server may reach. */
  miss(place: string): void
  readonly unreached: readonly string[]
  /** Asked whenever `reached` is read, until the next process begins. */
  countTraffic(count: () => readonly ReachedHost[]): void
  readonly reached: readonly ReachedHost[]
  /** The last lines of standard error, oldest first. */
  last(count: number): readonly string[]
}

export interface LineFollower {
  push(chunk: Uint8Array): void
  end(): void
}

export function createLogRing(redactor: Redactor, now: () => number): LogRing {
  const lines: LogLine[] = []
  const places = trackPlaces()
  let size = 0
  let begun = 0
  let seq = 0
  const keep = (from: LogLine['from'], clean: readonly string[]): void => {
    const at = new Date(now()).toISOString()
    for (const text of clean) {
      seq += 1
      lines.push({ seq, at, from, text })
      size += text.length + LINE_COST
    }
    while (size > MAX_SIZE) {
      size -= (lines.shift()?.text.length ?? 0) + LINE_COST
      begun = Math.max(0, begun - 1)
    }
  }
  return {
    protocol: createMessageLog(redactor, now),
    add: (from, text) => keep(from, [cleanText(text, (whole) => redactor.redact(whole), MAX_LINE)]),
    follow: (from) =>
      followLines(redactor, (some, isCut) => {
        keep(from, some)
        if (isCut) keep('cordon', [DROPPED]) // added last, or these very lines would evict it
      }),
    lines: () => [...lines],
    begin() {
      begun = lines.length
      places.forget()
    },
    block: (host) => places.block(host),
    get blockedHosts() {
      return places.blockedAfter(0)
    },
    get blocks() {
      return places.blocks()
    },
    blockedAfter: (count) => places.blockedAfter(count),
    miss: (place) => places.miss(place),
    get unreached() {
      return places.unreached()
    },
    countTraffic: (count) => places.countTraffic(count),
    get reached() {
      return places.reached()
    },
    last: (count) => lines.slice(begun).filter(isTelling).slice(-count).map(textOf),
  }
}

/** The hosts that were refused, each with the number of its last refusal, and the places that could and could not be reached. */
function trackPlaces() {
  const hosts = new Map<string, number>()
  const missed = new Set<string>()
  const none = (): readonly ReachedHost[] => []
  let traffic = none
  let blocks = 0
  return {
    forget(): void {
      hosts.clear()
      missed.clear()
      traffic = none
    },
    block(host: string): void {
      blocks += 1
      if (hosts.size < MOST_HOSTS || hosts.has(host)) hosts.set(host, blocks)
    },
    blocks: () => blocks,
    blockedAfter: (count: number) => [...hosts].flatMap(([host, at]) => (at > count ? [host] : [])),
    miss(place: string): void {
      if (missed.size < MOST_HOSTS) missed.add(place)
    },
    unreached: () => [...missed],
    countTraffic(count: () => readonly ReachedHost[]): void {
      traffic = count
    },
    reached: () => traffic(),
  }
}

function textOf({ text }: LogLine): string {
  return text
}

/** Of standard error: stack frames and the fields of a printed error tell people nothing, and there are many of both. */
function isTelling({ from, text }: LogLine): boolean {
  const isDump = /^\s+at |^\s+\w+: |^Node\.js v|^node:internal|^file:\/\//
  return from === 'stderr' && /[a-z0-9]{2}/i.test(text) && !isDump.test(text)
}

function followLines(
  redactor: Redactor,
  keep: (lines: readonly string[], isCut: boolean) => void,
): LineFollower {
  const stream = redactor.stream()
  const decoder = new TextDecoder()
  let open = ''
  const finish = (text: string): void => {
    const start = startOfLast(text)
    const shown = redactor.redact(seenText(text.slice(start)))
    const lines = shown.split('\n').filter((line) => line.trim() !== '')
    keep(hideBroken(lines, redactor), start > 0)
  }
  const take = (shown: Buffer): void => {
    const text = open + decoder.decode(shown, { stream: true })
    const end = text.lastIndexOf('\n')
    // Twice the length that is kept: a secret cut here is not recognised, but lies beyond the kept part.
    open = seenText(text.slice(end + 1)).slice(0, 2 * MAX_LINE)
    if (end !== -1) finish(text.slice(0, end))
  }
  return {
    push: (chunk) => take(stream.push(chunk)),
    end() {
      take(stream.end())
      finish(open)
      open = ''
    },
  }
}

/** Start of the last lines that the ring can hold, searched from the end so that no others are split. */
function startOfLast(text: string): number {
  let start = text.length + 1
  for (let lines = 0; lines < MOST_LINES && text.length - start < MAX_SIZE; lines += 1) {
    if (start < 2) return 0
    start = text.lastIndexOf('\n', start - 2) + 1
  }
  return start
}

/** A secret that is broken over lines is found in the joined text, which then replaces these lines. */
function hideBroken(lines: readonly string[], redactor: Redactor): readonly string[] {
  const joined = lines.map((line) => line.trim()).join('')
  const hidden = redactor.redact(joined)
  return (hidden === joined ? lines : [hidden]).map((line) => cutText(line, MAX_LINE))
}
