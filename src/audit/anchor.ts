/**
 * The end of the log at its last sync, kept outside the log, so that a cut-off tail is noticed. Two slots written in
 * turn, a sector each, so a torn write spoils one and the other still counts. Never ahead of the data on disk. An
 * attacker who can write both files can roll both back: `verify` with a head that was noted elsewhere finds that too.
 */
import { hash } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Head } from './audit-line.ts'
import { replaceFile } from './replace-file.ts'

interface FoundAnchor {
  readonly kind: 'found'
  readonly head: Head
  readonly slot: number
}

export type AnchorReading =
  | FoundAnchor
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable' }

export interface Anchor {
  /** The head that was anchored last. */
  readonly head: Head
  write(head: Head): void
  sync(): void
  close(): void
}

const SLOT_BYTES = 512
const SLOT = /^(\d{16}) (\d{16}) ([0-9a-f]{64}) ([0-9a-f]{16}) *\n$/

export function readAnchor(path: string): AnchorReading {
  const bytes = readIfThere(path)
  if (!bytes || bytes.length === 0) return { kind: 'absent' }
  const [found] = [0, 1]
    .flatMap((slot) => readSlot(bytes, slot))
    .sort((a, b) => b.head.seq - a.head.seq)
  return found ?? { kind: 'unreadable' }
}

/** A new anchor for a log that ends at `head`; replaces an older one, both slots at once. */
export async function createAnchor(path: string, head: Head): Promise<void> {
  await replaceFile(path, spellAnchor(head))
}

/** The content of a new anchor, both slots of it. */
export function spellAnchor(head: Head): string {
  return spellSlot(head).repeat(2)
}

export function openAnchor(path: string, found: FoundAnchor): Anchor {
  const fd = openSync(path, 'r+')
  let { head, slot } = found
  return {
    get head() {
      return head
    },
    write(next) {
      slot = 1 - slot
      writeSync(fd, spellSlot(next), slot * SLOT_BYTES)
      head = next
    },
    sync: () => fsyncSync(fd),
    close: () => closeSync(fd),
  }
}

function spellSlot(head: Head): string {
  const text = `${digits(head.seq)} ${digits(head.bytes)} ${head.hash}`
  return `${`${text} ${checkOf(text)}`.padEnd(SLOT_BYTES - 1)}\n`
}

function readSlot(bytes: Buffer, slot: number): FoundAnchor[] {
  const text = bytes.toString('latin1', slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES)
  const [, seq = '', end = '', hash = '', check] = SLOT.exec(text) ?? []
  if (check !== checkOf(`${seq} ${end} ${hash}`)) return []
  return [{ kind: 'found', slot, head: { seq: Number(seq), bytes: Number(end), hash } }]
}

function checkOf(text: string): string {
  return hash('sha256', text).slice(0, 16)
}

function digits(value: number): string {
  return String(value).padStart(16, '0')
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
